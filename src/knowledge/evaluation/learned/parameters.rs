//! Parameters of learned functions, with their checks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::catalog::{OptionEntry, OptionValues, TypedOption};

const WORK: TypedOption<u64> = TypedOption::integer(
    "work",
    30,
    [1, 1_000_000],
    "",
    "work of games and fits; 1 takes about a second of one processor",
);
const ROUNDS: TypedOption<u64> = TypedOption::integer(
    "rounds",
    12,
    [1, 1_000],
    "",
    "number of rounds of play and fitting that share the work",
);
const PAIRS: TypedOption<u64> = TypedOption::integer(
    "pairs",
    1_000,
    [0, 100_000],
    "",
    "maximum number of pairs of facts with a weight of their own",
);
const TRIPLES: TypedOption<u64> = TypedOption::integer(
    "triples",
    1_000,
    [0, 100_000],
    "",
    "maximum number of triples of facts with a weight of their own",
);
const OPEN: TypedOption<u64> = TypedOption::integer(
    "open",
    2_000,
    [0, 100_000],
    "",
    "maximum number of parts of goal and terminal conditions that count if the places of their missing facts are free; \
     with 0, no conjunction requires that a fact is absent",
);
const LAMBDA: TypedOption<f64> = TypedOption::real(
    "lambda",
    0.9,
    [0.0, 1.0],
    "",
    "λ of TD(λ): the share of a state's target that comes from later than the next state; 1 for the outcome alone",
);
const NOISE: TypedOption<f64> =
    TypedOption::real("noise", 0.1, [0.0, 1.0], "", "probability that a move is drawn at random");
const RIDGE: TypedOption<f64> = TypedOption::real(
    "ridge",
    1e-5,
    [0.0, 1.0],
    "",
    "ridge penalty for each state, which draws weights to 0",
);

const PLIES: TypedOption<u64> = TypedOption::integer(
    "plies",
    2,
    [1, 2],
    "",
    "plies of lookahead in the games that are learned from; 2 has an effect only if lanes evaluate states, and only in \
     games of one player, or of two with opposed goals",
);

const TURNS: TypedOption<bool> = TypedOption::flag(
    "turns",
    true,
    "let weights depend on whose turn it is, if they then predict held-out states better",
);

const TIES: TypedOption<bool> = TypedOption::flag(
    "ties",
    true,
    "let facts that agree in an argument share a weight during the fit, such as pieces of one kind",
);

const SYMMETRIES: TypedOption<bool> = TypedOption::flag(
    "symmetries",
    true,
    "let facts and conjunctions share a weight if a symmetry of the game, such as a reflection of the board, maps them to \
     each other",
);

/// The parameters of learned functions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LearnedParameters {
    /// The work of games and fits, in units of about a second of one processor: 1 to 1,000,000.
    pub work: u64,
    /// The number of rounds that share the work: 1 to 1,000.
    pub rounds: u32,
    /// The most pairs of facts with a weight of their own: 0 to 100,000.
    pub pairs: u32,
    /// The most triples of facts with a weight of their own: 0 to 100,000.
    pub triples: u32,
    /// The most parts of goal and terminal conditions whose missing places are free, with a weight of their own: 0 to
    /// 100,000. With 0, no conjunction requires that a fact is absent.
    pub open: u32,
    /// λ of TD(λ), from 0 to 1.
    pub lambda: f64,
    /// The probability that a move is drawn at random, from 0 to 1.
    pub noise: f64,
    /// The ridge penalty, which draws weights to 0: from 0 to 1.
    pub ridge: f64,
    /// The number of plies of lookahead in the games that are learned from: 1 or 2.
    pub plies: u32,
    /// Whether weights may depend on whose turn it is.
    pub turns: bool,
    /// Whether facts that agree in arguments share a weight during the fit.
    pub ties: bool,
    /// Whether facts and conjunctions that symmetries map to each other share a weight.
    pub symmetries: bool,
    /// The seed of the games.
    pub seed: u64,
}

impl Default for LearnedParameters {
    fn default() -> LearnedParameters {
        LearnedParameters::of(&OptionValues::default(), 1)
    }
}

/// A parameter is outside its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("`{name}` is {value}; it must be {expected}")]
pub struct LearnedParameterError {
    /// The name of the parameter.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// The expected range.
    pub expected: String,
}

impl LearnedParameters {
    pub(in crate::evaluation) fn options() -> Vec<OptionEntry> {
        let counts = [WORK, ROUNDS, PAIRS, TRIPLES, OPEN, PLIES];
        let shares = [LAMBDA, NOISE, RIDGE];
        let numbers = counts.iter().map(TypedOption::entry).chain(shares.iter().map(TypedOption::entry));
        numbers.chain([TURNS.entry(), TIES.entry(), SYMMETRIES.entry()]).collect()
    }

    /// The parameters that options set, with a seed.
    pub(in crate::evaluation) fn of(given: &OptionValues, seed: u64) -> LearnedParameters {
        LearnedParameters {
            work: given.get(&WORK),
            rounds: given.get(&ROUNDS) as u32,
            pairs: given.get(&PAIRS) as u32,
            triples: given.get(&TRIPLES) as u32,
            open: given.get(&OPEN) as u32,
            lambda: given.get(&LAMBDA),
            noise: given.get(&NOISE),
            ridge: given.get(&RIDGE),
            plies: given.get(&PLIES) as u32,
            turns: given.get(&TURNS),
            ties: given.get(&TIES),
            symmetries: given.get(&SYMMETRIES),
            seed,
        }
    }

    /// Checks the ranges.
    ///
    /// # Errors
    /// The first parameter that is outside its range.
    pub fn validate(&self) -> Result<(), LearnedParameterError> {
        let counts = [
            (WORK, self.work),
            (ROUNDS, self.rounds.into()),
            (PAIRS, self.pairs.into()),
            (TRIPLES, self.triples.into()),
            (OPEN, self.open.into()),
            (PLIES, self.plies.into()),
        ];
        let shares = [(LAMBDA, self.lambda), (NOISE, self.noise), (RIDGE, self.ridge)];
        let count = counts.iter().find(|(option, value)| !option.allows(*value));
        let count = count.map(|(option, value)| (option.name(), *value as f64, option.expected()));
        let share = shares.iter().find(|(option, value)| !option.allows(*value));
        let share = share.map(|(option, value)| (option.name(), *value, option.expected()));
        match count.or(share) {
            Some((name, value, expected)) => Err(LearnedParameterError { name, value, expected }),
            None => Ok(()),
        }
    }
}

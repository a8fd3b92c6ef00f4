//! Parameters of learned functions, with their checks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::catalog::{OptionEntry, OptionValues, TypedOption};

const WORK: TypedOption<u64> = TypedOption::integer(
    "work",
    30,
    [1, 1_000_000],
    "",
    "how much is played and fitted; 1 takes about a second of one processor",
);
const ROUNDS: TypedOption<u64> = TypedOption::integer(
    "rounds",
    12,
    [1, 1_000],
    "",
    "rounds of play and fitting that the work is shared out to",
);
const PAIRS: TypedOption<u64> = TypedOption::integer(
    "pairs",
    1_000,
    [0, 100_000],
    "",
    "pairs of facts with a weight of their own at most",
);
const TRIPLES: TypedOption<u64> = TypedOption::integer(
    "triples",
    1_000,
    [0, 100_000],
    "",
    "threes of facts with a weight of their own at most",
);
const OPEN: TypedOption<u64> = TypedOption::integer(
    "open",
    2_000,
    [0, 100_000],
    "",
    "parts of what goals and ends ask for that have a weight where the places of the missing facts are free, at most; 0: no \
     conjunction asks that something is not there",
);
const LAMBDA: TypedOption<f64> = TypedOption::real(
    "lambda",
    0.9,
    [0.0, 1.0],
    "",
    "how much of a state's target comes from further on than the next state; 1 for the outcome alone",
);
const NOISE: TypedOption<f64> =
    TypedOption::real("noise", 0.1, [0.0, 1.0], "", "the chance that a move is drawn at random");
const RIDGE: TypedOption<f64> = TypedOption::real(
    "ridge",
    1e-5,
    [0.0, 1.0],
    "",
    "how strongly weights are drawn to 0, for each state seen",
);

const PLIES: TypedOption<u64> = TypedOption::integer(
    "plies",
    2,
    [1, 2],
    "",
    "plies looked ahead in the games that are learned from, where lanes value states: 2 in games of one player, and of two of \
     whom one gets what the other does not",
);

const TURNS: TypedOption<bool> = TypedOption::flag(
    "turns",
    true,
    "weights that differ by whose turn it is, if they predict held-out states better",
);

const TIES: TypedOption<bool> = TypedOption::flag(
    "ties",
    true,
    "facts that agree in an argument have a weight in common while weights are fitted, as pieces of a kind or of a row",
);

const SYMMETRIES: TypedOption<bool> = TypedOption::flag(
    "symmetries",
    true,
    "facts and conjunctions that symmetries of the game take to each other, as reflections of a board or a change of sides do, have \
     one weight",
);

/// What a learned function can be tuned by.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LearnedParameters {
    /// How much is played and fitted, in units that take about a second of one processor: 1 to 1,000,000.
    pub work: u64,
    /// Rounds that the work is shared out to: 1 to 1,000.
    pub rounds: u32,
    /// Pairs of facts with a weight of their own at most: 0 to 100,000.
    pub pairs: u32,
    /// Threes of facts with a weight of their own at most: 0 to 100,000.
    pub triples: u32,
    /// Parts of what goals and ends ask for, with places that are free, with a weight of their own at most: 0 to 100,000; 0: no
    /// conjunction asks that something is not there.
    pub open: u32,
    /// λ of TD(λ), 0 to 1.
    pub lambda: f64,
    /// The chance that a move is drawn at random, 0 to 1.
    pub noise: f64,
    /// How strongly weights are drawn to 0, 0 to 1.
    pub ridge: f64,
    /// Plies looked ahead in the games that are learned from: 1 or 2.
    pub plies: u32,
    /// Whether weights may differ by whose turn it is.
    pub turns: bool,
    /// Whether facts that agree in arguments have weights in common while weights are fitted.
    pub ties: bool,
    /// Whether what symmetries of the game take to each other has one weight.
    pub symmetries: bool,
    /// Seed of the games.
    pub seed: u64,
}

impl Default for LearnedParameters {
    fn default() -> LearnedParameters {
        LearnedParameters::of(&OptionValues::default(), 1)
    }
}

/// A parameter outside its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("`{name}` is {value}; it must be {expected}")]
pub struct LearnedParameterError {
    /// Which.
    pub name: &'static str,
    /// What it is.
    pub value: f64,
    /// What was expected.
    pub expected: String,
}

impl LearnedParameters {
    /// The options that set them.
    pub(in crate::evaluation) fn options() -> Vec<OptionEntry> {
        let counts = [WORK, ROUNDS, PAIRS, TRIPLES, OPEN, PLIES];
        let shares = [LAMBDA, NOISE, RIDGE];
        let numbers = counts.iter().map(TypedOption::entry).chain(shares.iter().map(TypedOption::entry));
        numbers.chain([TURNS.entry(), TIES.entry(), SYMMETRIES.entry()]).collect()
    }

    /// The parameters that options stand for, with a seed.
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
    /// The first parameter outside its range.
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

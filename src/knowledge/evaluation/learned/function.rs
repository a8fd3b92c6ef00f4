//! A learned function: complete in itself, so that a document can carry it.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::feature::{Facts, FeatureError, FluentIndex, Measure, Quantized, Spec, ValuedState};
use crate::ground::Lit;
use crate::machine::lanes::value::{Atom, LaneValue, Sum, rounded_constant};
use crate::machine::{FluentId, Machine};
use crate::statistics::regression::sigmoid;

use super::conjunctions::{Bits, Conjunctions, MOST_BITS, has};
use super::nearby::Nearby;
use super::none_of::NoneOf;
use super::parameters::{LearnedParameterError, LearnedParameters};

/// Terms that a formula for reading has.
const TOLD: usize = 30;

/// Facts that have to hold, and facts that must not, in a term at most.
const FACTS: usize = MOST_BITS - 1;
const NONE_OF: usize = 1_000;

/// A weighted sum of conjunctions of facts, as a share of the goal value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearnedFunction {
    /// The role whose goal value is estimated.
    pub role: String,
    /// How it was learned.
    pub parameters: LearnedParameters,
    /// The least and the greatest goal value of the role: what a share of 0 and of 1 stand for.
    pub rewards: [i32; 2],
    /// What the rounds of learning came to.
    pub rounds: Vec<LearningRound>,
    /// The log-odds of a state in which no term holds.
    pub constant: f64,
    /// Whose turn it is, where weights differ by that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<LearnedTurn>,
    /// The terms, those that change values most first.
    pub terms: Vec<LearnedTerm>,
}

/// A fact that tells whose turn it is: where it holds, terms weigh what they gain besides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearnedTurn {
    /// The fact, as in the rules.
    pub fact: String,
    /// What is added to the log-odds where it holds, whatever terms do.
    pub gain: f64,
}

/// Facts that hold together, and facts of which none holds then, with a weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearnedTerm {
    /// What it adds to the log-odds.
    pub weight: f64,
    /// What it adds besides where the fact of the turn holds.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub gain: f64,
    /// The share of states learned from in which it holds, 0 to 1.
    pub support: f64,
    /// The facts that hold, as in the rules: six at most.
    pub facts: Vec<String>,
    /// Facts of which none holds, as in the rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub none: Vec<String>,
}

/// What one round of learning came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearningRound {
    /// Games played in it.
    pub games: u64,
    /// States that weights were fitted to, those of earlier rounds included.
    pub states: u64,
    /// Weights, meaned over the roles.
    pub weights: u64,
    /// The share of the variance of targets that they explain on games kept back, meaned over the roles that have one; 1 at
    /// most.
    pub explained: Option<f64>,
    /// How much more of its goal value (0 to 1) a role has with it than with the functions before, where the others follow
    /// these, meaned over the roles.
    pub gain: f64,
    /// The standard error of that.
    pub standard_error: f64,
    /// Whether the functions of this round replaced those before.
    pub kept: bool,
}

/// Why a learned function can't be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LearnedError {
    /// The parameters.
    #[error(transparent)]
    Parameters(#[from] LearnedParameterError),
    /// The role does not fit the game.
    #[error(transparent)]
    Feature(#[from] FeatureError),
    /// A term does not fit the game.
    #[error("term {number}: {error}")]
    Term {
        /// Which, from 1.
        number: usize,
        /// What is wrong.
        error: FeatureError,
    },
    /// A term of no facts, of too many, or of one with variables.
    #[error(
        "term {number} has to have different facts without variables: {FACTS} that hold at most, {NONE_OF} of which none does, and \
         one in all at least"
    )]
    Facts {
        /// Which, from 1.
        number: usize,
    },
    /// The fact of the turn is none of the game's.
    #[error("`turn`: the game has no fact {0}; it must be one without variables")]
    Turn(String),
    /// A number that can't be computed with.
    #[error("{place} is {value}; it must be {expected}")]
    Number {
        /// Where it stands.
        place: String,
        /// What it is.
        value: f64,
        /// What was expected.
        expected: &'static str,
    },
    /// The game is played without a network.
    #[error("a learned function needs a game with a network, and this one is played without")]
    NoNetwork,
}

impl LearnedFunction {
    /// The goal value that log-odds stand for.
    pub fn goal(&self, sum: f64) -> f64 {
        let [least, most] = self.rewards.map(f64::from);
        least + (most - least) * sigmoid(sum)
    }

    /// The least and the greatest goal value.
    pub fn range(&self) -> [f64; 2] {
        self.rewards.map(f64::from)
    }

    /// What it computes, in KIF terms: the terms that change values most.
    pub fn formula(&self) -> String {
        let [least, most] = self.rewards;
        let mut formula = format!("{:.3}", self.constant);
        for term in self.terms.iter().take(TOLD) {
            let sign = if term.weight < 0.0 { '-' } else { '+' };
            formula.push_str(&match term.gain {
                0.0 => format!(" {sign} {:.3} * {}", term.weight.abs(), term.text()),
                gain => format!(" + ({:.3} {gain:+.3} * turn) * {}", term.weight, term.text()),
            });
        }
        if self.terms.len() > TOLD {
            formula.push_str(&format!(" + {} more terms", self.terms.len() - TOLD));
        }
        format!("{least} + {} * sigmoid({formula})", most - least)
    }

    /// Checks every number.
    ///
    /// # Errors
    /// A parameter is outside its range, or a number can't be computed with.
    pub fn validate(&self) -> Result<(), LearnedError> {
        /// So that sums never pass the range of numbers.
        const GREATEST: f64 = 1e9;
        self.parameters.validate()?;
        let check = |place: String, value: f64| match value.abs() <= GREATEST {
            true => Ok(()),
            false => Err(LearnedError::Number { place, value, expected: "a number from -1e9 to 1e9" }),
        };
        check("`constant`".to_owned(), self.constant)?;
        if let Some(turn) = &self.turn {
            check("`gain` of `turn`".to_owned(), turn.gain)?;
        }
        for (number, term) in (1..).zip(&self.terms) {
            check(format!("`weight` of term {number}"), term.weight)?;
            check(format!("`gain` of term {number}"), term.gain)?;
            let all = term.facts.len() + term.none.len();
            let different: BTreeSet<&String> = term.facts.iter().chain(&term.none).collect();
            if all == 0 || term.facts.len() > FACTS || term.none.len() > NONE_OF || different.len() != all {
                return Err(LearnedError::Facts { number });
            }
        }
        Ok(())
    }

    /// Makes it ready for a machine, after checking every part.
    ///
    /// # Errors
    /// A part does not fit the game, or is a number that can't be computed with.
    pub fn bind(&self, machine: &dyn Machine) -> Result<BoundLearned, LearnedError> {
        self.validate()?;
        let network = machine.network().ok_or(LearnedError::NoNetwork)?;
        let fluent_index = FluentIndex::new(machine);
        fluent_index.role(&self.role)?;
        let bit = |number: usize, fact: &String| match machine.fluent_named(fact) {
            Some(fluent) => Ok(fluent.0),
            None => Err(match (Spec::Count { pattern: fact.clone() }).bind_with(&fluent_index) {
                Err(error) => LearnedError::Term { number, error },
                Ok(_) => LearnedError::Facts { number },
            }),
        };
        let bits = |number: usize, facts: &[String]| {
            facts.iter().map(|fact| bit(number, fact)).collect::<Result<Vec<u32>, LearnedError>>()
        };
        let numbered = || (1..).zip(&self.terms);
        let none = numbered()
            .map(|(number, term)| Ok((bits(number, &term.none)?, MOST_BITS - term.facts.len())))
            .collect::<Result<Vec<(Vec<u32>, usize)>, LearnedError>>()?;
        let (none_of, groups) = NoneOf::parted(network.fluents.len().div_ceil(64), &none);
        let mut support = vec![0; none_of.words() * 64];
        let mut list: Vec<Bits> = Vec::with_capacity(self.terms.len());
        for ((number, term), groups) in numbered().zip(groups) {
            let mut bits = bits(number, &term.facts)?;
            bits.extend(groups.iter().map(|&group| none_of.bit_of(group)));
            bits.sort_unstable();
            if let [bit] = bits[..] {
                // In thousandths of a millionth, to tell which fact is the rarest.
                support[bit as usize] = (term.support * 1e9) as u64;
            }
            list.push(bits.into());
        }
        let both = |weight: f64, gain: f64| [on_grid(weight), on_grid(weight) + on_grid(gain)];
        let turn = match &self.turn {
            None => None,
            Some(turn) => {
                Some(machine.fluent_named(&turn.fact).ok_or_else(|| LearnedError::Turn(turn.fact.clone()))?)
            }
        };
        let gain = self.turn.as_ref().map_or(0.0, |turn| turn.gain);
        let conjunctions = Conjunctions::new(list, &support);
        let [least, most] = self.range();
        Ok(BoundLearned {
            none_of,
            // What a literal of the network is called by, where a fact can come and go at all.
            bit_of: network.fluents.iter().map(|fluent| fluent.bit).collect(),
            words: Vec::new(),
            conjunctions,
            turn,
            weights: self.terms.iter().map(|term| both(term.weight, term.gain)).collect(),
            constants: both(self.constant, gain),
            nearby: Nearby::default(),
            least,
            span: most - least,
        })
    }
}

impl LearnedTerm {
    /// What has to hold: its facts, and that none of the others does.
    pub fn parts(&self) -> Vec<String> {
        let none = self.none.iter().map(|fact| format!("(not {fact})"));
        self.facts.iter().cloned().chain(none).collect()
    }

    /// Its parts as one expression.
    pub fn text(&self) -> String {
        match &self.parts()[..] {
            [part] => part.clone(),
            parts => format!("(and {})", parts.join(" ")),
        }
    }
}

/// A number rounded to a multiple of 2^-24, so that sums are exact and don't depend on the order of terms.
fn on_grid(value: f64) -> f64 {
    const STEPS: f64 = (1 << 24) as f64;
    (value * STEPS).round() / STEPS
}

/// Whether a number is 0, so that it needn't be written down.
fn is_nothing(number: &f64) -> bool {
    *number == 0.0
}

/// A learned function made ready for a machine.
#[derive(Clone)]
pub struct BoundLearned {
    none_of: NoneOf,
    /// For each fluent its bit in states, where it varies.
    bit_of: Vec<Option<u32>>,
    /// A state with the bits of groups.
    words: Vec<u64>,
    conjunctions: Conjunctions,
    /// The fact of the turn, where weights differ by it.
    turn: Option<FluentId>,
    /// Weights of the terms, and what is added to them: where the fact of the turn does not hold, and where it does.
    weights: Vec<[f64; 2]>,
    constants: [f64; 2],
    /// The state valued last.
    nearby: Nearby,
    least: f64,
    span: f64,
}

/// The sum of a side as lanes compute it; its weights and its constant are rounded for that. `atoms` says what a bit asks.
fn in_lanes(
    conjunctions: &Conjunctions,
    atoms: &dyn Fn(u32) -> Vec<Atom>,
    (weights, constants): (&mut [[f64; 2]], &mut [f64; 2]),
    side: usize,
) -> LaneValue {
    let unit = Sum::unit(weights.iter().map(|both| both[side]));
    let constant = &mut constants[side];
    let rounded = rounded_constant(*constant, unit);
    let mut error = (rounded - *constant).abs();
    let mut sum = Sum { constant: rounded, weights: Vec::with_capacity(weights.len()) };
    for (weight, bits) in weights.iter_mut().map(|both| &mut both[side]).zip(conjunctions.list()) {
        let near = (*weight / unit).round() * unit;
        error += (near - *weight).abs();
        *weight = near;
        if near != 0.0 {
            let all = bits.iter().flat_map(|&bit| atoms(bit)).collect();
            sum.weights.push((Atom::All(all), near));
        }
    }
    *constant = rounded;
    LaneValue::of(sum, error)
}

impl BoundLearned {
    /// The numbers of the terms that hold, ascending.
    pub fn holding(&self, facts: &Facts) -> Vec<usize> {
        let mut holding = Vec::new();
        self.conjunctions.each(&self.none_of.extended(facts.words()), |term| holding.push(term as usize));
        holding.sort_unstable();
        holding
    }

    /// Whether the fact of the turn holds, where weights differ by it.
    pub fn turn(&self, facts: &Facts) -> Option<bool> {
        self.turn.map(|turn| has(facts.words(), turn.0))
    }
}

impl<'m> Measure<'m> for BoundLearned {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        self.words.clear();
        self.none_of.extend(position.facts.words(), &mut self.words);
        let side = usize::from(self.turn.is_some_and(|turn| has(&self.words, turn.0)));
        let sums = self.nearby.sums(&self.conjunctions, &self.weights, &self.words);
        self.least + self.span * sigmoid(self.constants[side] + sums[side])
    }

    fn facts_suffice(&self) -> bool {
        true
    }

    fn quantize(&self) -> Option<Quantized<'m>> {
        let mut quantized = self.clone();
        let (none_of, bit_of) = (&self.none_of, &self.bit_of);
        let absent = |&fluent: &u32| match bit_of[fluent as usize] {
            Some(bit) => Atom::Gate(!Lit::of(bit + 1)),
            // What always holds is never absent.
            None => Atom::Gate(Lit::FALSE),
        };
        let atoms = |bit: u32| match none_of.group(bit) {
            Some(group) => group.iter().map(absent).collect(),
            None => vec![Atom::Fact(FluentId(bit))],
        };
        quantized.nearby.forget();
        let (weights, constants) = (&mut quantized.weights, &mut quantized.constants);
        let mut side = |side: usize| in_lanes(&self.conjunctions, &atoms, (weights, constants), side);
        let mut value = side(0);
        if let Some(turn) = self.turn {
            value = value.other_where(turn, side(1));
        }
        let (least, span) = (self.least, self.span);
        // Nowhere is the share steeper than a quarter.
        let lanes = value.map(span.abs() / 4.0, move |sum| least + span * sigmoid(sum));
        Some(Quantized { measure: Box::new(quantized), lanes })
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        let all = self.conjunctions.list().iter().flatten();
        let first = self.none_of.bit_of(0);
        let none = self.none_of.groups().iter().flatten();
        let facts = all.filter(|&&bit| bit < first).chain(none).map(|&fluent| FluentId(fluent));
        Some(facts.chain(self.turn).collect())
    }
}

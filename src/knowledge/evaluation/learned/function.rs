//! A learned function, with all data that a document needs.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::feature::{Facts, FeatureError, FluentIndex, Measure, QuantizedMeasure, Spec, ValuedState};
use crate::ground::Lit;
use crate::machine::lanes::value::{Atom, LaneValue, Sum, rounded_constant};
use crate::machine::{FluentId, Machine};
use crate::statistics::regression::sigmoid;

use super::model::conjunctions::{Bits, Conjunctions, MOST_BITS, has};
use super::model::incremental_sum::IncrementalSum;
use super::model::none_of::NoneOf;
use super::model::{Model, effect};
use super::parameters::{LearnedParameterError, LearnedParameters};
use super::task::Task;

/// The most terms of a formula for reading.
const FORMULA_TERMS: usize = 30;

/// The most facts of a term that must hold, and the most that must not.
const FACTS: usize = MOST_BITS - 1;
const NONE_OF: usize = 1_000;

/// Terms with smaller weights are left out.
const LEAST_WEIGHT: f64 = 1e-4;

/// A weighted sum of conjunctions of facts, as a share of the goal value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearnedFunction {
    /// The role whose goal value is estimated.
    pub role: String,
    /// How it was learned.
    pub parameters: LearnedParameters,
    /// The least and the greatest goal value of the role: the values of a share of 0 and of 1.
    pub rewards: [i32; 2],
    /// The results of the rounds of learning.
    pub rounds: Vec<LearningRound>,
    /// The log-odds of a state in which no term is true.
    pub constant: f64,
    /// A fact that shows whose turn it is, if weights depend on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<LearnedTurn>,
    /// The terms, those that change values most first.
    pub terms: Vec<LearnedTerm>,
}

/// A fact that shows whose turn it is: if it holds, the gain of a term is added to its weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearnedTurn {
    /// The fact, as in the rules.
    pub fact: String,
    /// What is added to the constant if the fact holds.
    pub gain: f64,
}

/// A weighted conjunction: facts that hold, and facts that do not hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearnedTerm {
    /// The amount that it adds to the log-odds of a state in which it is true.
    pub weight: f64,
    /// What is added to the weight if the fact of the turn holds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gain: f64,
    /// The share of the samples in which it is true, 0 to 1.
    pub support: f64,
    /// The facts that hold, as in the rules: at most six.
    pub facts: Vec<String>,
    /// Facts, written as in the rules; none of these holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub none: Vec<String>,
}

/// The result of a round of learning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearningRound {
    /// Games played in it.
    pub games: u64,
    /// Samples that weights were fitted to, with those of earlier rounds.
    pub states: u64,
    /// The number of weights (mean over the roles).
    pub weights: u64,
    /// The share of the targets' variance that they explain on held-out games (mean over the roles), at most 1.
    pub explained: Option<f64>,
    /// The mean increase of a player's goal value (as a share, -1 to 1) if it follows its new function and all others
    /// follow the old ones, over the players.
    pub gain: f64,
    /// The standard error of the gain.
    pub standard_error: f64,
    /// Whether the new functions replaced the old ones.
    pub kept: bool,
}

/// The reason why a learned function can't be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LearnedError {
    /// A parameter is invalid.
    #[error(transparent)]
    Parameters(#[from] LearnedParameterError),
    /// The role does not fit the game.
    #[error(transparent)]
    Feature(#[from] FeatureError),
    /// A term does not fit the game.
    #[error("term {number}: {error}")]
    Term {
        /// The number of the term, from 1.
        number: usize,
        /// The fault.
        error: FeatureError,
    },
    /// A term has no facts, too many facts, or a fact with variables.
    #[error(
        "term {number} needs at least one fact, at most {FACTS} in `facts` and {NONE_OF} in `none`; all must be different and \
         without variables"
    )]
    Facts {
        /// The number of the term, from 1.
        number: usize,
    },
    /// The game does not have the fact of the turn.
    #[error("`turn`: the game has no fact {0}; use a fact without variables")]
    Turn(String),
    /// A number is not finite, or outside its range.
    #[error("{place} is {value}; it must be {expected}")]
    Number {
        /// Its place in the document.
        place: String,
        /// Its value.
        value: f64,
        /// The expected range.
        expected: &'static str,
    },
    /// The game is played without a network.
    #[error("a learned function needs a propositional network, and this game is played without one")]
    NoNetwork,
}

impl LearnedFunction {
    /// The function of a role's model, with facts as text; none if no term has a weight. `support` is the share of
    /// states in which each conjunction is true.
    pub(super) fn of_model(
        model: &Model,
        support: &[f64],
        role: usize,
        task: &Task<'_>,
        rounds: &[LearningRound],
    ) -> Option<LearnedFunction> {
        let Task { machine, network, parameters, rewards, .. } = task;
        let fact = |bit: u32| machine.fluent_text(FluentId(network.bits[bit as usize]));
        let mut terms: Vec<LearnedTerm> = Vec::new();
        for (number, (bits, &support)) in model.conjunctions.list().iter().zip(support).enumerate() {
            let (weight, gain) = (model.weights[number], model.gain(number));
            if weight.abs().max((weight + gain).abs()) >= LEAST_WEIGHT {
                let (mut facts, mut none) = (Vec::new(), Vec::new());
                for &bit in bits {
                    match model.none_of.group(bit) {
                        Some(group) => none.extend(group.iter().map(|&bit| fact(bit))),
                        None => facts.push(fact(bit)),
                    }
                }
                // Groups may share facts.
                none.sort_unstable();
                none.dedup();
                terms.push(LearnedTerm { weight, gain, support, facts, none });
            }
        }
        if terms.is_empty() {
            return None;
        }
        let effect = |term: &LearnedTerm| effect(term.weight, term.gain, term.support);
        terms.sort_by(|a, b| effect(b).total_cmp(&effect(a)));
        let turn = model.turn.as_ref();
        Some(LearnedFunction {
            role: machine.term_text(machine.description().roles[role]),
            parameters: **parameters,
            rewards: rewards[role],
            rounds: rounds.to_vec(),
            constant: model.constant,
            turn: turn.map(|turn| LearnedTurn { fact: fact(turn.bit), gain: turn.constant }),
            terms,
        })
    }

    /// The goal value of log-odds.
    pub fn goal(&self, sum: f64) -> f64 {
        let [least, most] = self.rewards.map(f64::from);
        least + (most - least) * sigmoid(sum)
    }

    /// The least and the greatest goal value.
    pub fn range(&self) -> [f64; 2] {
        self.rewards.map(f64::from)
    }

    /// The function as a formula in KIF terms: the terms that change values most.
    pub fn formula(&self) -> String {
        let [least, most] = self.rewards;
        let mut formula = format!("{:.3}", self.constant);
        for term in self.terms.iter().take(FORMULA_TERMS) {
            let sign = if term.weight < 0.0 { '-' } else { '+' };
            formula.push_str(&match term.gain {
                0.0 => format!(" {sign} {:.3} * {}", term.weight.abs(), term.text()),
                gain => format!(" + ({:.3} {gain:+.3} * turn) * {}", term.weight, term.text()),
            });
        }
        if self.terms.len() > FORMULA_TERMS {
            formula.push_str(&format!(" + {} more terms", self.terms.len() - FORMULA_TERMS));
        }
        format!("{least} + {} * sigmoid({formula})", most - least)
    }

    /// Checks every number.
    ///
    /// # Errors
    /// A parameter or another number is outside its range.
    pub fn validate(&self) -> Result<(), LearnedError> {
        /// The greatest absolute value of a weight: sums stay finite.
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

    /// Makes the function runnable on a machine, after checking every part.
    ///
    /// # Errors
    /// A part does not fit the game, or a number is outside its range.
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
        let (none_of, groups) = NoneOf::partition(network.fluents.len().div_ceil(64), &none);
        let mut support = vec![0; none_of.words() * 64];
        let mut list: Vec<Bits> = Vec::with_capacity(self.terms.len());
        for ((number, term), groups) in numbered().zip(groups) {
            let mut bits = bits(number, &term.facts)?;
            bits.extend(groups.iter().map(|&group| none_of.bit_of(group)));
            bits.sort_unstable();
            if let [bit] = bits[..] {
                // Only the order of these numbers matters; it determines the rarest fact.
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
            // Facts that never change have no bit.
            bit_of: network.fluents.iter().map(|fluent| fluent.bit).collect(),
            words: Vec::new(),
            conjunctions,
            turn,
            weights: self.terms.iter().map(|term| both(term.weight, term.gain)).collect(),
            constants: both(self.constant, gain),
            sum: IncrementalSum::default(),
            least,
            span: most - least,
        })
    }
}

impl LearnedTerm {
    /// Its condition: its facts hold, and none of the facts in `none` holds.
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

/// A number rounded to a multiple of 2^-24: sums of such numbers are exact, so they don't depend on the order of terms.
fn on_grid(value: f64) -> f64 {
    const STEPS: f64 = (1 << 24) as f64;
    (value * STEPS).round() / STEPS
}

/// Whether documents omit a number.
fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

/// A learned function bound to a machine.
#[derive(Clone)]
pub struct BoundLearned {
    none_of: NoneOf,
    /// For each fluent its bit in states, if it varies.
    bit_of: Vec<Option<u32>>,
    /// A state with the bits of groups.
    words: Vec<u64>,
    conjunctions: Conjunctions,
    /// The fact that shows whose turn it is, if weights depend on it.
    turn: Option<FluentId>,
    /// For each term its weight, and the constant: first if the fact of the turn does not hold, then if it does.
    weights: Vec<[f64; 2]>,
    constants: [f64; 2],
    sum: IncrementalSum,
    least: f64,
    span: f64,
}

/// The sum of a side as lanes compute it. Rounds the side's weights and constant. `atoms` gives the condition of a bit.
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
    /// The numbers of the terms that are true, ascending.
    pub fn true_terms(&self, facts: &Facts) -> Vec<usize> {
        let mut terms = Vec::new();
        let words = self.none_of.extended(facts.words());
        self.conjunctions.for_each_true(&words, |term| terms.push(term as usize));
        terms.sort_unstable();
        terms
    }

    /// Whether the fact of the turn holds; none if weights don't depend on it.
    pub fn turn(&self, facts: &Facts) -> Option<bool> {
        self.turn.map(|turn| has(facts.words(), turn.0))
    }
}

impl<'m> Measure<'m> for BoundLearned {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        self.words.clear();
        self.none_of.extend(position.facts.words(), &mut self.words);
        let side = usize::from(self.turn.is_some_and(|turn| has(&self.words, turn.0)));
        let sums = self.sum.sums(&self.conjunctions, &self.weights, &self.words);
        self.least + self.span * sigmoid(self.constants[side] + sums[side])
    }

    fn facts_suffice(&self) -> bool {
        true
    }

    fn quantize(&self) -> Option<QuantizedMeasure<'m>> {
        let mut quantized = self.clone();
        let (none_of, bit_of) = (&self.none_of, &self.bit_of);
        let absent = |&fluent: &u32| match bit_of[fluent as usize] {
            Some(bit) => Atom::Gate(!Lit::of(bit + 1)),
            // A fact without a bit always holds.
            None => Atom::Gate(Lit::FALSE),
        };
        let atoms = |bit: u32| match none_of.group(bit) {
            Some(group) => group.iter().map(absent).collect(),
            None => vec![Atom::Fact(FluentId(bit))],
        };
        quantized.sum.reset();
        let (weights, constants) = (&mut quantized.weights, &mut quantized.constants);
        let mut side = |side: usize| in_lanes(&self.conjunctions, &atoms, (weights, constants), side);
        let mut value = side(0);
        if let Some(turn) = self.turn {
            value = value.other_where(turn, side(1));
        }
        let (least, span) = (self.least, self.span);
        // The greatest slope of `sigmoid` is a quarter.
        let lanes = value.map(span.abs() / 4.0, move |sum| least + span * sigmoid(sum));
        Some(QuantizedMeasure { measure: Box::new(quantized), lanes })
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        let all = self.conjunctions.list().iter().flatten();
        let first = self.none_of.bit_of(0);
        let none = self.none_of.groups().iter().flatten();
        let facts = all.filter(|&&bit| bit < first).chain(none).map(|&fluent| FluentId(fluent));
        Some(facts.chain(self.turn).collect())
    }
}

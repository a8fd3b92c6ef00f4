//! A learned function: complete in itself, so that a document can carry it.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::feature::{Facts, FeatureError, FluentIndex, Measure, Spec, ValuedState};
use crate::machine::lanes::value::{Atom, LaneValue, Sum, rounded_constant};
use crate::machine::{FluentId, Machine};
use crate::statistics::regression::sigmoid;

use super::conjunctions::{Bits, Conjunctions};
use super::parameters::{LearnedParameterError, LearnedParameters};

/// Terms that a formula for reading has.
const TOLD: usize = 30;

/// Facts that a term may have.
const FACTS: usize = 3;

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
    /// The terms, those that change values most first.
    pub terms: Vec<LearnedTerm>,
}

/// One to three facts that hold together, with a weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearnedTerm {
    /// What it adds to the log-odds.
    pub weight: f64,
    /// The share of states learned from in which it holds, 0 to 1.
    pub support: f64,
    /// The facts, as in the rules.
    pub facts: Vec<String>,
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
    #[error("term {number} has to have one to {FACTS} different facts without variables")]
    Facts {
        /// Which, from 1.
        number: usize,
    },
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
        let mut formula = format!("{least} + {} * sigmoid({:.3}", most - least, self.constant);
        for term in self.terms.iter().take(TOLD) {
            let sign = if term.weight < 0.0 { '-' } else { '+' };
            formula.push_str(&format!(" {sign} {:.3} * {}", term.weight.abs(), term.text()));
        }
        if self.terms.len() > TOLD {
            formula.push_str(&format!(" + {} more terms", self.terms.len() - TOLD));
        }
        formula.push(')');
        formula
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
        for (number, term) in (1..).zip(&self.terms) {
            check(format!("`weight` of term {number}"), term.weight)?;
            let different: BTreeSet<&String> = term.facts.iter().collect();
            if term.facts.is_empty() || term.facts.len() > FACTS || different.len() != term.facts.len() {
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
        let mut support = vec![0; network.fluents.len().div_ceil(64) * 64];
        let mut list: Vec<Bits> = Vec::with_capacity(self.terms.len());
        for (number, term) in (1..).zip(&self.terms) {
            let mut bits = Vec::with_capacity(term.facts.len());
            for fact in &term.facts {
                let Some(fluent) = machine.fluent_named(fact) else {
                    let pattern = Spec::Count { pattern: fact.clone() };
                    return Err(match pattern.bind_with(&fluent_index) {
                        Err(error) => LearnedError::Term { number, error },
                        Ok(_) => LearnedError::Facts { number },
                    });
                };
                bits.push(fluent.0);
            }
            bits.sort_unstable();
            if let [bit] = bits[..] {
                // In thousandths of a millionth, to tell which fact is the rarest.
                support[bit as usize] = (term.support * 1e9) as u64;
            }
            list.push(bits.into());
        }
        let weights = self.terms.iter().map(|term| on_grid(term.weight)).collect();
        let conjunctions = Conjunctions::new(list, &support);
        let [least, most] = self.range();
        Ok(BoundLearned {
            conjunctions,
            weights,
            constant: on_grid(self.constant),
            least,
            span: most - least,
        })
    }
}

impl LearnedTerm {
    /// Its facts.
    pub fn text(&self) -> String {
        match &self.facts[..] {
            [fact] => fact.clone(),
            facts => format!("(and {})", facts.join(" ")),
        }
    }
}

/// A number rounded to a multiple of 2^-24, so that sums are exact and don't depend on the order of terms.
fn on_grid(value: f64) -> f64 {
    const STEPS: f64 = (1 << 24) as f64;
    (value * STEPS).round() / STEPS
}

/// A learned function made ready for a machine.
pub struct BoundLearned {
    conjunctions: Conjunctions,
    weights: Vec<f64>,
    constant: f64,
    least: f64,
    span: f64,
}

impl BoundLearned {
    /// The numbers of the terms that hold, ascending.
    pub fn holding(&self, facts: &Facts) -> Vec<usize> {
        let mut holding = Vec::new();
        self.conjunctions.each(facts.words(), |term| holding.push(term as usize));
        holding.sort_unstable();
        holding
    }
}

impl Measure for BoundLearned {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        let mut sum = self.constant;
        self.conjunctions.each(position.facts.words(), |term| sum += self.weights[term as usize]);
        self.least + self.span * sigmoid(sum)
    }

    fn facts_suffice(&self) -> bool {
        true
    }

    fn in_lanes(&mut self) -> Option<LaneValue> {
        let unit = Sum::unit(self.weights.iter().copied());
        let constant = rounded_constant(self.constant, unit);
        let mut error = (constant - self.constant).abs();
        let mut sum = Sum { constant, weights: Vec::with_capacity(self.weights.len()) };
        for (weight, bits) in self.weights.iter_mut().zip(self.conjunctions.list()) {
            let near = (*weight / unit).round() * unit;
            error += (near - *weight).abs();
            *weight = near;
            if near != 0.0 {
                let facts = bits.iter().map(|&fluent| Atom::Fact(FluentId(fluent)));
                sum.weights.push((Atom::All(facts.collect()), near));
            }
        }
        self.constant = constant;
        let (least, span) = (self.least, self.span);
        let value = LaneValue::of(sum, error);
        // Nowhere is the sigmoid steeper than a quarter.
        Some(value.map(span.abs() / 4.0, move |sum| least + span * sigmoid(sum)))
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        Some(self.conjunctions.list().iter().flatten().map(|&fluent| FluentId(fluent)).collect())
    }
}

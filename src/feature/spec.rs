//! What a feature is, in KIF terms alone: a document can carry it, and any load of the same game can run it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::machine::Machine;

use super::count::{Rule, Weighed, Weight};
use super::distance::Distances;
use super::error::FeatureError;
use super::fluent_index::FluentIndex;
use super::measure::Measure;
use super::mobility::Mobility;
use super::novelty::Changed;
use super::pattern::Pattern;
use super::shape::{Difference, Inverse, Total};

/// Specs stand in each other at most this deep.
const MAX_DEPTH: usize = 16;

/// A feature, complete: fluents as patterns such as `(cell ?x ?y red)`, orders as lists of elements, roles and moves
/// as they are written in the rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Spec {
    /// How many facts match a pattern: its number of solutions.
    Count {
        /// The pattern.
        pattern: String,
    },
    /// The index, along an order, of an argument of the one fact that matches.
    Index {
        /// The pattern.
        pattern: String,
        /// The argument, from 1.
        argument: usize,
        /// The elements from first (index 0) to last.
        order: Vec<String>,
        /// The value where no fact matches.
        absent: f64,
    },
    /// A sum of counts with weights.
    Sum {
        /// The counts.
        terms: Vec<Term>,
    },
    /// The sum of the Manhattan distances between every two of some pieces.
    Distance {
        /// For every piece the pattern of its facts.
        pieces: Vec<String>,
        /// The coordinates.
        axes: Vec<Coordinate>,
        /// The distance of two pieces one of which has no fact.
        absent: f64,
    },
    /// How many legal moves a role has, noops not counted.
    Moves {
        /// The role.
        role: String,
        /// The noops.
        noops: Vec<String>,
    },
    /// The share of facts that changed since a state: those that hold in one of the two only, among those that hold
    /// in either.
    Changed {
        /// The facts of the state compared with.
        since: Vec<String>,
        /// Patterns of facts that are left aside.
        without: Vec<String>,
    },
    /// The sum of features.
    Total {
        /// The features.
        of: Vec<Spec>,
    },
    /// The first feature minus the second.
    Difference {
        /// What counts.
        first: Box<Spec>,
        /// What is taken from it.
        second: Box<Spec>,
    },
    /// 1 / (1 + value).
    Inverse {
        /// The feature, nowhere negative.
        of: Box<Spec>,
    },
    /// The value of a role's fuzzy goal function. It can't be bound: the document of the function can.
    GoalProgress {
        /// The role.
        role: String,
        /// The name of the evaluation function.
        function: String,
    },
}

/// A weighted count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// The weight.
    pub weight: f64,
    /// The pattern whose facts are counted.
    pub pattern: String,
}

/// A coordinate of pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Coordinate {
    /// The argument, from 1.
    pub argument: usize,
    /// Its elements from first to last.
    pub order: Vec<String>,
}

impl Spec {
    /// Makes it ready for a machine.
    ///
    /// # Errors
    /// It does not fit the game: an unknown fluent, symbol or role, an argument that is not there.
    pub fn bind<'m>(&self, machine: &'m dyn Machine) -> Result<Box<dyn Measure + 'm>, FeatureError> {
        self.bind_with(&FluentIndex::new(machine))
    }

    /// The same with a vocabulary of the machine, which is worth making once where many specs are bound.
    ///
    /// # Errors
    /// Those of [`Spec::bind`].
    pub fn bind_with<'m>(
        &self,
        fluent_index: &FluentIndex<'m>,
    ) -> Result<Box<dyn Measure + 'm>, FeatureError> {
        self.bind_within(fluent_index, MAX_DEPTH)
    }

    fn bind_within<'m>(
        &self,
        fluent_index: &FluentIndex<'m>,
        depth: usize,
    ) -> Result<Box<dyn Measure + 'm>, FeatureError> {
        let depth = depth.checked_sub(1).ok_or(FeatureError::TooDeep { limit: MAX_DEPTH })?;
        if let Some(sum) = self.sum(depth)? {
            return Ok(Box::new(Weighed::new(sum, fluent_index)?));
        }
        Ok(match self {
            Spec::Count { .. } | Spec::Index { .. } | Spec::Sum { .. } => {
                unreachable!("these are sums over facts, which were bound above")
            }
            Spec::Distance { pieces, axes, absent } => {
                finite("distance", *absent)?;
                Box::new(Distances::new(pieces, axes, *absent, fluent_index)?)
            }
            Spec::Moves { role, noops } => Box::new(Mobility::new(role, noops, fluent_index)?),
            Spec::Changed { since, without } => Box::new(Changed::new(since, without, fluent_index)?),
            Spec::Total { of } => {
                let parts = of.iter().map(|part| part.bind_within(fluent_index, depth));
                Box::new(Total(parts.collect::<Result<_, _>>()?))
            }
            Spec::Difference { first, second } => Box::new(Difference(
                first.bind_within(fluent_index, depth)?,
                second.bind_within(fluent_index, depth)?,
            )),
            Spec::Inverse { of } => Box::new(Inverse(of.bind_within(fluent_index, depth)?)),
            Spec::GoalProgress { function, .. } => {
                return Err(FeatureError::Evaluation { function: function.clone() });
            }
        })
    }

    /// The feature as a constant and a sum over facts, where it is one.
    pub(super) fn as_sum(&self) -> Result<Option<(f64, Vec<Rule>)>, FeatureError> {
        self.sum(MAX_DEPTH)
    }

    fn sum(&self, depth: usize) -> Result<Option<(f64, Vec<Rule>)>, FeatureError> {
        let deeper = depth.checked_sub(1).ok_or(FeatureError::TooDeep { limit: MAX_DEPTH });
        Ok(match self {
            Spec::Count { pattern } => Some((0.0, vec![Rule::fixed(pattern, 1.0)?])),
            Spec::Sum { terms } => {
                let rule = |term: &Term| {
                    finite("weight", term.weight)?;
                    Rule::fixed(&term.pattern, term.weight)
                };
                Some((0.0, terms.iter().map(rule).collect::<Result<_, _>>()?))
            }
            Spec::Index { pattern, argument, order, absent } => {
                finite("value", *absent)?;
                let pattern = Pattern::parse(pattern)?;
                let place = argument_of(&pattern, *argument)?;
                let weights = index_of(order)?.into_iter();
                let weights = weights.map(|(element, index)| (element, index as f64 - absent)).collect();
                Some((*absent, vec![Rule { pattern, weight: Weight::Along(place, weights) }]))
            }
            Spec::Difference { first, second } => {
                let deeper = deeper?;
                let (Some(first), Some(second)) = (first.sum(deeper)?, second.sum(deeper)?) else {
                    return Ok(None);
                };
                let mut rules = first.1;
                rules.extend(second.1.into_iter().map(Rule::negated));
                Some((first.0 - second.0, rules))
            }
            Spec::Total { of } => {
                let deeper = deeper?;
                let (mut constant, mut rules) = (0.0, Vec::new());
                for part in of {
                    let Some(part) = part.sum(deeper)? else { return Ok(None) };
                    constant += part.0;
                    rules.extend(part.1);
                }
                Some((constant, rules))
            }
            _ => None,
        })
    }
}

/// An argument position, from 0.
pub(super) fn argument_of(pattern: &Pattern, argument: usize) -> Result<usize, FeatureError> {
    let place = argument.checked_sub(1).filter(|&place| place < pattern.arguments.len());
    place.ok_or_else(|| FeatureError::NoArgument { pattern: pattern.to_string(), argument })
}

/// The elements of an order with their places.
pub(super) fn index_of(
    order: &[String],
) -> Result<indexmap::IndexMap<String, usize, rustc_hash::FxBuildHasher>, FeatureError> {
    let mut places = indexmap::IndexMap::default();
    for (place, element) in order.iter().enumerate() {
        if places.insert(element.clone(), place).is_some() {
            return Err(FeatureError::Order { element: element.clone() });
        }
    }
    if places.is_empty() {
        return Err(FeatureError::Order { element: String::new() });
    }
    Ok(places)
}

/// Numbers no larger than this add up without ever passing the range of numbers.
const GREATEST: f64 = 1e15;

fn finite(what: &'static str, value: f64) -> Result<(), FeatureError> {
    if value.abs() <= GREATEST { Ok(()) } else { Err(FeatureError::NotFinite { what }) }
}

/// As a formula in KIF terms.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, parts: &mut dyn Iterator<Item = String>, by: &str| {
            f.write_str(&parts.collect::<Vec<_>>().join(by))
        };
        match self {
            Spec::Count { pattern } => write!(f, "count {pattern}"),
            Spec::Index { pattern, argument, .. } => write!(f, "index of argument {argument} of {pattern}"),
            Spec::Sum { terms } => {
                let mut terms = terms.iter().map(|Term { weight, pattern }| match *weight {
                    1.0 => format!("count {pattern}"),
                    weight => format!("{weight} * count {pattern}"),
                });
                list(f, &mut terms, " + ")
            }
            Spec::Distance { pieces, .. } if pieces.len() == 2 => {
                write!(f, "distance of {} and {}", pieces[0], pieces[1])
            }
            Spec::Distance { pieces, .. } => {
                f.write_str("distances of ")?;
                list(f, &mut pieces.iter().cloned(), ", ")
            }
            Spec::Moves { role, .. } => write!(f, "moves of {role}"),
            Spec::Changed { .. } => f.write_str("share of changed facts"),
            Spec::Total { of } => list(f, &mut of.iter().map(Spec::to_string), " + "),
            Spec::Difference { first, second } => match **second {
                Spec::Total { ref of } if of.len() > 1 => write!(f, "{first} - ({second})"),
                Spec::Sum { ref terms } if terms.len() > 1 => write!(f, "{first} - ({second})"),
                Spec::Difference { .. } => write!(f, "{first} - ({second})"),
                _ => write!(f, "{first} - {second}"),
            },
            Spec::Inverse { of } => write!(f, "1 / (1 + {of})"),
            Spec::GoalProgress { role, .. } => write!(f, "goal progress of {role}"),
        }
    }
}

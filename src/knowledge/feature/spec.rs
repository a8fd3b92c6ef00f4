//! The definition of a feature in KIF terms alone: a document can carry it, and any load of the same game can run it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::FeatureError;
use super::pattern::Pattern;

/// A complete definition of a feature: fluents as patterns such as `(cell ?x ?y red)`, orders as lists of elements,
/// roles and moves as in the rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Spec {
    /// The number of facts that match a pattern.
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
        /// The value if no fact matches.
        absent: f64,
    },
    /// A weighted sum of counts.
    Sum {
        /// The counts.
        terms: Vec<Term>,
    },
    /// The sum of the indices, along an order, of an argument of the facts that match.
    Along {
        /// The pattern.
        pattern: String,
        /// The argument, from 1.
        argument: usize,
        /// The elements from first (index 0) to last.
        order: Vec<String>,
    },
    /// The greatest or the least of the indices, along an order, of an argument of the facts that match.
    Extreme {
        /// The patterns.
        patterns: Vec<String>,
        /// The argument, from 1.
        argument: usize,
        /// The elements from first (index 0) to last.
        order: Vec<String>,
        /// True for the greatest, false for the least.
        greatest: bool,
        /// The value if no fact matches.
        absent: f64,
    },
    /// The sum of the Manhattan distances of all pairs of pieces.
    Distance {
        /// For each piece the pattern of its facts.
        pieces: Vec<String>,
        /// The coordinates.
        axes: Vec<Coordinate>,
        /// The distance of a pair if one of the two pieces has no fact.
        absent: f64,
    },
    /// The number of legal moves of a role without its noops.
    Moves {
        /// The role.
        role: String,
        /// The noops, which are not counted.
        noops: Vec<String>,
    },
    /// The share of facts that changed since a reference state: those that hold in exactly one of the two states,
    /// among those that hold in either.
    Changed {
        /// The facts of the reference state.
        since: Vec<String>,
        /// Patterns of facts that are ignored.
        without: Vec<String>,
        /// Whether the reference is the state from which a search began, once one has.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        since_root: bool,
    },
    /// The sum of features.
    Total {
        /// The features.
        of: Vec<Spec>,
    },
    /// The first feature minus the second.
    Difference {
        /// The minuend.
        first: Box<Spec>,
        /// The subtrahend.
        second: Box<Spec>,
    },
    /// 1 / (1 + value).
    Inverse {
        /// The feature; its values are not negative.
        of: Box<Spec>,
    },
    /// The value of a role's fuzzy function. It can't be bound; the document of the function can.
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

/// The position from 0 of an argument that is counted from 1.
pub(super) fn argument_of(pattern: &Pattern, argument: usize) -> Result<usize, FeatureError> {
    let place = argument.checked_sub(1).filter(|&place| place < pattern.arguments.len());
    place.ok_or_else(|| FeatureError::NoArgument { pattern: pattern.to_string(), argument })
}

/// The elements of an order with their indices.
pub(super) fn index_of(
    order: &[String],
) -> Result<indexmap::IndexMap<String, usize, rustc_hash::FxBuildHasher>, FeatureError> {
    let mut places = indexmap::IndexMap::default();
    for (index, element) in order.iter().enumerate() {
        if places.insert(element.clone(), index).is_some() {
            return Err(FeatureError::Order { element: element.clone() });
        }
    }
    if places.is_empty() {
        return Err(FeatureError::Order { element: String::new() });
    }
    Ok(places)
}

/// A formula in KIF terms.
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
            Spec::Along { pattern, argument, .. } => {
                write!(f, "sum of indices of argument {argument} of {pattern}")
            }
            Spec::Extreme { patterns, argument, greatest, .. } => {
                let which = if *greatest { "greatest" } else { "least" };
                write!(f, "{which} index of argument {argument} of {}", patterns.join(", "))
            }
            Spec::Distance { pieces, .. } if pieces.len() == 2 => {
                write!(f, "distance of {} and {}", pieces[0], pieces[1])
            }
            Spec::Distance { pieces, .. } => {
                f.write_str("distances of ")?;
                list(f, &mut pieces.iter().cloned(), ", ")
            }
            Spec::Moves { role, .. } => write!(f, "moves of {role}"),
            Spec::Changed { since_root: false, .. } => f.write_str("share of changed facts"),
            Spec::Changed { since_root: true, .. } => {
                f.write_str("share of facts changed since the search began")
            }
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

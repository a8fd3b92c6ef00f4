//! Comparisons of two values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::mention::Literal;

/// A comparison of two values, by their places in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Comparison {
    /// The left one is before the right one.
    Less,
    /// It is not after it.
    AtMost,
    /// It is after it.
    Greater,
    /// It is not before it.
    AtLeast,
    /// They are the same.
    Equal,
}

impl Comparison {
    /// Whether it holds for two places.
    pub fn holds(self, left: u32, right: u32) -> bool {
        match self {
            Comparison::Less => left < right,
            Comparison::AtMost => left <= right,
            Comparison::Greater => left > right,
            Comparison::AtLeast => left >= right,
            Comparison::Equal => left == right,
        }
    }
}

/// The places of a comparison.
pub(super) struct Places {
    pub(super) relation: Comparison,
    /// For each side its places, each with the literal that is true if the side has it.
    pub(super) sides: [Vec<(u32, Literal)>; 2],
    pub(super) length: f32,
}

impl Places {
    /// Places, or pairs of places, that an evaluation visits.
    pub(super) fn work(&self) -> usize {
        let [left, right] = self.sides.each_ref().map(Vec::len);
        if self.relation == Comparison::Equal { left.saturating_mul(right) } else { left + right }
    }
}

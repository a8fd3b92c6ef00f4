//! The goal values that a role can end with: R- and R+ are the least and the greatest of them.
//!
//! Kuhlmann, Dresner and Stone (2006) scale features to attainable goal values. Computing these exactly needs a
//! search through the whole game. Three approximations replace it: the values that the instantiated rules allow,
//! those that are not proved unattainable (by induction), and those that random playouts ended with. The tightest
//! applicable one is used and named.
//!
//! The last one is not a proof. It only scales functions of one feature, and only if playouts ended with at least two
//! values; a value that occurs later lies outside the range, but remains distinguishable. Fuzzy functions exclude
//! proved values only, because a goal that random play never reaches is often the one to aim for.
//!
//! The proofs come from `property/prove.rs`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::machine::Machine;

use super::goal_values::goal_values;

/// The reason why a role's other goal values don't count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RewardSource {
    /// All values that the instantiated rules allow count.
    #[default]
    Rules,
    /// The others are proved unattainable.
    Proved,
    /// The others did not occur in random playouts.
    Seen,
}

impl RewardSource {
    /// Whether all values count that the rules allow.
    pub fn is_rules(&self) -> bool {
        *self == RewardSource::Rules
    }
}

/// Information on attainable goal values that the rules alone don't show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoalEvidence {
    /// For each role the values that no reachable terminal state has, by proof.
    pub unattainable: Vec<Vec<i32>>,
    /// For each role the values that random playouts ended with.
    pub seen: Vec<Vec<i32>>,
}

impl GoalEvidence {
    /// The values of a role that are proved unattainable; none if that would exclude all values that the rules allow.
    pub fn unattainable(&self, machine: &dyn Machine, role: usize) -> &[i32] {
        let proved = self.unattainable.get(role).map_or(&[][..], Vec::as_slice);
        if goal_values(machine, role).iter().all(|value| proved.contains(value)) { &[] } else { proved }
    }

    /// R- and R+ of a role with their source; 0 and 100 if the rules have no goal values.
    pub fn rewards(&self, machine: &dyn Machine, role: usize) -> ([i32; 2], RewardSource) {
        let ends = |values: &[i32]| {
            [values.iter().min().copied().unwrap_or(0), values.iter().max().copied().unwrap_or(100)]
        };
        let unattainable = self.unattainable(machine, role);
        let all = goal_values(machine, role);
        let mut left = all.clone();
        left.retain(|value| !unattainable.contains(value));
        let mut seen = left.clone();
        seen.retain(|value| self.seen.get(role).is_some_and(|seen| seen.contains(value)));
        let [rules, proved, met] = [&all, &left, &seen].map(|values| ends(values));
        // A scale needs two different ends.
        match (seen.len() > 1 && met[0] < met[1] && met != proved, proved != rules) {
            (true, _) => (met, RewardSource::Seen),
            (false, true) => (proved, RewardSource::Proved),
            (false, false) => (rules, RewardSource::Rules),
        }
    }
}

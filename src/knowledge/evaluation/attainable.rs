//! Which goal values a role can end with: R- and R+ are the least and the greatest of them.
//!
//! Kuhlmann, Dresner and Stone (2006) scale features to the goal values that can be attained. Which ones can be is not known
//! without a search through the whole game, so that three answers stand for it, the best of which is taken and named:
//! what the instantiated rules allow, less what is proved to be given at no end (as proofs by induction say), less what no
//! random playout ended with. The last is no proof: it holds for the scale of functions of one feature alone, where a value
//! seen later lies outside their range and is told from them all the same, and only if play saw two values. Fuzzy
//! functions leave out what is proved alone: a goal that random play never reaches is often the one to be looked for.
//!
//! The proofs come from `property/prove.rs`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::machine::Machine;

use super::goal_values::goal_values;

/// How it is known that a role's other goal values do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AttainedBy {
    /// All that the instantiated rules allow count.
    #[default]
    Rules,
    /// It is proved that no end that can be reached gives the others.
    Proved,
    /// No random playout ended with the others.
    Seen,
}

impl AttainedBy {
    /// Whether all values count that the rules allow.
    pub fn is_rules(&self) -> bool {
        *self == AttainedBy::Rules
    }
}

/// What is known of goal values besides the rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownGoals {
    /// For each role the values that are proved to be given at no end that can be reached.
    pub unattainable: Vec<Vec<i32>>,
    /// For each role the values that random playouts ended with.
    pub seen: Vec<Vec<i32>>,
}

impl KnownGoals {
    /// The values of a role that are proved to be given at no end; none where they are all that the rules allow.
    pub fn unattainable(&self, machine: &dyn Machine, role: usize) -> &[i32] {
        let proved = self.unattainable.get(role).map_or(&[][..], Vec::as_slice);
        if goal_values(machine, role).iter().all(|value| proved.contains(value)) { &[] } else { proved }
    }

    /// R- and R+ of a role, and how they are known; 0 and 100 where the rules have no goal values.
    pub fn rewards(&self, machine: &dyn Machine, role: usize) -> ([i32; 2], AttainedBy) {
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
        // One value alone would be a scale without a width.
        match (seen.len() > 1 && met[0] < met[1] && met != proved, proved != rules) {
            (true, _) => (met, AttainedBy::Seen),
            (false, true) => (proved, AttainedBy::Proved),
            (false, false) => (rules, AttainedBy::Rules),
        }
    }
}

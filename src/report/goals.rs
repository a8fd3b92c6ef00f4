//! Goal values that random play did not reach, in the analysis document and in words.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::evaluation::kuhlmann::goal_values;
use crate::machine::Machine;
use crate::simulate::{RoleStatistics, Statistics};
use crate::statistics::interval::wilson;

use super::layout::{counted, percent};

/// Which goal values a role can have, and which of them play ended with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GoalsSummary {
    /// The role.
    pub role: String,
    /// Values that the rules allow, ascending: of a game with a network those whose conditions some instance fulfils.
    pub possible: Vec<i32>,
    /// Those of them that random play ended with.
    pub reached: Vec<i32>,
}

/// The goal values of every role.
pub fn goals(machine: &dyn Machine, seen: &Statistics) -> Vec<GoalsSummary> {
    let of_role = |(number, of): (usize, &RoleStatistics)| {
        let reached: BTreeSet<i32> =
            of.goals.iter().filter(|goal| goal.share.count > 0).map(|goal| goal.value).collect();
        let possible: BTreeSet<i32> =
            goal_values(machine, number).into_iter().chain(reached.clone()).collect();
        GoalsSummary {
            role: of.role.clone(),
            possible: possible.into_iter().collect(),
            reached: reached.into_iter().collect(),
        }
    };
    seen.roles.iter().enumerate().map(of_role).collect()
}

/// What is to be said of roles for which one goal value alone was reached.
pub(super) fn sentences(goals: &[GoalsSummary], seen: &Statistics) -> Vec<String> {
    let ended: u64 =
        seen.roles.iter().flat_map(|role| role.goals.iter().map(|goal| goal.share.count)).max().unwrap_or(0);
    let sentence = |of: &GoalsSummary| {
        let [only] = of.reached[..] else { return None };
        if of.possible.len() == 1 {
            return Some(format!(
                "{}: only goal {only} can be reached, as instantiating the rules shows",
                of.role
            ));
        }
        let most = percent(wilson(0, ended).high);
        let playouts = counted(ended, "playout", "playouts");
        Some(format!(
            "{}: no goal other than {only} was reached in {playouts} (at most {most} of random playouts reach one)",
            of.role
        ))
    };
    goals.iter().filter_map(sentence).collect()
}

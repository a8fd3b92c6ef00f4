//! Goal values that random play did not reach, in the analysis document and in words.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::Way;
use crate::evaluation::goal_values::goal_values;
use crate::machine::Machine;
use crate::property::Proofs;
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
    /// Those of them that no end that can be reached gives, as is proved; left out where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unattainable: Vec<i32>,
    /// What a search for better ones came to; null where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<WaySummary>,
}

/// What a search for the best goal value of a game for one came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WaySummary {
    /// The best goal value to which it knows a way; null where it knows none.
    pub goal: Option<i32>,
    /// The moves of that way, as lower-case KIF.
    pub moves: Vec<String>,
    /// Whether no goal value is better.
    pub proved: bool,
    /// States visited.
    pub nodes: u64,
}

/// The goal values of every role.
pub fn goals(
    machine: &dyn Machine,
    seen: &Statistics,
    proofs: Option<&Proofs>,
    way: Option<&Way>,
) -> Vec<GoalsSummary> {
    let search = |way: &Way| WaySummary {
        goal: way.goal,
        moves: way.moves.iter().map(|&action| machine.move_text(action)).collect(),
        proved: way.proved,
        nodes: way.nodes,
    };
    let of_role = |(number, of): (usize, &RoleStatistics)| {
        let reached: BTreeSet<i32> =
            of.goals.iter().filter(|goal| goal.share.count > 0).map(|goal| goal.value).collect();
        let possible: BTreeSet<i32> =
            goal_values(machine, number).into_iter().chain(reached.clone()).collect();
        GoalsSummary {
            role: of.role.clone(),
            possible: possible.into_iter().collect(),
            reached: reached.into_iter().collect(),
            unattainable: proofs.map_or(Vec::new(), |proofs| proofs.unattainable[number].clone()),
            search: way.map(search),
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
        if of.search.as_ref().is_some_and(|way| way.proved && way.goal == Some(only)) {
            return Some(format!(
                "{}: no goal better than {only} can be reached, as a search shows",
                of.role
            ));
        }
        if of.possible.iter().all(|value| *value == only || of.unattainable.contains(value)) {
            return Some(format!("{}: only goal {only} can be reached, as is proved", of.role));
        }
        let most = percent(wilson(0, ended).high);
        let playouts = counted(ended, "playout", "playouts");
        Some(format!(
            "{}: no goal other than {only} was reached in {playouts} (at most {most} of random playouts reach one)",
            of.role
        ))
    };
    let found = |of: &GoalsSummary| {
        let way = of.search.as_ref()?;
        let states = counted(way.nodes, "state", "states");
        let Some(goal) = way.goal.filter(|goal| of.reached.iter().all(|reached| reached < goal)) else {
            return (!way.proved).then(|| format!("{}: a search of {states} found no better goal", of.role));
        };
        let moves = counted(way.moves.len() as u64, "move", "moves");
        let best = if way.proved { ", and none is better" } else { "" };
        Some(format!("{}: a search found a way to goal {goal} in {moves}{best}", of.role))
    };
    goals.iter().flat_map(|of| sentence(of).into_iter().chain(found(of))).collect()
}

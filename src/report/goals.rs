//! The possible and reached goal values of each role, in the analysis document and in words.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::GameAnalysis;
use crate::evaluation::goal_values::goal_values;
use crate::machine::Machine;
use crate::property::{Record, Source};
use crate::search::BestKnownPlan;
use crate::simulate::RoleStatistics;

use super::layout::{counted, rarely};

/// The possible goal values of a role, and those that games ended with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GoalsSummary {
    /// The role.
    pub role: String,
    /// The values that the rules allow, ascending. For a game with a network: those whose conditions some instance can
    /// fulfil.
    pub possible: Vec<i32>,
    /// The possible values with which random games ended.
    pub reached: Vec<i32>,
    /// The possible values that no reachable end has, as was proved; left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unattainable: Vec<i32>,
    /// For each value, the part of the run that reached it and the number of games.
    pub reached_by: Vec<GoalReach>,
    /// The result of a search for better goal values; null if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<GoalPathSummary>,
    /// Remarks on these goal values.
    pub remarks: Vec<GoalRemark>,
}

/// A goal value that a part of the run reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GoalReach {
    /// The value.
    pub value: i32,
    /// The part of the run.
    pub by: Source,
    /// The number of games; 1 for a search.
    pub games: u64,
}

/// A sentence on a role's goal values, with the data behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GoalRemark {
    /// The sentence, without the role.
    pub sentence: String,
    /// Its code, its numbers and the keys of the counts behind them.
    pub reason: Record,
}

/// The result of a search for the best goal value of a single-player game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GoalPathSummary {
    /// The best goal value with a known path; null if there is none.
    pub goal: Option<i32>,
    /// The moves of that path, as lower-case KIF.
    pub moves: Vec<String>,
    /// Whether it is proved that no better goal value can be reached.
    pub proved: bool,
    /// States visited.
    pub nodes: u64,
}

/// The goal values of every role.
pub fn goals(machine: &dyn Machine, analysis: &GameAnalysis) -> Vec<GoalsSummary> {
    let search = |plan: &BestKnownPlan| GoalPathSummary {
        goal: plan.goal,
        moves: plan.moves.iter().map(|&action| machine.move_text(action)).collect(),
        proved: plan.proved,
        nodes: plan.nodes,
    };
    let of_role = |(number, of): (usize, &RoleStatistics)| {
        let reached: BTreeSet<i32> =
            of.goals.iter().filter(|goal| goal.share.count > 0).map(|goal| goal.value).collect();
        let possible: BTreeSet<i32> =
            goal_values(machine, number).into_iter().chain(reached.clone()).collect();
        let proofs = analysis.proofs.as_ref();
        let mut summary = GoalsSummary {
            role: of.role.clone(),
            possible: possible.into_iter().collect(),
            reached: reached.into_iter().collect(),
            unattainable: proofs.map_or(Vec::new(), |proofs| proofs.unattainable[number].clone()),
            reached_by: reach_of(analysis, number),
            search: analysis.best_plan.as_ref().map(search),
            remarks: Vec::new(),
        };
        summary.remarks = remarks(&summary, analysis.simulation.terminal.count);
        summary
    };
    analysis.simulation.roles.iter().enumerate().map(of_role).collect()
}

/// For each value, the part of the run that reached it and the number of games.
fn reach_of(analysis: &GameAnalysis, role: usize) -> Vec<GoalReach> {
    let mut reached: BTreeMap<(i32, Source), u64> = BTreeMap::new();
    for goal in analysis.simulation.roles[role].goals.iter().filter(|goal| goal.share.count > 0) {
        reached.insert((goal.value, Source::RandomPlay), goal.share.count);
    }
    for outcome in &analysis.reached {
        if let Some(value) = outcome.goals[role] {
            *reached.entry((value, outcome.source)).or_default() += outcome.games;
        }
    }
    reached.into_iter().map(|((value, by), games)| GoalReach { value, by, games }).collect()
}

/// The key of the number of random games that ended.
const ENDED: &str = "simulation.terminal.count";

/// Remarks on a role that reached only one goal value in random play, or not the best known one.
fn remarks(summary: &GoalsSummary, ended: u64) -> Vec<GoalRemark> {
    let remark = |reason: Record, sentence: String| GoalRemark { sentence, reason };
    let mut out = Vec::new();
    let others: Vec<&GoalReach> =
        summary.reached_by.iter().filter(|reach| !summary.reached.contains(&reach.value)).collect();
    if let [only] = summary.reached[..] {
        let number = |code: &str| Record::new(code).number("goal", only);
        let is_only = |value: &i32| *value == only || summary.unattainable.contains(value);
        let proved = summary.search.as_ref().is_some_and(|plan| plan.proved && plan.goal == Some(only));
        if summary.possible.len() == 1 {
            let sentence = format!("the rules allow only goal {only}");
            out.push(remark(number("only-goal-by-rules"), sentence));
        } else if proved {
            let sentence = format!("no goal better than {only} can be reached (proved by search)");
            out.push(remark(number("best-goal-by-search"), sentence));
        } else if summary.possible.iter().all(is_only) {
            let sentence = format!("only goal {only} can be reached (proved)");
            out.push(remark(number("only-goal-proved"), sentence));
        } else {
            let games = counted(ended, "random game", "random games");
            let bound = match others.is_empty() {
                true => format!("; {} end with another one (95 % confidence)", rarely(ended)),
                false => String::new(),
            };
            let reason = number("one-goal-in-random-play").count("games", ended, ENDED);
            out.push(remark(reason, format!("all {games} that ended had goal {only}{bound}")));
        }
    }
    let search = summary.search.as_ref();
    let better = |goal: i32| summary.reached.iter().all(|reached| *reached < goal);
    let key = |name: &str| format!("goals[role={}].search.{name}", summary.role);
    if let Some(plan) = search {
        match plan.goal.filter(|&goal| better(goal)) {
            Some(goal) => {
                let moves = counted(plan.moves.len() as u64, "move", "moves");
                let best = if plan.proved { ", the greatest possible goal value" } else { "" };
                let reason = Record::new("search-found-goal").count("goal", goal, key("goal")).count(
                    "moves",
                    plan.moves.len(),
                    key("moves"),
                );
                out.push(remark(reason, format!("a search found a path to goal {goal} in {moves}{best}")));
            }
            None if !plan.proved => {
                let states = counted(plan.nodes, "state", "states");
                let reason = Record::new("search-found-no-better").count("nodes", plan.nodes, key("nodes"));
                let sentence = format!("a search of {states} found no goal better than random play");
                out.push(remark(reason, sentence));
            }
            None => {}
        }
    }
    // If several parts of the run reached the value, the first one is named.
    let by_search = search.and_then(|plan| plan.goal);
    let mut named: BTreeSet<i32> = BTreeSet::new();
    for reach in others {
        let is_named = match by_search {
            Some(goal) => reach.value > goal,
            None => summary.reached.len() == 1 || better(reach.value),
        };
        if is_named && named.insert(reach.value) {
            let &GoalReach { value, by, games } = reach;
            let path = format!("goals[role={}].reached_by[value={value},by={by}].games", summary.role);
            let reason =
                Record::new("goal-beyond-random-play").number("goal", value).count("games", games, path);
            let sentence = by.sentence(value, games);
            out.push(remark(reason, format!("{sentence}, and no random game did")));
        }
    }
    out
}

/// The remarks of all roles, as sentences.
pub(super) fn sentences(goals: &[GoalsSummary]) -> Vec<String> {
    let of_role = |of: &GoalsSummary| {
        of.remarks.iter().map(|remark| format!("{}: {}", of.role, remark.sentence)).collect()
    };
    goals.iter().flat_map(|of| -> Vec<String> { of_role(of) }).collect()
}

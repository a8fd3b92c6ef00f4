//! Searches a single-player game for a goal value that random play did not reach. Random play from the states of the plan
//! gives sequences in which goal values differ. `search/best_known_plan.rs` finds the plan, `simulate/sequences_along.rs`
//! samples the states, and `report/goals.rs` presents the result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::catalog::counted;
use crate::evaluation::StepCost;
use crate::evaluation::goal_values::goal_values;
use crate::ground::Network;
use crate::machine::{Machine, MoveId, State};
use crate::property::{OutcomeTally, Source};
use crate::search::{BestKnownPlan, best_known_plan};
use crate::simulate::{
    Budget, Context, Sequence, SequenceShape, StopReason, TimedInterrupt, sequences_along, states_along,
};

use super::error::AnalysisError;
use super::game_analysis::GameAnalysis;
use super::run::Run;
use super::stage::{Stage, because};

/// The most time for the search, in nanoseconds by the counts of [`StepCost`].
const SEARCH_NANOSECONDS: f64 = 3e9;

/// The cost of a visited state, in steps.
const STEPS_PER_STATE: f64 = 4.0;

/// The cost of a visited state in nanoseconds for each gate of the network. It is low because many states are computed
/// together.
const NANOSECONDS_PER_GATE: f64 = 0.05;

/// The most time for random play from states of the plan, in nanoseconds by the counts of [`StepCost`].
const PLAY_NANOSECONDS: f64 = 1e9;

/// Limit of the search's memory in bytes.
pub(super) const MEMORY: usize = 128 << 20;

/// The number of states that a search can visit in this time; 0 if no step is possible, or the time is too short for one
/// state.
pub(crate) fn affordable_nodes(
    machine: &dyn Machine,
    nanoseconds: f64,
    interrupt: Option<&Arc<AtomicBool>>,
) -> Option<u64> {
    let cost = StepCost::new(machine, interrupt).ok().flatten()?;
    let gates = machine.network().map_or(0, Network::gates);
    let node = STEPS_PER_STATE * cost.step() + NANOSECONDS_PER_GATE * gates as f64;
    Some((nanoseconds / node) as u64).filter(|&nodes| nodes > 0)
}

/// Goal values of the only role that random play reached.
fn reached(analysis: &GameAnalysis) -> Vec<i32> {
    let goals = analysis.simulation.roles.iter().flat_map(|role| &role.goals);
    goals.filter(|goal| goal.share.count > 0).map(|goal| goal.value).collect()
}

/// Whether a goal value is better than those that random play reached.
pub(super) fn begins_search(run: &mut Run<'_, '_>, analysis: &GameAnalysis) -> bool {
    let alone = analysis.simulation.roles.len() == 1;
    let best = goal_values(run.game.machine, 0).into_iter().max().filter(|_| alone);
    best.is_some_and(|best| reached(analysis).iter().all(|&goal| goal < best)) && run.begins(Stage::Solve)
}

/// Searches, and returns the states of the plan if it leads to a better goal value than random play.
pub(super) fn search_plan(
    run: &mut Run<'_, '_>,
    analysis: &mut GameAnalysis,
) -> Result<Vec<State>, AnalysisError> {
    let start = Instant::now();
    let timed_interrupt = run.timed_interrupt(Stage::Solve);
    let interrupt = timed_interrupt.as_ref().map(TimedInterrupt::flag).or(run.context.interrupt);
    let machine = run.game.machine;
    let affordable = affordable_nodes(machine, SEARCH_NANOSECONDS, interrupt);
    if let Some(nodes) = affordable {
        let nodes = nodes.min(run.plan.search_nodes);
        analysis.best_plan = Some(best_known_plan(machine, nodes, MEMORY, interrupt.map(Arc::as_ref))?);
    }
    let ended = interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
    let note = match (&analysis.best_plan, ended) {
        (_, true) if run.interrupted() => Some(because(StopReason::Interrupted)),
        (_, true) => Some(because(StopReason::Seconds)),
        (Some(plan), false) if !plan.proved => Some(because(StopReason::Work)),
        _ => None,
    };
    let nodes = analysis.best_plan.as_ref().map_or(0, |plan| plan.nodes);
    let note =
        note.map(|because| format!("the search visited {}: {because}", counted(nodes, "state", "states")));
    let expensive = || "nothing was searched: a step takes more than the work allowed".to_owned();
    let note = note.or_else(|| affordable.is_none().then(expensive));
    run.ended(Stage::Solve, nodes, note, start);
    if let Some(plan) = analysis.best_plan.as_ref().filter(|plan| plan.goal.is_some()) {
        let mut tally = OutcomeTally::default();
        tally.add(vec![plan.goal], 1, Some(plan.moves.iter().map(|&action| vec![action]).collect()));
        analysis.reach(machine, tally.of(Source::Search));
    }
    let better = |plan: &&BestKnownPlan| {
        plan.goal.is_some_and(|goal| reached(analysis).iter().all(|&seen| seen < goal))
    };
    let Some(plan) = analysis.best_plan.as_ref().filter(better) else { return Ok(Vec::new()) };
    let joints: Vec<Vec<MoveId>> = plan.moves.iter().map(|&action| vec![action]).collect();
    Ok(states_along(machine, &joints)?)
}

/// Sequences of states from random playouts that begin on the plan, at most `count`.
pub(super) fn draw_along_plan(
    run: &Run<'_, '_>,
    plan_states: &[State],
    count: usize,
    budget: &Budget,
) -> Vec<Sequence> {
    let machine = run.game.machine;
    let timed_interrupt = run.timed_interrupt(Stage::Sample);
    let interrupt = timed_interrupt.as_ref().map(TimedInterrupt::flag).or(run.context.interrupt);
    let Some(cost) = StepCost::new(machine, interrupt).ok().flatten() else { return Vec::new() };
    let steps = (PLAY_NANOSECONDS / cost.step()) as u64;
    let budget = Budget { playouts: count as u64, first: 0, work: Some(steps), ..budget.clone() };
    let context = Context { interrupt, progress: None };
    sequences_along(machine, plan_states, SequenceShape::default(), &budget, &context)
}

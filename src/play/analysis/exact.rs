//! Exact values of sampled states in small games. Correlations use them instead of the outcomes of random play.
//! `judge/exact_values.rs` computes them.

use std::sync::Arc;
use std::time::Instant;

use rustc_hash::FxHashSet;

use crate::evaluation::StepCost;
use crate::feature::Sample;
use crate::judge::exact_values;
use crate::machine::{Machine, State};
use crate::simulate::{StopReason, TimedInterrupt};
use crate::structure::finding::{Structures, Turns};

use super::error::AnalysisError;
use super::run::Run;
use super::stage::{Stage, because};

/// The most time for one role, in nanoseconds by the counts of [`StepCost`].
const MAX_NANOSECONDS: f64 = 2e9;

/// The cost of a visited state, in steps.
const STEPS_PER_STATE: f64 = 8.0;

/// The most visited states.
const MAX_STATES: f64 = 400_000.0;

/// The greatest share of distinct states among sampled states in a game with at most some hundred thousand states. In
/// larger games almost all sampled states are distinct.
const MAX_DISTINCT_SHARE: f64 = 0.97;

/// Whether states repeat like those of a game with few states. States that differ only in the clock count once.
fn come_again(machine: &dyn Machine, states: &[&State]) -> bool {
    let clockless =
        |state: &&State| machine.clock().map_or_else(|| (*state).clone(), |clock| clock.without(state));
    let different: FxHashSet<State> = states.iter().map(clockless).collect();
    (different.len() as f64) < MAX_DISTINCT_SHARE * states.len() as f64
}

/// Whether exact values are useful: opposing roles that move in turns.
pub(super) fn begins_values(run: &mut Run<'_, '_>, structures: &Structures) -> bool {
    structures.turns == Turns::Alternating
        && structures.teams.len() > 1
        && run.game.machine.network().is_some()
        && run.begins(Stage::ExactValues)
}

/// Replaces outcomes by the exact values of the last states of sequences, if all are known and they differ. Returns
/// whether it did.
pub(super) fn find_exact_values(
    run: &mut Run<'_, '_>,
    structures: &Structures,
    sample: &mut Sample,
) -> Result<bool, AnalysisError> {
    let start = Instant::now();
    let timed_interrupt = run.timed_interrupt(Stage::ExactValues);
    let interrupt = timed_interrupt.as_ref().map(TimedInterrupt::flag).or(run.context.interrupt);
    let machine = run.game.machine;
    let states: Vec<&State> = sample.sequences.iter().filter_map(|sequence| sequence.states.last()).collect();
    // Without a possible step there is nothing to evaluate.
    let cost = StepCost::new(machine, interrupt).ok().flatten();
    let listed =
        cost.map_or(0, |cost| (MAX_NANOSECONDS / (STEPS_PER_STATE * cost.step())).min(MAX_STATES) as usize);
    let found = match come_again(machine, &states) && listed > 0 {
        true => exact_values(machine, structures, &states, listed, interrupt.map(Arc::as_ref))?,
        false => None,
    };
    let differ = |values: &Vec<Vec<i32>>| values.windows(2).any(|pair| pair[0] != pair[1]);
    let valued = found.filter(|values| values.len() == sample.sequences.len() && differ(values));
    let work = valued.as_ref().map_or(0, |values| values.len() as u64);
    let done = valued.is_some();
    for (sequence, values) in sample.sequences.iter_mut().zip(valued.into_iter().flatten()) {
        sequence.goals = values.into_iter().map(Some).collect();
    }
    let note = run.interrupted().then(|| because(StopReason::Interrupted).to_owned());
    run.ended(Stage::ExactValues, work, note, start);
    Ok(done)
}

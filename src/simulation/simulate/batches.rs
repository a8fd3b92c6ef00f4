//! Runs playouts in rounds of blocks on several threads. The result does not depend on the number of threads.
//!
//! A run is divided into rounds, and a round into blocks. The division depends only on the budget and on counts that don't
//! depend on threads or time. One thread plays a block, with its own observer. After a round its observers are merged in the
//! order of the blocks, and the limits of the budget are checked.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::Instant;

use rayon::prelude::*;

use crate::machine::Machine;

use super::budget::{Budget, Context, Progress, SimulateError, StopReason};
use super::playout::Stop;
use super::playout_counts::PlayoutCounts;
use super::statistics::{Settings, Statistics, Timing};

/// The progress of a run before its next round.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunProgress {
    /// Playouts played.
    pub(super) played: u64,
    /// Remaining playouts, at least 1.
    pub(super) left: u64,
    /// Work done.
    pub(super) spent: u64,
    /// Remaining work, at least 1; none without a limit.
    pub(super) work: Option<u64>,
}

/// A method to play the blocks of a run.
pub(super) trait BlockPlayer: Sync {
    /// The observer of a block.
    type Observer: Send;

    /// The number of playouts in each block of the next round; empty if the remaining work is too little for a block.
    fn next_batch(&mut self, progress: &RunProgress) -> Vec<u64>;

    /// Plays the playouts of a block, unless `stop` ends it.
    fn play(&self, numbers: Range<u64>, stop: Stop<'_>) -> (PlayoutCounts, Self::Observer);

    /// Merges the observer of a later block.
    fn merge(observer: &mut Self::Observer, later: Self::Observer);
}

/// Plays until the budget is spent. Returns the statistics and `observer` with the observers of all blocks merged into it.
pub(super) fn run<B: BlockPlayer>(
    machine: &dyn Machine,
    budget: &Budget,
    context: &Context<'_>,
    mut blocks: B,
    mut observer: B::Observer,
) -> Result<(Statistics, B::Observer), SimulateError> {
    check_initial(machine)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(budget.threads).build()?;
    let started = Instant::now();
    let deadline = budget.deadline();
    let description = machine.description();
    let roles: Vec<String> = description.roles.iter().map(|&role| description.term(role)).collect();

    let mut counts = PlayoutCounts::new(description);
    let mut played = 0;
    let stopped = loop {
        let spent = counts.work;
        let work = budget.work.map(|work| work.saturating_sub(spent));
        let stop = Stop { interrupt: context.interrupt.map(|flag| &**flag), deadline, work };
        if context.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            break StopReason::Interrupted;
        } else if played >= budget.playouts {
            break StopReason::Playouts;
        } else if work == Some(0) {
            break StopReason::Work;
        } else if stop.now() {
            break StopReason::Seconds;
        }
        let progress = RunProgress { played, left: budget.playouts - played, spent, work };
        let mut numbers = Vec::new();
        let mut first = budget.first.saturating_add(played);
        let batch = blocks.next_batch(&progress);
        if batch.is_empty() {
            break StopReason::Work;
        }
        for size in batch {
            numbers.push(first..first.saturating_add(size));
            first = first.saturating_add(size);
            played += size;
        }
        let play = |numbers: Range<u64>| blocks.play(numbers, stop);
        let batch: Vec<(PlayoutCounts, B::Observer)> =
            pool.install(|| numbers.into_par_iter().map(play).collect());
        for (later_counts, later_observer) in batch {
            counts.merge(later_counts);
            B::merge(&mut observer, later_observer);
        }
        if let Some(progress) = context.progress {
            progress(Progress { playouts: counts.playouts, states: counts.states, work: counts.work });
        }
    };

    let seconds = started.elapsed().as_secs_f64();
    let timing = Timing {
        threads: pool.current_num_threads(),
        seconds,
        states_per_second: counts.states as f64 / seconds.max(f64::MIN_POSITIVE),
        playouts_per_second: counts.playouts as f64 / seconds.max(f64::MIN_POSITIVE),
    };
    let Budget { seed, first, max_steps, max_steps_because, .. } = *budget;
    let settings = Settings { seed, first, max_steps, max_steps_because, stopped };
    Ok((Statistics::new(settings, &counts, &roles, timing), observer))
}

/// Rejects games whose initial state can't be played.
fn check_initial(machine: &dyn Machine) -> Result<(), SimulateError> {
    let description = machine.description();
    if description.roles.is_empty() {
        return Err(SimulateError::NoRoles);
    }
    let mut cursor = machine.cursor();
    cursor.set(machine.initial())?;
    if cursor.terminal() {
        return Ok(());
    }
    match (0..description.roles.len()).find(|&role| cursor.legal(role).is_empty()) {
        Some(role) => Err(SimulateError::NoInitialMove { role: description.term(description.roles[role]) }),
        None => Ok(()),
    }
}

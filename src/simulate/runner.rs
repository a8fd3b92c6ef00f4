//! Runs: rounds of blocks of playouts, on several threads, with one result whatever their number.
//!
//! The playouts of a run are cut into rounds, a round into blocks; how, depends on the budget and on counts
//! that don't depend on threads or time. A block is played by one thread with a cursor and an observer of its
//! own; the blocks of a round are merged in their order, and between rounds the limits are looked at.

use std::sync::atomic::Ordering;
use std::time::Instant;

use rayon::prelude::*;

use crate::machine::Machine;

use super::budget::{Budget, Context, Progress, SimulateError, StopReason};
use super::observer::Observer;
use super::playout::{Player, Stop};
use super::statistics::{Settings, Statistics, Timing};
use super::tally::Tally;

/// Playouts of the first round; every further round has twice as many, up to [`LARGEST_ROUND`]. Small first,
/// so that a limit on work is kept well on a slow game.
const FIRST_ROUND: u64 = 2;

/// Playouts of the largest round: waiting for its last block costs next to nothing.
const LARGEST_ROUND: u64 = 2048;

/// Blocks of a round at most: enough to keep many threads busy.
const BLOCKS: u64 = 32;

/// Plays and gives the statistics alone.
pub fn simulate(
    machine: &dyn Machine,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<Statistics, SimulateError> {
    observe(machine, budget, context, || ()).map(|(statistics, ())| statistics)
}

/// Plays, with observers made by `make`, and gives the statistics and all observers merged into one.
///
/// Statistics (but for their timing) and observer are the same on any number of threads, unless the seconds
/// were over or the caller interrupted the run.
pub fn observe<O: Observer>(
    machine: &dyn Machine,
    budget: &Budget,
    context: &Context<'_>,
    make: impl Fn() -> O + Sync,
) -> Result<(Statistics, O), SimulateError> {
    check_initial(machine)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(budget.threads).build()?;
    let started = Instant::now();
    let deadline = budget.deadline();
    let description = machine.description();
    let roles: Vec<String> = description.roles.iter().map(|&role| description.term(role)).collect();

    let mut tally = Tally::new(roles.len());
    let mut observer = make();
    let mut played = 0;
    let mut round = FIRST_ROUND;
    let stopped = loop {
        let spent = tally.work;
        let work = budget.work.map(|work| work.saturating_sub(spent));
        let stop = Stop { interrupt: context.interrupt, deadline, work };
        if context.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            break StopReason::Interrupted;
        } else if played >= budget.playouts {
            break StopReason::Playouts;
        } else if work == Some(0) {
            break StopReason::Work;
        } else if stop.now() {
            break StopReason::Seconds;
        }
        let size = round_size(round, budget.playouts - played, work, spent, played);
        let block = size.div_ceil(BLOCKS);
        let first = budget.first.saturating_add(played);
        let play = |index: u64| {
            let numbers =
                first.saturating_add(index * block)..first.saturating_add((index * block + block).min(size));
            play_block(machine, budget, numbers, stop, make())
        };
        let blocks: Vec<(Tally, O)> =
            pool.install(|| (0..size.div_ceil(block)).into_par_iter().map(play).collect());
        for (later_tally, later_observer) in blocks {
            tally.merge(later_tally);
            observer.merge(later_observer);
        }
        played += size;
        round = (round * 2).min(LARGEST_ROUND);
        if let Some(progress) = context.progress {
            progress(Progress { playouts: tally.playouts, states: tally.states, work: tally.work });
        }
    };

    let seconds = started.elapsed().as_secs_f64();
    let timing = Timing {
        threads: pool.current_num_threads(),
        seconds,
        states_per_second: tally.states as f64 / seconds.max(f64::MIN_POSITIVE),
        playouts_per_second: tally.playouts as f64 / seconds.max(f64::MIN_POSITIVE),
    };
    let Budget { seed, first, max_steps, .. } = *budget;
    let settings = Settings { seed, first, max_steps, stopped };
    Ok((Statistics::new(settings, &tally, &roles, timing), observer))
}

/// Playouts of the next round: no more than are left, and with a limit on work no more than are likely to fit.
fn round_size(round: u64, left: u64, work: Option<u64>, spent: u64, played: u64) -> u64 {
    let fitting = match work {
        Some(work) if spent > 0 => {
            let fitting = u128::from(work) * u128::from(played) / u128::from(spent);
            u64::try_from(fitting).unwrap_or(u64::MAX).max(FIRST_ROUND)
        }
        _ => u64::MAX,
    };
    round.min(left).min(fitting)
}

fn play_block<O: Observer>(
    machine: &dyn Machine,
    budget: &Budget,
    numbers: std::ops::Range<u64>,
    stop: Stop<'_>,
    mut observer: O,
) -> (Tally, O) {
    let mut tally = Tally::new(machine.description().roles.len());
    if stop.now() {
        return (tally, observer);
    }
    let mut player = Player::new(machine);
    let before = player.work();
    for number in numbers {
        if stop.now() {
            break;
        }
        player.play((budget.seed, number), budget.max_steps, stop, &mut tally, &mut observer);
    }
    tally.work = player.work() - before;
    (tally, observer)
}

/// Refuses games whose initial state can't be played.
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

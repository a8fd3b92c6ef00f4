//! Learning behind a match: while the start clock runs, functions are learned from self-play on a thread of their own, and
//! players by them meet in trial matches, the better of them the one that is there. If it is clearly better it plays.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{Settings, Told};
use crate::arena::{LEARNING, LEAST, PlayerSpec, PreparedGame, can_learn, successor};
use crate::evaluation::Function;
use crate::evaluation::learned::{LearnedParameters, learn};
use crate::machine::Machine;
use crate::simulate::{Budget, Context, StepLimit};

/// The players that are tried.
const LINES: [&str; 2] = ["guct:learned", "alphabeta:learned"];

/// A game with functions that were learned, and the player that is to play by them.
pub(super) struct Learned<'m> {
    pub(super) game: PreparedGame<'m>,
    pub(super) line: &'static str,
    /// Trial matches that it was the better one in.
    pub(super) matches: u32,
}

/// The time in which a match learns, from now on: none where the player does not, there is too little, or nothing can be.
pub(super) fn time_to_learn(told: &Told, settings: &Settings, machine: &dyn Machine) -> Option<Duration> {
    let left = told.ready.saturating_duration_since(Instant::now());
    if settings.factory.is_some() {
        return None;
    }
    let spec: PlayerSpec = settings.player.parse().ok()?;
    let time = spec.learns(left)?.min(left);
    (time >= LEAST && can_learn(machine)).then_some(time)
}

/// Learns, and tries what was learned against the player that stands, given by its line. Nothing where that one is not
/// clearly worse, or there was `enough` before.
pub(super) fn learned<'m>(
    settings: &Settings,
    machine: &'m dyn Machine,
    prepared: &PreparedGame<'m>,
    stands: &str,
    time: Duration,
    enough: &'m Arc<AtomicBool>,
) -> Option<Learned<'m>> {
    let begun = Instant::now();
    let seconds = time.mul_f64(LEARNING).as_secs_f64();
    let work = (seconds as u64).max(1);
    let parameters = LearnedParameters { work, seed: settings.seed, ..LearnedParameters::default() };
    let max_steps = StepLimit::of(machine, None).steps;
    // What the clock cuts short is worth what its whole rounds are.
    let budget = Budget { threads: 1, max_steps, seconds: Some(seconds), ..Budget::default() };
    let context = Context { interrupt: Some(enough), progress: None };
    let functions = learn(machine, &[], &parameters, &budget, &context, None).ok()?.functions;
    if functions.len() < 2 || enough.load(Ordering::Relaxed) {
        return None;
    }
    let game = prepared.with_functions(functions.into_iter().map(Function::Learned)).interrupted_by(enough);
    let left = time.saturating_sub(begun.elapsed());
    let trial = successor(&game, stands, &LINES, left, settings.seed);
    let (best, matches) = trial.ok().flatten().filter(|_| !enough.load(Ordering::Relaxed))?;
    Some(Learned { game, line: LINES[best], matches })
}

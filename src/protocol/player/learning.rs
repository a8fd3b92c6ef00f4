//! Learns functions from self-play on a separate thread while the start clock runs. Players with these functions meet in
//! trial matches, the better of them then the current player. If it is clearly better, it replaces the current player.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::match_start::MatchStart;
use super::settings::Settings;
use crate::arena::{LEARNING, LEAST, PlayerSpec, PreparedGame, can_learn, successor};
use crate::evaluation::Function;
use crate::evaluation::learned::{LearnedParameters, learn};
use crate::machine::Machine;
use crate::simulate::{Budget, Context, StepLimit};

/// The players with learned functions.
const LINES: [&str; 2] = ["guct:learned", "alphabeta:learned"];

/// A game with learned functions, and the player that should use them.
pub(super) struct Learned<'m> {
    pub(super) game: PreparedGame<'m>,
    pub(super) line: &'static str,
    /// Number of trial matches in which it was better.
    pub(super) matches: u32,
}

/// The time for learning, from now on; none if the player does not learn, the time is too short, or the game does not
/// allow it.
pub(super) fn time_to_learn(
    match_start: &MatchStart,
    settings: &Settings,
    machine: &dyn Machine,
) -> Option<Duration> {
    let left = match_start.ready.saturating_duration_since(Instant::now());
    if settings.factory.is_some() {
        return None;
    }
    let spec: PlayerSpec = settings.player.parse().ok()?;
    let time = spec.learns(left)?.min(left);
    (time >= LEAST && can_learn(machine)).then_some(time)
}

/// Learns functions and tests them against the current player, given by its line. None if that is not clearly worse, or
/// if `enough` was set before.
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
    // If the clock interrupts a round of learning, the rounds before it still count.
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

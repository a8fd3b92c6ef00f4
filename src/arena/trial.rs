//! Trial matches: which of a few players is the strongest in a game of two roles, by short matches between them.
//!
//! Players that are as good with little time meet one after the other in very short matches, the winner staying: whoever
//! comes takes the place of the one that stands if it gets more than half of the points. Whoever is left, and the others,
//! meet the first of these in longer ones, and have to be clearly better. Matches are in pairs, both begin with the same
//! random moves, and each has either player in either role. Moves take some milliseconds, so that a few seconds are
//! enough for some matches; that one is stronger with more time is likely, but not sure.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::machine::Machine;

use super::match_play::{Clock, Conditions, Match, MatchError};
use super::opening::opening;
use super::player::Player;
use super::prepared_game::{PrepareError, PreparedGame};
use super::search_player::SearchPlayer;
use super::spec::PlayerSpec;

/// What a player thinks about a move in the short matches, and in the longer ones.
const THINK: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(20)];
/// The part of the time that the longer ones have.
const LONGER: f64 = 0.7;
/// The share of the points by which the first one is beaten: more than chance gives it in a few matches.
const BEATEN: f64 = 0.6;
/// What it may think longer, so that a busy machine does not decide.
const GRACE: Duration = Duration::from_millis(200);
/// Pairs of matches in which two players meet at most.
const PAIRS: u64 = 10;
/// Matches of which it takes as many at least for one that stands to go.
const LEAST: u32 = 6;
/// Joint moves after which a match is nobody's.
const MOST_STEPS: u32 = 300;
/// Random moves before players think.
const OPENING: u32 = 2;

/// Why nothing could be tried.
#[derive(Debug, thiserror::Error)]
pub(super) enum TrialError {
    /// A player can't be made.
    #[error(transparent)]
    Player(#[from] Box<PrepareError>),
    /// A match could not be played.
    #[error(transparent)]
    Match(#[from] MatchError),
}

impl TrialError {
    /// The same as who makes players says it.
    pub(super) fn prepare(self) -> PrepareError {
        match self {
            TrialError::Player(error) => *error,
            TrialError::Match(error) => PrepareError::Trial(error),
        }
    }
}

/// How far one player came against another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Score {
    points: f64,
    matches: u32,
}

/// Makes a player by its number, for a role and with a seed.
pub(super) type Make<'a, 'm> = dyn Fn(usize, usize, u64) -> Result<SearchPlayer<'m>, PrepareError> + 'a;

/// The number of the strongest of so many players, of which the first ones, as many as are `slow`, need more time than
/// the others, within so many seconds, and the number of matches; the first one where there is no time.
///
/// # Errors
/// A player does not fit the game, or a state can't be evaluated.
pub(super) fn strongest(
    machine: &dyn Machine,
    make: &Make<'_, '_>,
    players: usize,
    slow: usize,
    seconds: f64,
    seed: u64,
    interrupt: Option<&AtomicBool>,
) -> Result<(usize, u32), TrialError> {
    let time = |part: f64| Duration::try_from_secs_f64(seconds * part).unwrap_or_default();
    let mut matches = 0;
    let mut challengers: Vec<usize> = (1..slow).collect();
    if slow < players {
        let short = time(1.0 - LONGER) / (players - slow) as u32;
        let mut stands = slow;
        for comes in slow + 1..players {
            let score = meet(machine, make, [comes, stands], THINK[0], short, seed, interrupt)?;
            matches += score.matches;
            if score.points > 0.5 * f64::from(score.matches) {
                stands = comes;
            }
        }
        challengers.push(stands);
    }
    let (mut first, long) = (0, time(LONGER) / challengers.len().max(1) as u32);
    for comes in challengers {
        let score = meet(machine, make, [comes, first], THINK[1], long, seed, interrupt)?;
        matches += score.matches;
        if score.points > BEATEN * f64::from(score.matches) {
            first = comes;
        }
    }
    Ok((first, matches))
}

/// Whether a player stands no longer: in trial matches of some time another one was clearly better, in so many of them. Both
/// are given by their lines.
///
/// # Errors
/// A player does not fit the game, or a state can't be evaluated.
pub fn is_beaten(
    game: &PreparedGame<'_>,
    stands: &str,
    comes: &str,
    time: Duration,
    seed: u64,
) -> Result<Option<u32>, PrepareError> {
    let lines: [PlayerSpec; 2] = [stands.parse()?, comes.parse()?];
    let make = |number: usize, role: usize, seed: u64| game.player(&lines[number], role, seed);
    let (machine, seconds) = (game.machine(), time.as_secs_f64() / LONGER);
    let tried = strongest(machine, &make, 2, 1, seconds, seed, game.interrupt());
    let (better, matches) = tried.map_err(TrialError::prepare)?;
    Ok((better == 1 && matches >= LEAST).then_some(matches))
}

/// What the first of two players gets in matches against the second: until the time is over, or it can't matter.
fn meet(
    machine: &dyn Machine,
    make: &Make<'_, '_>,
    players: [usize; 2],
    move_time: Duration,
    time: Duration,
    seed: u64,
    interrupt: Option<&AtomicBool>,
) -> Result<Score, TrialError> {
    let begun = Instant::now();
    let mut score = Score::default();
    let interrupted = || interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
    for pair in 0..PAIRS {
        let left = f64::from(2 * (PAIRS - pair) as u32);
        let lead = 2.0 * score.points - f64::from(score.matches);
        if begun.elapsed() >= time || lead.abs() > left || interrupted() {
            break;
        }
        let line = opening(machine, OPENING, seed ^ pair).map_err(MatchError::from)?;
        for first in 0..2 {
            if begun.elapsed() >= time {
                break;
            }
            let seat = |role: usize| -> Result<Box<dyn Player + '_>, Box<PrepareError>> {
                Ok(Box::new(make(players[(role + first) % 2], role, seed ^ pair)?))
            };
            let mut made = [seat(0)?, seat(1)?];
            let clock = Clock { start: Duration::ZERO, play: Some(move_time + GRACE), margin: GRACE };
            let conditions =
                Conditions { clock, nodes: None, most_steps: MOST_STEPS, seed, opening: line.clone() };
            let played = Match::play(machine, &mut made, &conditions, interrupt, &mut |_| {})?;
            if interrupted() {
                return Ok(score);
            }
            let goals = played.goals.unwrap_or_default();
            let goal = |role: usize| goals.get(role).copied().flatten();
            // The first player has role 0 in the first match, role 1 in the second.
            score.points += match (goal(first), goal(1 - first)) {
                (Some(own), Some(other)) if own > other => 1.0,
                (Some(own), Some(other)) if own < other => 0.0,
                _ => 0.5,
            };
            score.matches += 1;
        }
    }
    Ok(score)
}

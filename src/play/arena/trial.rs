//! Trial matches: which of a few players is the strongest in a game of two roles, by short matches between them.
//!
//! Players that are as good with little time meet one after the other in very short matches, the winner staying: whoever
//! comes takes the place of the one that stands if it gets more than half of the points. Whoever is left, and the others,
//! meet the first of these in longer ones one after the other, and have to be clearly better to take its place. Matches are
//! in pairs, both begin with the same random moves, and each has either player in either role. In the longer ones a move has
//! as much time as lets some matches end, by how many moves those before had: with time enough, as much as in the match to
//! come. Where there is less, that one is stronger with more time is likely, but not sure.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::machine::Machine;

use super::match_play::{Clock, Conditions, Match, MatchError};
use super::opening::opening;
use super::player::Player;
use super::prepared_game::{PrepareError, PreparedGame};
use super::search_player::SearchPlayer;

/// What a player thinks about a move in the short matches.
const SHORT: Duration = Duration::from_millis(5);
/// What it thinks in the longer ones at least, and at most where nobody knows what time it will have.
const LONG: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(1)];
/// The part of the time that the longer ones have where there are short ones, too.
const LONGER: f64 = 0.7;
/// So many of the longer ones are to be played by two players; where even the shortest moves are too long for it, fewer.
const WANTED: f64 = 6.0;
/// Moves of a match that players think about, before one was played.
const MOVES: f64 = 50.0;
/// The share of the points by which the first one is beaten: more than chance gives it in a few matches.
const BEATEN: f64 = 0.6;
/// What it may think longer, so that a busy machine does not decide.
const GRACE: Duration = Duration::from_millis(200);
/// Pairs of matches in which two players meet at most.
const PAIRS: u64 = 10;
/// Matches of which it takes as many at least for one that stands to go.
const LEAST: u32 = 4;
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
struct TrialScore {
    points: f64,
    matches: u32,
}

impl TrialScore {
    /// Whether it got more than chance gives in a few matches.
    fn is_better(&self) -> bool {
        self.points > BEATEN * f64::from(self.matches)
    }
}

/// Makes a player by its number, for a role and with a seed.
pub(super) type Make<'a, 'm> = dyn Fn(usize, usize, u64) -> Result<SearchPlayer<'m>, PrepareError> + 'a;

/// Trial matches of a game.
pub(super) struct Trials<'a, 'm> {
    machine: &'a dyn Machine,
    make: &'a Make<'a, 'm>,
    seed: u64,
    interrupt: Option<&'a AtomicBool>,
    /// What a player thinks about a move at most.
    longest: Duration,
    /// Matches so far, and the moves in them that players thought about.
    played: [u32; 2],
}

impl<'a, 'm> Trials<'a, 'm> {
    /// Of players made so.
    pub(super) fn new(game: &'a PreparedGame<'m>, make: &'a Make<'a, 'm>, seed: u64) -> Trials<'a, 'm> {
        let longest = game.thinks().unwrap_or(LONG[1]);
        Trials { machine: game.machine(), make, seed, interrupt: game.interrupt(), longest, played: [0; 2] }
    }

    /// The number of the strongest of so many players, of which the first ones, as many as are `slow`, need more time than
    /// the others, within so much time, and the number of matches; the first one where there is no time.
    ///
    /// # Errors
    /// A player does not fit the game, or a state can't be evaluated.
    pub(super) fn strongest(
        mut self,
        players: usize,
        slow: usize,
        time: Duration,
    ) -> Result<(usize, u32), TrialError> {
        let begun = Instant::now();
        let mut challengers: Vec<usize> = (1..slow).collect();
        let fast = players - slow;
        if fast > 0 {
            let each = time.mul_f64(1.0 - LONGER) / fast as u32;
            let mut stands = slow;
            for comes in slow + 1..players {
                let score = self.meet([comes, stands], SHORT.min(self.longest), each)?;
                if score.points > 0.5 * f64::from(score.matches) {
                    stands = comes;
                }
            }
            challengers.push(stands);
        }
        challengers.retain(|&comes| comes != 0);
        let mut first = 0;
        for (number, &comes) in challengers.iter().enumerate() {
            // What those before did not use is left to those that come.
            let each = time.saturating_sub(begun.elapsed()) / (challengers.len() - number) as u32;
            let score = self.meet([comes, first], self.thinking(each), each)?;
            if score.is_better() {
                first = comes;
            }
        }
        Ok((first, self.played[0]))
    }

    /// Moves of a match that players think about, by the matches so far.
    fn moves(&self) -> f64 {
        let [matches, moves] = self.played.map(f64::from);
        if matches > 0.0 { (moves / matches).max(1.0) } else { MOVES }
    }

    /// What players think about a move, so that some matches end within the time.
    fn thinking(&self, time: Duration) -> Duration {
        move_time(time, self.moves(), self.longest)
    }

    /// What the first of two players gets in matches against the second: until the next two would take too long, or it
    /// can't matter.
    fn meet(
        &mut self,
        players: [usize; 2],
        move_time: Duration,
        time: Duration,
    ) -> Result<TrialScore, TrialError> {
        let begun = Instant::now();
        let mut score = TrialScore::default();
        let interrupted = || self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        for pair in 0..PAIRS {
            let left = f64::from(2 * (PAIRS - pair) as u32);
            let lead = 2.0 * score.points - f64::from(score.matches);
            // Half of a pair too late is as near as half of a pair too early. Of the first nobody knows what it takes.
            let late = begun.elapsed() + move_time.mul_f64(self.moves()) > time && self.played[0] > 0;
            if late || lead.abs() > left || interrupted() {
                break;
            }
            let line = opening(self.machine, OPENING, self.seed ^ pair).map_err(MatchError::from)?;
            for first in 0..2 {
                if begun.elapsed() >= time {
                    break;
                }
                let seat = |role: usize| -> Result<Box<dyn Player + '_>, Box<PrepareError>> {
                    Ok(Box::new((self.make)(players[(role + first) % 2], role, self.seed ^ pair)?))
                };
                let mut made = [seat(0)?, seat(1)?];
                let clock = Clock { start: Duration::ZERO, play: Some(move_time + GRACE), margin: GRACE };
                let conditions = Conditions {
                    clock,
                    nodes: None,
                    most_steps: MOST_STEPS,
                    seed: self.seed,
                    opening: line.clone(),
                };
                let played = Match::play(self.machine, &mut made, &conditions, self.interrupt, &mut |_| {})?;
                if interrupted() {
                    return Ok(score);
                }
                let thought = played.moves.iter().flatten().filter(|played| played.result.is_some());
                self.played = [self.played[0] + 1, self.played[1] + thought.count() as u32];
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

    /// The newcomer that is to play instead of the last player, and how many matches say so: the best of the newcomers, which are
    /// the first players, by half of the time, if it is clearly better in the other half.
    pub(super) fn successor(
        &mut self,
        newcomers: usize,
        time: Duration,
    ) -> Result<Option<(usize, u32)>, TrialError> {
        let half = time / 2;
        let mut best = 0;
        for comes in 1..newcomers {
            let each = half / (newcomers - 1) as u32;
            let score = self.meet([comes, best], self.thinking(each), each)?;
            if score.points > 0.5 * f64::from(score.matches) {
                best = comes;
            }
        }
        let score = self.meet([best, newcomers], self.thinking(half), half)?;
        let clearly = score.matches >= LEAST && score.is_better();
        Ok(clearly.then_some((best, score.matches)))
    }
}

/// What players think about a move, so that matches of this length end within the time.
fn move_time(time: Duration, moves: f64, longest: Duration) -> Duration {
    time.div_f64(WANTED * moves).max(LONG[0]).min(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As long as lets six matches end, but no shorter than is worth anything, and no longer than in the match to come.
    #[test]
    fn moves_of_trial_matches_take_what_there_is_time_for() {
        let within = |seconds: f64, clock: f64| {
            let [time, longest] = [seconds, clock].map(Duration::from_secs_f64);
            move_time(time, 50.0, longest).as_secs_f64()
        };
        assert_eq!(within(30.0, 1.0), 0.1);
        assert_eq!(within(30.0, 0.05), 0.05);
        assert_eq!(within(1.0, 1.0), LONG[0].as_secs_f64());
        assert_eq!(within(1.0, 0.005), 0.005);
    }
}

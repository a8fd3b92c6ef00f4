//! Trial matches: short matches that decide which of a few players is the strongest in a game of two roles.
//!
//! In the first phase, players that need little time meet in very short matches. Each in turn challenges the current
//! champion and replaces it with more than half of the points. In the second phase, the champion and the slow players
//! challenge the first slow player in longer matches, and must be clearly better to replace it.
//!
//! Matches are in pairs: both begin with the same random moves, and the players exchange roles. In the second phase, a
//! move gets as much time as lets some matches end, judged by earlier matches, but no more than in the match to come.
//! With shorter moves the winner is probably, but not certainly, the stronger player in the match.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::machine::Machine;

use super::match_play::{Clock, Conditions, Match, MatchError};
use super::opening::opening;
use super::player::Player;
use super::prepared_game::{PrepareError, PreparedGame};
use super::search_player::SearchPlayer;

/// Time per move in the short matches.
const SHORT: Duration = Duration::from_millis(5);
/// Least time per move in the longer matches, and the greatest if the time in the match to come is unknown.
const LONG: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(1)];
/// The share of the time for the longer matches, if there are short ones too.
const LONGER: f64 = 0.7;
/// Number of longer matches that two players should play; fewer if the time does not suffice.
const WANTED: f64 = 6.0;
/// Estimated number of moves with a choice in a match, before one was played.
const MOVES: f64 = 50.0;
/// The share of the points that replaces the champion: more than chance gives in a few matches.
const BEATEN: f64 = 0.6;
/// Tolerance for late moves, so that a busy computer does not decide.
const GRACE: Duration = Duration::from_millis(200);
/// Greatest number of pairs of matches between two players.
const PAIRS: u64 = 10;
/// Least number of matches that can replace the champion.
const LEAST: u32 = 4;
/// Joint moves after which a match is a draw.
const MOST_STEPS: u32 = 300;
/// Random moves before players begin.
const OPENING: u32 = 2;

/// Why trial matches failed.
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
    /// Converts the error for callers that make players.
    pub(super) fn prepare(self) -> PrepareError {
        match self {
            TrialError::Player(error) => *error,
            TrialError::Match(error) => PrepareError::Trial(error),
        }
    }
}

/// The result of one player against another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct TrialScore {
    points: f64,
    matches: u32,
}

impl TrialScore {
    /// Whether it won clearly more than chance gives in a few matches.
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
    /// The greatest time per move.
    longest: Duration,
    /// The number of matches so far, and of moves with a choice in them.
    played: [u32; 2],
}

impl<'a, 'm> Trials<'a, 'm> {
    /// Trial matches between players that `make` makes.
    pub(super) fn new(game: &'a PreparedGame<'m>, make: &'a Make<'a, 'm>, seed: u64) -> Trials<'a, 'm> {
        let longest = game.thinks().unwrap_or(LONG[1]);
        Trials { machine: game.machine(), make, seed, interrupt: game.interrupt(), longest, played: [0; 2] }
    }

    /// The number of the strongest of `players` players within the time, and the number of matches. The first `slow` of
    /// them need long matches. Without time it is the first player.
    ///
    /// # Errors
    /// A player does not suit the game, or a state can't be evaluated.
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
            // Time that earlier challengers did not use goes to later ones.
            let each = time.saturating_sub(begun.elapsed()) / (challengers.len() - number) as u32;
            let score = self.meet([comes, first], self.thinking(each), each)?;
            if score.is_better() {
                first = comes;
            }
        }
        Ok((first, self.played[0]))
    }

    /// Expected number of moves with a choice in a match, from the matches so far.
    fn moves(&self) -> f64 {
        let [matches, moves] = self.played.map(f64::from);
        if matches > 0.0 { (moves / matches).max(1.0) } else { MOVES }
    }

    /// The time per move that lets some matches end within the time.
    fn thinking(&self, time: Duration) -> Duration {
        move_time(time, self.moves(), self.longest)
    }

    /// The score of the first of two players against the second. Ends when the next pair would take too long, or can't
    /// change the decision.
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
            // Half of a pair too late is as close as half of a pair too early. The duration of the first pair is unknown.
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

    /// The newcomer that should replace the last player, with the number of matches; none if the last player should stay.
    /// Half of the time goes to finding the best newcomer (the other players); it must be clearly better in the other
    /// half.
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

/// The time per move that lets matches of this length end within the time.
fn move_time(time: Duration, moves: f64, longest: Duration) -> Duration {
    time.div_f64(WANTED * moves).max(LONG[0]).min(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A move takes as long as lets six matches end, but at least as long as is useful, and at most as long as in the
    /// match.
    #[test]
    fn trial_moves_fit_into_the_time() {
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

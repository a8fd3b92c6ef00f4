//! Plans how learning spends its work: the number of rounds, the work of each round, the samples of a fit,
//! and the games of a comparison.
//!
//! Work is counted in evaluated states. [`Schedule`] plans fewer rounds if each would have too few games, or
//! if earlier rounds exceeded their share of the work. Rounds become shorter if time is short.

use std::time::Instant;

use crate::machine::Machine;
use crate::simulate::WorkLimit;

use super::parameters::LearnedParameters;

/// Units of work per second of one processor, on a network without gates.
const UNITS_PER_SECOND: u64 = 1_000_000;

/// The number of operands of gates that doubles the time of a unit.
const OPERANDS_THAT_DOUBLE_TIME: usize = 2_000;

/// [`UNITS_PER_SECOND`] if states are evaluated in lanes.
const UNITS_PER_SECOND_IN_LANES: u64 = 250_000;

/// [`OPERANDS_THAT_DOUBLE_TIME`] in lanes. Fits then take most of the time, so the network matters less.
const OPERANDS_THAT_DOUBLE_TIME_IN_LANES: usize = 40_000;

/// States that a pass of a fit processes in the time of a unit of work, on a network without gates.
const FITTED_PER_UNIT: u64 = 1;
const FITTED_PER_UNIT_IN_LANES: u64 = 2;

/// The share of a round's work for play, and the share for the passes of fits. The rest is for the selection of
/// conjunctions and for comparisons.
const PLAY_SHARE: f64 = 0.5;
const FIT_SHARE: f64 = 0.3;

/// The share of all work for comparisons with previous models.
const COMPARISONS: f64 = 0.1;

/// The fewest and the most games of a comparison for each role.
const COMPARISON_GAMES: [u64; 2] = [64, 512];

/// The most passes of a fit over its samples.
pub(super) const EPOCHS: u64 = 4;

/// The most samples in memory, and the most 64-bit words that they may take.
const MAX_SAMPLES: usize = 600_000;
const MAX_WORDS: usize = 32 << 20;

/// The least number of samples of a fit, scaled by `pace`, if enough are available. Fits to random games need fewer; they are
/// tried with more settings.
const LEAST_SAMPLES: usize = 30_000;
const LEAST_RANDOM_SAMPLES: usize = 8_000;

/// The fewest games of a round, if the work allows several rounds of them: the outcomes of few games depend on chance.
/// (In chess, three rounds of 300 games are better than eleven of 128, see `reports/learned.md`.)
const LEAST_GAMES: u64 = 400;

/// Learning may exceed its work by this factor, if a batch of games is more expensive than the earlier ones.
const OVERRUN: f64 = 1.5;

/// The fewest rounds: one of random games, one of better games, and one that removes terms.
const LEAST_ROUNDS: u32 = 3;

/// The least share of its work that a round takes if time is short.
const LEAST_PACE: f64 = 0.1;

/// The work and time of all rounds, and what the current round may take.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    /// The work of all rounds.
    pub(super) work: u64,
    clock: Option<Clock>,
    /// States that a pass of a fit processes in the time of a unit of work.
    pub(super) states_per_unit: u64,
    /// The most samples kept in memory.
    pub(super) room: usize,
    /// The number of rounds that are planned.
    pub(super) rounds: u32,
    /// The current round, from 0.
    pub(super) round: u32,
    /// The work done when the second round began.
    work_before_second: u64,
    /// The work of the current round.
    round_work: u64,
    /// The part of [`Schedule::round_work`] that time allows, 0 to 1.
    pace: f64,
    /// The total work at the end of the current round.
    until: u64,
}

/// A limit of time.
#[derive(Clone, Copy, Debug)]
struct Clock {
    begun: Instant,
    limit: f64,
    /// Seconds that the work is expected to take.
    expected_seconds: f64,
}

impl Schedule {
    /// The schedule of a game. `seconds` is the limit of time, if there is one.
    pub(super) fn new(
        parameters: &LearnedParameters,
        machine: &dyn Machine,
        seconds: Option<f64>,
    ) -> Schedule {
        let (per_second, operands, states_per_unit) = match machine.suits_lanes() {
            true => (UNITS_PER_SECOND_IN_LANES, OPERANDS_THAT_DOUBLE_TIME_IN_LANES, FITTED_PER_UNIT_IN_LANES),
            false => (UNITS_PER_SECOND, OPERANDS_THAT_DOUBLE_TIME, FITTED_PER_UNIT),
        };
        // A unit takes longer on a network with more gates.
        let relative_cost =
            1.0 + machine.network().map_or(0, |network| network.operands.len()) as f64 / operands as f64;
        let expected_seconds = parameters.work as f64;
        let work = (expected_seconds * per_second as f64 / relative_cost) as u64;
        let schedule = Schedule::of_work(work, expected_seconds, seconds, parameters.rounds);
        let room = MAX_SAMPLES.min(MAX_WORDS / machine.initial().0.len().max(1));
        Schedule { room, states_per_unit: (states_per_unit as f64 * relative_cost) as u64, ..schedule }
    }

    fn of_work(work: u64, expected_seconds: f64, seconds: Option<f64>, rounds: u32) -> Schedule {
        Schedule {
            work,
            clock: seconds.map(|limit| Clock { begun: Instant::now(), limit, expected_seconds }),
            states_per_unit: 1,
            room: MAX_SAMPLES,
            rounds,
            round: 0,
            work_before_second: 0,
            round_work: 0,
            pace: 1.0,
            until: 0,
        }
    }

    /// The work after which learning ends, even if rounds are left.
    pub(super) fn most_work(&self) -> u64 {
        (self.work as f64 * OVERRUN) as u64
    }

    /// Begins a round, counted from 0, after `spent` work. If the rounds before took more than their share, so that
    /// learning would end before its last rounds, fewer are planned.
    pub(super) fn begin(&mut self, round: u32, spent: u64) {
        self.round = round;
        match round {
            0 => {}
            1 => self.work_before_second = spent,
            _ => {
                let per_round = (spent - self.work_before_second) / u64::from(round - 1);
                let left = self.most_work().saturating_sub(spent) / per_round.max(1);
                self.rounds = self.rounds.min(round + left.clamp(1, 1_000) as u32);
            }
        }
        if let Some(Clock { begun, limit, expected_seconds }) = self.clock {
            self.pace = match round {
                // It isn't known yet how long a unit of work takes on this computer.
                0 => (limit / expected_seconds).clamp(LEAST_PACE, 1.0),
                _ => pace(begun.elapsed().as_secs_f64() / limit, round, self.rounds),
            };
        }
        self.round_work = self.work.saturating_sub(spent) / u64::from((self.rounds - round).max(1));
        self.until = spent + (self.round_work as f64 * self.pace) as u64;
    }

    /// The remaining work of the current round.
    pub(super) fn work_left_in_round(&self, spent: u64) -> u64 {
        self.until.saturating_sub(spent)
    }

    /// The work for play of a round that began after `spent` work.
    pub(super) fn play_work(&self, spent: u64) -> u64 {
        (self.work_left_in_round(spent) as f64 * PLAY_SHARE) as u64
    }

    /// Plans fewer rounds if the work is not enough for `LEAST_GAMES` in each. `spent` is the work done when the
    /// current round began, `per_game` the work of a game.
    pub(super) fn limit_rounds(&mut self, spent: u64, per_game: u64) {
        let games = self.work.saturating_sub(spent) as f64 * PLAY_SHARE / per_game.max(1) as f64;
        let rounds = self.round + (games as u64 / LEAST_GAMES).min(1_000) as u32;
        let rounds = rounds.max(LEAST_ROUNDS);
        if rounds < self.rounds {
            self.rounds = rounds;
            self.begin(self.round, spent);
        }
    }

    /// The most samples that the fits of a round have work for. Random games take nearly no work, so their
    /// fits also get the share of play.
    pub(super) fn samples(&self, at_random: bool, fits: usize) -> usize {
        let (part, least) = if at_random {
            (PLAY_SHARE + FIT_SHARE, LEAST_RANDOM_SAMPLES)
        } else {
            (FIT_SHARE, LEAST_SAMPLES)
        };
        let work = (self.round_work as f64 * self.pace * part) as u64;
        let affordable = work * self.states_per_unit / fits.max(1) as u64 / EPOCHS;
        self.room.min((affordable as usize).max((least as f64 * self.pace) as usize))
    }

    /// Whether the current round is one of the last, which remove the terms that change values least and fit the others
    /// again.
    pub(super) fn prunes(&self) -> bool {
        self.round + pruning_rounds(self.rounds) >= self.rounds
    }

    /// The games of a comparison for each role. `played` is the number of games so far whose states were evaluated. Before
    /// the first, their cost is unknown, and the comparison is short.
    pub(super) fn comparison_games(&self, played: u64, players: usize, work_limit: &WorkLimit<'_>) -> u64 {
        let spent = work_limit.spent() as f64;
        let per_game = spent / played.max(1) as f64;
        let work = work_limit.left().map_or(f64::INFINITY, |left| left as f64 + spent);
        let comparisons = (players + 1) as f64 * f64::from(self.rounds);
        let games = (work * COMPARISONS / per_game.max(1.0) / comparisons) as u64;
        games.clamp(COMPARISON_GAMES[0], COMPARISON_GAMES[1])
    }
}

/// The number of rounds at the end that remove terms.
fn pruning_rounds(rounds: u32) -> u32 {
    (rounds / 3).min(3)
}

/// The share of its work that a round may take so that all rounds end in time; `elapsed` is the share of the time that
/// is over.
fn pace(elapsed: f64, round: u32, rounds: u32) -> f64 {
    ((1.0 - elapsed) / (1.0 - f64::from(round) / f64::from(rounds))).clamp(LEAST_PACE, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_that_are_late_become_shorter() {
        assert_eq!(pace(0.0, 0, 12), 1.0);
        assert_eq!(pace(0.4, 6, 12), 1.0, "there is time");
        assert!((pace(0.75, 6, 12) - 0.5).abs() < 1e-9);
        assert_eq!(pace(1.2, 6, 12), 0.1);
    }

    #[test]
    fn the_last_rounds_remove_terms() {
        assert_eq!([1, 2, 3, 4, 6, 12, 40].map(pruning_rounds), [0, 0, 1, 1, 2, 3, 3]);
    }

    #[test]
    fn later_rounds_get_the_work_that_a_round_leaves() {
        let mut schedule = Schedule::of_work(1_200_000, 12.0, None, 12);
        schedule.begin(0, 0);
        assert_eq!((schedule.round_work, schedule.until), (100_000, 100_000));
        schedule.begin(1, 10_000);
        assert_eq!(schedule.until, 10_000 + 1_190_000 / 11);
        schedule.begin(11, 1_300_000);
        assert_eq!(schedule.round_work, 0, "no work is left");
    }

    #[test]
    fn expensive_rounds_leave_fewer_rounds() {
        let mut schedule = Schedule::of_work(1_200_000, 12.0, None, 12);
        schedule.begin(1, 100_000);
        schedule.begin(2, 220_000);
        assert_eq!(schedule.rounds, 12, "a fifth more than its share is within the overrun");
        schedule.begin(3, 700_000);
        // 300,000 a round; 1,100,000 are left.
        assert_eq!(schedule.rounds, 6);
        schedule.begin(4, 1_790_000);
        assert_eq!(schedule.rounds, 5, "one more is tried");
    }

    #[test]
    fn the_first_round_is_as_short_as_the_time() {
        let mut schedule = Schedule::of_work(1_200_000, 12.0, Some(3.0), 12);
        schedule.begin(0, 0);
        assert_eq!(schedule.until, 25_000);
    }

    #[test]
    fn expensive_games_leave_fewer_rounds() {
        let mut schedule = Schedule::of_work(1_200_000, 12.0, None, 12);
        schedule.begin(1, 200_000);
        schedule.limit_rounds(200_000, 10);
        assert_eq!(schedule.rounds, 12, "50,000 games are enough for twelve");
        schedule.limit_rounds(200_000, 300);
        // 1,666 games: four rounds after the first.
        assert_eq!((schedule.rounds, schedule.until), (5, 200_000 + 250_000));
        schedule.limit_rounds(200_000, 30_000);
        assert_eq!(schedule.rounds, 3, "never fewer than three");
    }
}

//! How the work of learning is shared out among its rounds.

use std::time::Instant;

/// The share of a round's work that is play, and that which states are gone through in fits; the rest is for choosing
/// conjunctions and for matches.
pub(super) const PLAY: f64 = 0.5;
pub(super) const FITS: f64 = 0.3;

/// Games that a round has at least, if there is work for so many in several rounds: what a few games come to is chance. (In chess
/// three rounds of 300 games are worth more than eleven of 128, see `reports/learned.md`.)
const LEAST_GAMES: u64 = 400;

/// Times its work that learning may pass it by, in a wave of games that are dearer than those before.
const OVERRUN: f64 = 1.5;

/// Rounds that there are at least: one of random games, one of games that are chosen better, and one that drops what says least.
const LEAST_ROUNDS: u32 = 3;

/// The least share of its work that a round takes: with fewer games nothing comes of it.
const LEAST_PACE: f64 = 0.1;

/// The work and time of all rounds, and what the round under way may take.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    work: u64,
    /// The seconds that there are, and those that the work is meant to take.
    seconds: Option<f64>,
    meant: f64,
    begun: Instant,
    /// The work done when the second round began.
    after_first: u64,
    /// Rounds that there will be.
    pub(super) rounds: u32,
    /// Work of the round under way, and the share of it that the clock leaves.
    pub(super) share: u64,
    pub(super) pace: f64,
    /// The work done when it is over.
    pub(super) until: u64,
}

impl Schedule {
    /// For so much work, which is meant to take so many seconds, and the seconds that there are, if they are limited.
    pub(super) fn new(work: u64, meant: f64, seconds: Option<f64>, rounds: u32) -> Schedule {
        let begun = Instant::now();
        Schedule { work, seconds, meant, begun, after_first: 0, rounds, share: 0, pace: 1.0, until: 0 }
    }

    /// The work after which learning is ended.
    pub(super) fn most_work(&self) -> u64 {
        (self.work as f64 * OVERRUN) as u64
    }

    /// Begins a round, counted from 0, when so much work is done. Where those before took more than their share, so that learning
    /// would be ended before its last rounds, fewer are planned.
    pub(super) fn begin(&mut self, round: u32, spent: u64) {
        match round {
            0 => {}
            1 => self.after_first = spent,
            _ => {
                let each = (spent - self.after_first) / u64::from(round - 1);
                let left = self.most_work().saturating_sub(spent) / each.max(1);
                self.rounds = self.rounds.min(round + left.clamp(1, 1_000) as u32);
            }
        }
        if let Some(seconds) = self.seconds {
            let elapsed = self.begun.elapsed().as_secs_f64() / seconds;
            self.pace = match round {
                // Nothing is known of the time that work takes here.
                0 => (seconds / self.meant).clamp(LEAST_PACE, 1.0),
                _ => pace(elapsed, round, self.rounds),
            };
        }
        self.share = self.work.saturating_sub(spent) / u64::from((self.rounds - round).max(1));
        self.until = spent + (self.share as f64 * self.pace) as u64;
    }

    /// The work of the round under way that is for play, where it began when so much was done.
    pub(super) fn play(&self, spent: u64) -> u64 {
        (self.until.saturating_sub(spent) as f64 * PLAY) as u64
    }

    /// Plans fewer rounds, from a round that began when so much work was done, where each of its games takes so much that there would
    /// be too few in each.
    pub(super) fn plan(&mut self, round: u32, spent: u64, of_a_game: u64) {
        let games = self.work.saturating_sub(spent) as f64 * PLAY / of_a_game.max(1) as f64;
        let rounds = round + (games as u64 / LEAST_GAMES).min(1_000) as u32;
        let rounds = rounds.max(LEAST_ROUNDS);
        if rounds < self.rounds {
            self.rounds = rounds;
            self.begin(round, spent);
        }
    }
}

/// The share of its work that a round may take so that all of them end in time, where a share of the time is over before it.
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
    fn what_a_round_leaves_is_for_those_after_it() {
        let mut schedule = Schedule::new(1_200_000, 12.0, None, 12);
        schedule.begin(0, 0);
        assert_eq!((schedule.share, schedule.until), (100_000, 100_000));
        schedule.begin(1, 10_000);
        assert_eq!(schedule.until, 10_000 + 1_190_000 / 11);
        schedule.begin(11, 1_300_000);
        assert_eq!(schedule.share, 0, "more was done than there was");
    }

    #[test]
    fn rounds_that_take_too_much_are_the_last_but_few() {
        let mut schedule = Schedule::new(1_200_000, 12.0, None, 12);
        schedule.begin(1, 100_000);
        schedule.begin(2, 220_000);
        assert_eq!(schedule.rounds, 12, "a fifth more than its share is borne by what may be overrun");
        schedule.begin(3, 700_000);
        // 300,000 a round, of which 1,100,000 are left.
        assert_eq!(schedule.rounds, 6);
        schedule.begin(4, 1_790_000);
        assert_eq!(schedule.rounds, 5, "one more is tried");
    }

    #[test]
    fn the_first_round_is_as_short_as_the_time() {
        let mut schedule = Schedule::new(1_200_000, 12.0, Some(3.0), 12);
        schedule.begin(0, 0);
        assert_eq!(schedule.until, 25_000);
    }

    #[test]
    fn where_games_are_dear_there_are_fewer_rounds() {
        let mut schedule = Schedule::new(1_200_000, 12.0, None, 12);
        schedule.begin(1, 200_000);
        schedule.plan(1, 200_000, 10);
        assert_eq!(schedule.rounds, 12, "50,000 games are enough for twelve");
        schedule.plan(1, 200_000, 300);
        // 1,666 games: four rounds after the first.
        assert_eq!((schedule.rounds, schedule.until), (5, 200_000 + 250_000));
        schedule.plan(1, 200_000, 30_000);
        assert_eq!(schedule.rounds, 3, "two more there are in any case");
    }
}

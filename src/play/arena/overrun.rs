//! The overrun of players: the time from the deadline to a late answer. A player that overran gets less time for later moves.
//!
//! # Why
//! A search stops at its deadline, but the computer may pause it there. Busy virtual machines pause for tens of
//! milliseconds, often several times a second. A player with too small a margin is then late, and a random move replaces
//! its own.

use std::time::{Duration, Instant};

/// The margin is this many times the longest overrun.
const MARGIN_FACTOR: f64 = 1.5;

/// The factor by which the longest overrun decays with each move.
const DECAY: f64 = 15.0 / 16.0;

/// Greatest share of a clock that overruns may use as margin.
const MAX_SHARE: f64 = 0.25;

/// The overruns of one player.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Overrun {
    longest: Duration,
}

impl Overrun {
    /// Records the time of an answer, and when it was due.
    pub(super) fn note(&mut self, due: Instant, answered: Instant) {
        self.longest = answered.saturating_duration_since(due).max(self.longest.mul_f64(DECAY));
    }

    /// The safety margin of a clock, at least `margin`.
    pub(super) fn margin(self, time: Duration, margin: Duration) -> Duration {
        self.longest.mul_f64(MARGIN_FACTOR).min(time.mul_f64(MAX_SHARE)).max(margin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overruns_reduce_the_time_temporarily() {
        let ms = Duration::from_millis;
        let (time, margin) = (ms(200), ms(20));
        let mut overrun = Overrun::default();
        assert_eq!(overrun.margin(time, margin), margin);
        let due = Instant::now();
        overrun.note(due, due + ms(5));
        assert_eq!(overrun.margin(time, margin), margin, "well within the margin");
        overrun.note(due, due + ms(18));
        assert_eq!(overrun.margin(time, margin), ms(27));
        overrun.note(due, due + ms(90));
        assert_eq!(overrun.margin(time, margin), ms(50), "a quarter at most");
        assert_eq!(overrun.margin(ms(2000), margin), ms(135));
        for _ in 0..100 {
            overrun.note(due, due);
        }
        assert_eq!(overrun.margin(time, margin), margin, "forgotten in the end");
        assert_eq!(overrun.margin(ms(50), margin), margin, "never less than the margin");
    }
}

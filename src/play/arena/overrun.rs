//! How far answers come after the time that a player was given for them: one that overran has less time from then on.
//!
//! # Why
//! A search ends by its deadline, but the computer may halt it there: virtual machines whose processors are all busy stand
//! still for tens of milliseconds now and then, often several times a second. Those who leave too little of their clock are
//! late then, and a random move is made for them.

use std::time::{Duration, Instant};

/// How much longer than the longest overrun the time is that is left.
const SPARE: f64 = 1.5;

/// The part of it that still counts a move later.
const KEPT: f64 = 15.0 / 16.0;

/// The part of a clock that is left at most because of overruns.
const MOST: f64 = 0.25;

/// The overruns of one player.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Overrun {
    longest: Duration,
}

impl Overrun {
    /// Notes when an answer came that was due then.
    pub(super) fn note(&mut self, due: Instant, came: Instant) {
        self.longest = came.saturating_duration_since(due).max(self.longest.mul_f64(KEPT));
    }

    /// What is left of a clock of so much time: the margin at least.
    pub(super) fn margin(self, time: Duration, margin: Duration) -> Duration {
        self.longest.mul_f64(SPARE).min(time.mul_f64(MOST)).max(margin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_overran_has_less_time_for_a_while() {
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

//! Intervals in which values lie.

use crate::search::clock_keys::{Reach, further};

/// Intervals narrower than this are one value, in goal points: far below what matters, far above what rounding does.
pub(super) const NARROW: f64 = 1e-6;

/// An interval in which a value lies, in goal points of the role.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Interval {
    pub(super) fn point(value: f64) -> Interval {
        Interval { low: value, high: value }
    }

    pub(super) fn is_narrow(self) -> bool {
        self.high - self.low <= NARROW
    }

    /// What is in both; in the other one where nothing is.
    pub(super) fn and(self, other: Interval) -> Interval {
        let both = Interval { low: self.low.max(other.low), high: self.high.min(other.high) };
        if both.low <= both.high { both } else { other }
    }

    /// As it is seen by the other side, where the sign is negative.
    pub(super) fn facing(self, sign: f64) -> Interval {
        if sign > 0.0 { self } else { Interval { low: -self.high, high: -self.low } }
    }
}

/// What is known of the value of a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ValueBounds {
    /// The value as far as was looked ahead.
    pub(super) here: Interval,
    /// The value of the game itself: no estimate went into it.
    pub(super) sure: Interval,
    /// Plies from its state that both rest on.
    pub(super) reach: Reach,
}

impl ValueBounds {
    /// Any value among all there are.
    pub(super) fn any(all: Interval) -> ValueBounds {
        ValueBounds { here: all, sure: all, reach: 0 }
    }

    pub(super) fn proved(value: f64, reach: Reach) -> ValueBounds {
        ValueBounds { here: Interval::point(value), sure: Interval::point(value), reach }
    }

    /// The same with what is known besides.
    pub(super) fn and(self, other: ValueBounds) -> ValueBounds {
        let sure = self.sure.and(other.sure);
        ValueBounds { here: self.here.and(other.here).and(sure), sure, reach: self.reach.max(other.reach) }
    }

    /// The bounds of a child, as its parent sees them.
    pub(super) fn of_child(self) -> ValueBounds {
        ValueBounds { reach: further(self.reach), ..self }
    }

    pub(super) fn facing(self, sign: f64) -> ValueBounds {
        ValueBounds { here: self.here.facing(sign), sure: self.sure.facing(sign), ..self }
    }

    /// The greater of two values, or the less.
    pub(super) fn either(self, other: ValueBounds, choose: fn(f64, f64) -> f64) -> ValueBounds {
        let of =
            |a: Interval, b: Interval| Interval { low: choose(a.low, b.low), high: choose(a.high, b.high) };
        ValueBounds {
            here: of(self.here, other.here),
            sure: of(self.sure, other.sure),
            reach: self.reach.max(other.reach),
        }
    }
}

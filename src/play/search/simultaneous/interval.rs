//! Intervals that contain values.

use crate::search::clock_keys::{Reach, further};

/// Narrower intervals count as one value, in goal points: far below any relevant difference, far above rounding errors.
pub(super) const NARROW: f64 = 1e-6;

/// An interval that contains a value, in goal points of the role.
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

    /// The intersection; `other` if it is empty.
    pub(super) fn and(self, other: Interval) -> Interval {
        let both = Interval { low: self.low.max(other.low), high: self.high.min(other.high) };
        if both.low <= both.high { both } else { other }
    }

    /// The interval from the other side's point of view, if the sign is negative.
    pub(super) fn facing(self, sign: f64) -> Interval {
        if sign > 0.0 { self } else { Interval { low: -self.high, high: -self.low } }
    }
}

/// Bounds of a state's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ValueBounds {
    /// The value to the depth of the search.
    pub(super) here: Interval,
    /// The value of the game itself, without estimates.
    pub(super) sure: Interval,
    /// The number of plies after its state that both depend on.
    pub(super) reach: Reach,
}

impl ValueBounds {
    /// No bounds: any value of the interval.
    pub(super) fn any(all: Interval) -> ValueBounds {
        ValueBounds { here: all, sure: all, reach: 0 }
    }

    pub(super) fn proved(value: f64, reach: Reach) -> ValueBounds {
        ValueBounds { here: Interval::point(value), sure: Interval::point(value), reach }
    }

    /// The combination of two bounds of the same value.
    pub(super) fn and(self, other: ValueBounds) -> ValueBounds {
        let sure = self.sure.and(other.sure);
        ValueBounds { here: self.here.and(other.here).and(sure), sure, reach: self.reach.max(other.reach) }
    }

    /// The bounds of a child, from its parent's point of view.
    pub(super) fn of_child(self) -> ValueBounds {
        ValueBounds { reach: further(self.reach), ..self }
    }

    pub(super) fn facing(self, sign: f64) -> ValueBounds {
        ValueBounds { here: self.here.facing(sign), sure: self.sure.facing(sign), ..self }
    }

    /// The greater or the lesser of two values.
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

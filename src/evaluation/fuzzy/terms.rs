//! What members add to a conjunction: terms in whole units, so that sums are exact.

use std::ops::{Add, Sub};

use super::norm::Norm;

/// Members that a conjunction can have at most, so that no sum of terms overflows.
pub(super) const MOST_MEMBERS: usize = 1 << 20;

/// Logarithms are in units of 2^-35; below 2^-127 a value counts as 0.
const LOGARITHM: f64 = (1_u64 << 35) as f64;
const LEAST_LOGARITHM: f64 = 127.0;

/// Powers are in units of 2^-42.
const POWER: f64 = (1_u64 << 42) as f64;

/// The terms of a conjunction's members, in whole units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Sum {
    /// Of those that hold.
    pub(super) holds: i64,
    /// Of the others; more than 0 where there is one.
    pub(super) fails: i64,
}

impl Sum {
    /// What a member adds that holds, or does not.
    pub(super) fn of(term: i64, holds: bool) -> Sum {
        if holds { Sum { holds: term, fails: 0 } } else { Sum { holds: 0, fails: term } }
    }

    /// Adds a change, or takes it back.
    pub(super) fn add(&mut self, change: Sum, come: bool) {
        *self = if come { *self + change } else { *self - change };
    }
}

impl Add for Sum {
    type Output = Sum;

    fn add(self, other: Sum) -> Sum {
        Sum { holds: self.holds + other.holds, fails: self.fails + other.fails }
    }
}

impl Sub for Sum {
    type Output = Sum;

    fn sub(self, other: Sum) -> Sum {
        Sum { holds: self.holds - other.holds, fails: self.fails - other.fails }
    }
}

/// A value, with what it adds to a conjunction that it is a member of, and to one that its negation is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Graded {
    /// The value.
    pub(super) value: f64,
    /// What it adds, and what its negation does.
    pub(super) adds: [Sum; 2],
}

impl Graded {
    /// Whether what has the value holds.
    pub(super) fn holds(&self) -> bool {
        self.value > 0.5
    }

    /// The negation.
    pub(super) fn negated(self) -> Graded {
        Graded { value: 1.0 - self.value, adds: [self.adds[1], self.adds[0]] }
    }

    /// What a change to another value adds.
    pub(super) fn change(&self, now: &Graded) -> [Sum; 2] {
        [now.adds[0] - self.adds[0], now.adds[1] - self.adds[1]]
    }
}

/// A t-norm with its threshold, and what members add to a conjunction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    norm: Norm,
    threshold: f64,
    /// The threshold's own term.
    floor: i64,
    /// (1 - t)^q.
    floor_power: f64,
    /// The value 0.
    nothing: Graded,
}

impl Scale {
    pub(super) fn new(norm: Norm, threshold: f64) -> Scale {
        let q = exponent(norm);
        let mut scale = Scale {
            norm,
            threshold,
            floor: 0,
            floor_power: (1.0 - threshold).powf(q),
            nothing: Graded::default(),
        };
        scale.floor = scale.term(threshold);
        scale.nothing = scale.grade(0.0);
        scale
    }

    /// What a member adds to the sum of those that hold, or of the others.
    pub(super) fn term(&self, value: f64) -> i64 {
        let term = match self.norm {
            Norm::Product => (-value.log2()).min(LEAST_LOGARITHM) * LOGARITHM,
            // In parts of the threshold's own: together they count no more than that.
            _ if value > 0.5 => {
                let part = (1.0 - value) / (1.0 - self.threshold);
                part.min(1.0).powf(exponent(self.norm)) * POWER
            }
            _ => ((1.0 - value).powf(exponent(self.norm)) * POWER).max(1.0),
        };
        (term + 0.5) as i64
    }

    /// T′ of the members with these sums, for all norms but the minimum.
    pub(super) fn settle(&self, sum: Sum) -> f64 {
        let Sum { holds, fails } = sum;
        let value = match self.norm {
            Norm::Product => (-((holds.min(self.floor) + fails) as f64) / LOGARITHM).exp2(),
            norm => {
                let high = (holds as f64 / POWER).min(1.0) * self.floor_power;
                let sum = high + fails as f64 / POWER;
                match exponent(norm) {
                    1.0 => 1.0 - sum,
                    2.0 => 1.0 - sum.sqrt(),
                    q => 1.0 - sum.powf(1.0 / q),
                }
            }
        };
        self.bounded(value, fails == 0)
    }

    /// T′ of members by the minimum norm.
    pub(super) fn least(&self, values: impl Iterator<Item = f64>) -> f64 {
        let least = values.fold(1.0, f64::min);
        self.bounded(least, least > 0.5)
    }

    /// Rounding must not carry a value over its bound.
    fn bounded(&self, value: f64, holds: bool) -> f64 {
        if holds { value.clamp(self.threshold, 1.0) } else { value.clamp(0.0, 1.0 - self.threshold) }
    }
}

fn exponent(norm: Norm) -> f64 {
    match norm {
        Norm::Yager { q } => q,
        _ => 1.0,
    }
}

impl Scale {
    /// A value with what it adds.
    pub(super) fn grade(&self, value: f64) -> Graded {
        let holds = value > 0.5;
        let (term, other) = (self.term(value), self.term(1.0 - value));
        Graded { value, adds: [Sum::of(term, holds), Sum::of(other, !holds)] }
    }

    /// T′ of members with these sums and, for the minimum norm, of which these are all different values.
    pub(super) fn fold(&self, sum: Sum, values: impl Iterator<Item = f64>) -> Graded {
        match self.norm {
            Norm::Minimum => self.grade(self.least(values)),
            _ => self.graded(sum),
        }
    }

    /// [`Scale::settle`] with what it adds: for the product the sum itself, which tells more than the value where that
    /// is near 0.
    fn graded(&self, sum: Sum) -> Graded {
        let value = self.settle(sum);
        if self.norm != Norm::Product {
            return self.grade(value);
        }
        let holds = sum.fails == 0;
        let term = (sum.holds.min(self.floor) + sum.fails).min((LEAST_LOGARITHM * LOGARITHM) as i64);
        Graded { value, adds: [Sum::of(term, holds), Sum::of(self.term(1.0 - value), !holds)] }
    }

    /// The value 0.
    pub(super) fn nothing(&self) -> Graded {
        self.nothing
    }
}

/// Results kept.
const KEPT: usize = 256;

/// Conjunctions settled lately: few sums come up again and again.
pub(super) struct Memo {
    scale: Scale,
    settled: Vec<(Sum, Graded)>,
    graded: Vec<Graded>,
}

impl Memo {
    pub(super) fn new(scale: Scale) -> Memo {
        let (nothing, zero) = (Sum::default(), scale.grade(0.0));
        Memo { scale, settled: vec![(nothing, scale.graded(nothing)); KEPT], graded: vec![zero; KEPT] }
    }

    /// T′ of the members with these sums, with its terms.
    pub(super) fn settle(&mut self, sum: Sum) -> Graded {
        let entry = &mut self.settled[slot(sum.holds as u64 ^ (sum.fails as u64).rotate_left(32))];
        if entry.0 != sum {
            *entry = (sum, self.scale.graded(sum));
        }
        entry.1
    }

    /// A value with its terms.
    pub(super) fn grade(&mut self, value: f64) -> Graded {
        let entry = &mut self.graded[slot(value.to_bits())];
        if entry.value != value {
            *entry = self.scale.grade(value);
        }
        *entry
    }
}

/// Where a result is kept.
fn slot(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - KEPT.trailing_zeros())) as usize
}

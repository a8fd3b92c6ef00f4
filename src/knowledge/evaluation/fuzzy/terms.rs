//! What members add to a conjunction: terms in whole units, so that sums are exact.

use std::ops::{Add, Sub};

use super::norm::Norm;
use super::strict::{Costs, Strict};

/// Members that a conjunction can have at most, so that no sum of terms overflows.
pub(super) const MOST_MEMBERS: usize = 1 << 18;

/// Logarithms are in units of 2^-35; below 2^-127 a value counts as 0.
const LOGARITHM: f64 = (1_u64 << 35) as f64;
const LEAST_LOGARITHM: f64 = 127.0;

/// Powers are in units of 2^-42.
const POWER: f64 = (1_u64 << 42) as f64;

/// What a member below 1 adds for the drastic product, besides its value in units of powers: the sum of two is never as
/// low as twice this.
const BELOW_ONE: i64 = 1 << 43;

/// Costs of members that hold, each less than ln 2, are in units of 2^-44 nats for the strict norm; those of the others
/// are in the units of logarithms.
const HOLDING: f64 = (1_u64 << 44) as f64;
const MOST_COST: f64 = 127.0;

/// The least cost of a member that holds which adds anything to a sum.
pub(super) const LEAST_HOLDING: f64 = 0.5 / HOLDING;

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
    strict: Strict,
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
            strict: Strict::new(threshold),
        };
        scale.floor = scale.term(threshold);
        scale.nothing = Graded { value: 0.0, ..scale.grade(scale.operand(0.0)) };
        scale
    }

    /// The value of a leaf, or of what always holds, as an operand: strictly between 0 and 1 for the strict norm.
    pub(super) fn operand(&self, value: f64) -> f64 {
        if self.norm == Norm::Strict { self.strict.inside(value) } else { value }
    }

    /// What a member adds to the sum of those that hold, or of the others.
    pub(super) fn term(&self, value: f64) -> i64 {
        let term = match self.norm {
            Norm::Strict if value > 0.5 => Costs::of(value).value * HOLDING,
            Norm::Strict => Costs::of(value).value.min(MOST_COST) * LOGARITHM,
            Norm::Product => (-value.log2()).min(LEAST_LOGARITHM) * LOGARITHM,
            Norm::Drastic if value >= 1.0 => 0.0,
            Norm::Drastic => BELOW_ONE as f64 + value * POWER,
            // In parts of the threshold's own: together they count no more than that.
            _ if value > 0.5 => {
                let part = (1.0 - value) / (1.0 - self.threshold);
                part.min(1.0).powf(exponent(self.norm)) * POWER
            }
            _ => ((1.0 - value).powf(exponent(self.norm)) * POWER).max(1.0),
        };
        (term + 0.5) as i64
    }

    /// T′ of the members with these sums, of a node of this breadth, for all norms but the minimum.
    pub(super) fn settle(&self, sum: Sum, breadth: f64) -> f64 {
        let Sum { holds, fails } = sum;
        let value = match self.norm {
            Norm::Strict => self.costs(sum, breadth).to_value(),
            Norm::Product => (-((holds.min(self.floor) + fails) as f64) / LOGARITHM).exp2(),
            Norm::Drastic => match (drastic(holds), drastic(fails)) {
                (held, 1.0) => held,
                // Those that hold come to the threshold at least, which is below 1.
                (1.0, failed) => failed,
                _ => 0.0,
            },
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

/// The drastic product of the members that such terms were added up of: 1 for none, the value of a single one, 0 for
/// several.
fn drastic(sum: i64) -> f64 {
    match sum {
        0 => 1.0,
        sum if sum < 2 * BELOW_ONE => (sum - BELOW_ONE) as f64 / POWER,
        _ => 0.0,
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
        if self.norm == Norm::Strict {
            return if value > 0.0 { self.of_costs(Costs::of(value)) } else { self.nothing };
        }
        let holds = value > 0.5;
        let (term, other) = (self.term(value), self.term(1.0 - value));
        Graded { value, adds: [Sum::of(term, holds), Sum::of(other, !holds)] }
    }

    /// T′ of members with these sums and, for the minimum norm, of which these are all different values.
    pub(super) fn fold(&self, sum: Sum, breadth: f64, values: impl Iterator<Item = f64>) -> Graded {
        match self.norm {
            Norm::Minimum => self.grade(self.least(values)),
            _ => self.graded(sum, breadth),
        }
    }

    /// The costs of a conjunction by the strict norm.
    fn costs(&self, sum: Sum, breadth: f64) -> Costs {
        self.strict.conjunction(sum.holds as f64 / HOLDING, sum.fails as f64 / LOGARITHM, breadth)
    }

    /// A value by the strict norm, with what it adds.
    fn of_costs(&self, costs: Costs) -> Graded {
        let holds = costs.value < costs.negation;
        let add = |cost: f64, holds: bool| {
            let units = if holds { HOLDING } else { LOGARITHM };
            Sum::of((cost.min(MOST_COST) * units + 0.5) as i64, holds)
        };
        // Rounding must not carry a value over its bound.
        let value = self.bounded(costs.to_value(), holds);
        Graded { value, adds: [add(costs.value, holds), add(costs.negation, !holds)] }
    }

    /// T′ of two values, by the strict norm.
    pub(super) fn both(&self, a: &Graded, b: &Graded) -> Graded {
        self.graded(a.adds[0] + b.adds[0], 1.0 - self.threshold)
    }

    /// A condition's value as it meets goal values: for the strict norm its odds are made visible.
    pub(super) fn shown(&self, condition: &Graded) -> f64 {
        if self.norm != Norm::Strict {
            return condition.value;
        }
        let [value, negation] =
            condition.adds.map(|sum| sum.holds as f64 / HOLDING + sum.fails as f64 / LOGARITHM);
        self.strict.shown(Costs { value, negation })
    }

    /// [`Scale::settle`] with what it adds: for the product the sum itself, which tells more than the value where that
    /// is near 0.
    fn graded(&self, sum: Sum, breadth: f64) -> Graded {
        if self.norm == Norm::Strict {
            return self.of_costs(self.costs(sum, breadth));
        }
        let value = self.settle(sum, breadth);
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
    settled: Vec<(Sum, u64, Graded)>,
    graded: Vec<Graded>,
}

impl Memo {
    pub(super) fn new(scale: Scale) -> Memo {
        let (nothing, zero) = (Sum::default(), scale.grade(0.0));
        Memo {
            scale,
            settled: vec![(nothing, 1.0_f64.to_bits(), scale.graded(nothing, 1.0)); KEPT],
            graded: vec![zero; KEPT],
        }
    }

    /// T′ of the members with these sums, of a node of this breadth, with its terms.
    pub(super) fn settle(&mut self, sum: Sum, breadth: f64) -> Graded {
        let bits = breadth.to_bits();
        let key = sum.holds as u64 ^ (sum.fails as u64).rotate_left(32) ^ bits.rotate_left(16);
        let entry = &mut self.settled[slot(key)];
        if entry.0 != sum || entry.1 != bits {
            *entry = (sum, bits, self.scale.graded(sum, breadth));
        }
        entry.2
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

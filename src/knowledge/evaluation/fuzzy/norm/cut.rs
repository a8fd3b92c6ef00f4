//! The t-norms that are cut, and T′, their thresholded form. The default norm is in `strict`.
//!
//! # How
//! T′(a, b) = max(T(a, b), t) if min(a, b) > 0.5, else T(a, b); S′(a, b) = 1 - T′(1 - a, 1 - b). T′ is not associative,
//! so the order of members matters; here members are combined by descending value. The members that hold come first. T′
//! raises their result to at least t before the other members lower it. So the value is T(max(T(those that hold), t),
//! T(the others)).
//!
//! A conjunction needs two folds: over the members that hold, and over the others. A fold is a product, a minimum, or a
//! sum of 1 - a for Łukasiewicz. For Yager's family it is the greatest 1 - a with the sum of ((1 - a) / greatest)^q, so
//! that no power underflows.
//!
//! # Guarantee
//! If the value of every member that holds is at least t, and that of every other member at most 1 - t, the same is
//! true of the result: if all members hold, it is max(.., t); otherwise T(a, b) <= min(a, b). This requires p >= t.
//!
//! # Example
//! Seven of eight literals hold, p = 0.8, t = 0.75, product: max(0.8^7, 0.75) * 0.2 = 0.15; six: 0.03.
//!
//! # Source
//! Schiffel and Thielscher 2007; `docs/fuzzy.md` has the details that the lectures leave open. S(a, b) = (a^q +
//! b^q)^(1/q) is cut at 1, as in Yager's definition. `reports/fuzzy_parameters/README.md` compares values of p, t and
//! q.

use fearless_simd::prelude::*;

use super::super::evaluator::lanes::{Lanes, Operand, cost_of, exp_of_negative};
use super::{Norm, TNorm};

/// A norm that is cut, with its threshold.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Cut {
    family: CutFamily,
    threshold: f32,
    room: f32,
}

/// The operation that combines two values.
#[derive(Clone, Copy, Debug)]
enum CutFamily {
    Product,
    Minimum,
    Lukasiewicz,
    Drastic,
    /// Yager's family, with the exponent.
    Yager(f32),
}

/// A fold over the members that hold, and one over the others. For Yager's family a fold also has the sum of powers.
#[derive(Clone, Copy)]
pub(in super::super) struct Folds<F> {
    holds: [F; 2],
    fails: [F; 2],
}

impl Cut {
    /// A norm with a threshold; none if it is the strict norm.
    pub(in super::super) fn new(norm: Norm, threshold: f64) -> Option<Cut> {
        let family = match norm {
            Norm::Strict => return None,
            Norm::Product => CutFamily::Product,
            Norm::Minimum => CutFamily::Minimum,
            Norm::Lukasiewicz => CutFamily::Lukasiewicz,
            Norm::Drastic => CutFamily::Drastic,
            Norm::Yager { q } => CutFamily::Yager(q as f32),
        };
        Some(Cut { family, threshold: threshold as f32, room: (1.0 - threshold) as f32 })
    }

    /// The fold of no members.
    #[inline(always)]
    fn neutral<S: Simd, F: Lanes<S>>(&self, simd: S) -> [F; 2] {
        let neutral = match self.family {
            CutFamily::Product | CutFamily::Minimum | CutFamily::Drastic => [1.0, 0.0],
            CutFamily::Lukasiewicz => [0.0, 0.0],
            CutFamily::Yager(_) => [f32::MIN_POSITIVE, 0.0],
        };
        neutral.map(|number| F::splat(simd, number))
    }

    /// The fold of two folds.
    #[inline(always)]
    fn join<S: Simd, F: Lanes<S>>(&self, a: [F; 2], b: [F; 2]) -> [F; 2] {
        match self.family {
            CutFamily::Product => [a[0] * b[0], a[1]],
            CutFamily::Minimum => [a[0].min(b[0]), a[1]],
            CutFamily::Lukasiewicz => [a[0] + b[0], a[1]],
            CutFamily::Drastic => {
                let nothing = a[0] * 0.0;
                [a[0].max(b[0]).simd_ge(1.0).select(a[0].min(b[0]), nothing), a[1]]
            }
            CutFamily::Yager(q) => {
                let (most, least) = (a[0].max(b[0]), a[0].min(b[0]));
                let share = exp_of_negative(cost_of((least / most).max(f32::MIN_POSITIVE)) * q);
                let first = a[0].simd_ge(b[0]);
                let (great, small) = (first.select(a[1], b[1]), first.select(b[1], a[1]));
                [most, small * share + great]
            }
        }
    }

    /// A member as a fold of its own.
    #[inline(always)]
    fn of_one<S: Simd, F: Lanes<S>>(&self, value: F) -> [F; 2] {
        match self.family {
            CutFamily::Product | CutFamily::Minimum | CutFamily::Drastic => [value, value],
            CutFamily::Lukasiewicz => [-value + 1.0, value],
            CutFamily::Yager(_) => {
                let one = value * 0.0 + 1.0;
                [(-value + 1.0).max(f32::MIN_POSITIVE), one]
            }
        }
    }

    /// The value of a fold.
    #[inline(always)]
    fn value_of<S: Simd, F: Lanes<S>>(&self, fold: [F; 2]) -> F {
        match self.family {
            CutFamily::Product | CutFamily::Minimum | CutFamily::Drastic => fold[0],
            CutFamily::Lukasiewicz => -fold[0] + 1.0,
            CutFamily::Yager(q) => {
                let none = fold[1].simd_le(0.0);
                let root = exp_of_negative(-cost_of(fold[1].max(1.0)) / q);
                none.select(fold[1] + 1.0, -(fold[0] / root) + 1.0)
            }
        }
    }
}

impl TNorm for Cut {
    type Sums<S: Simd, F: Lanes<S>> = Folds<F>;

    const NOTHING: f32 = 1.0;

    #[inline(always)]
    fn threshold(&self) -> f32 {
        self.threshold
    }

    #[inline(always)]
    fn room(&self) -> f32 {
        self.room
    }

    #[inline(always)]
    fn none<S: Simd, F: Lanes<S>>(&self, simd: S) -> Folds<F> {
        Folds { holds: self.neutral(simd), fails: self.neutral(simd) }
    }

    #[inline(always)]
    fn add<S: Simd, F: Lanes<S>>(&self, folds: &mut Folds<F>, operand: F) {
        let holds = operand.simd_gt(0.5);
        let one = self.of_one(operand);
        let (held, failed) = (self.join(folds.holds, one), self.join(folds.fails, one));
        for index in 0..2 {
            folds.holds[index] = holds.select(held[index], folds.holds[index]);
            folds.fails[index] = holds.select(folds.fails[index], failed[index]);
        }
    }

    #[inline(always)]
    fn conjunction<S: Simd, F: Lanes<S>>(
        &self,
        simd: S,
        folds: &Folds<F>,
        _: f32,
        _: [bool; 2],
    ) -> Operand<F> {
        let held = self.value_of(folds.holds).max(self.threshold).min(1.0);
        let failed = self.value_of(folds.fails);
        // The value of a failing member is at most 1/2, so a fold with a greater value is empty.
        let fails = failed.simd_le(0.5);
        let both = self.value_of(self.join(self.of_one(held), folds.fails));
        let value = fails.select(both.max(0.0).min(self.room), held);
        Operand { value, negation: F::splat(simd, 1.0) - value }
    }

    #[inline(always)]
    fn negation<S: Simd, F: Lanes<S>>(&self, _: S, _: &Folds<F>, _: f32, cost: F) -> F {
        cost
    }

    #[inline(always)]
    fn operand<S: Simd, F: Lanes<S>>(&self, simd: S, value: F) -> Operand<F> {
        Operand { value, negation: F::splat(simd, 1.0) - value }
    }

    #[inline(always)]
    fn value<S: Simd, F: Lanes<S>>(&self, _: S, operand: &Operand<F>) -> F {
        operand.value
    }

    #[inline(always)]
    fn holds<S: Simd, F: Lanes<S>>(&self, operand: F) -> F::Mask {
        operand.simd_gt(0.5)
    }

    #[inline(always)]
    fn cost<S: Simd, F: Lanes<S>>(&self, operand: F) -> F {
        -operand + 1.0
    }

    #[inline(always)]
    fn of_cost<S: Simd, F: Lanes<S>>(&self, cost: F) -> F {
        -cost + 1.0
    }

    #[inline(always)]
    fn shown_of_two<S: Simd, F: Lanes<S>>(&self, simd: S, operands: [F; 2]) -> F {
        let mut folds = self.none(simd);
        self.add(&mut folds, operands[0]);
        self.add(&mut folds, operands[1]);
        self.conjunction(simd, &folds, self.room, [true, false]).value
    }

    /// 1/2 plus half of the difference: the odds of 0 would hide the other value.
    #[inline(always)]
    fn ahead<S: Simd, F: Lanes<S>>(&self, _: S, own: F, other: F) -> F {
        (own - other) * 0.5 + 0.5
    }

    fn read(&self, [value, _]: [f32; 2]) -> [f64; 2] {
        [f64::from(value); 2]
    }
}

//! The strict norm: a thresholded product that is never cut, so that every change of a member changes the conjunction.
//!
//! # How
//! The cost of a value is -ln(value). H is the sum of the costs of members that hold, F that of the others, and b the
//! half-saturation constant of the node:
//! - If all members hold, the value is 1 - (1-t) · H / (b + H), which falls from 1 towards t.
//! - Else it is e^-c with c = squeezed(F + (-ln t) · H / (b + H)). F alone is at least -ln(1-t), and the members that hold add less
//!   than -ln t.
//!
//! Costs beyond 16 are squeezed to 16 + 8 ln(1 + (c - 16) / 8), so that even after dozens of failing members one more
//! makes a difference. A disjunction is the negation of the conjunction of negations. Let L be the sum of -ln(1 -
//! value) over its members. If all of them fail, its value is (1-t) · L / (b + L); the co-norm of the product would be
//! cut at 1 - t.
//!
//! Near 0 and 1, values are displayed on a wider scale, in the same order. With the least cost c₀ = -ln(1-t), cost c
//! becomes (1-t) / (1 + c - c₀).
//!
//! # Guarantee
//! The bounds of T′ (see `cut`), and the value rises strictly with every member. In single precision, a change of a member by
//! 0.001 changes the value of a conjunction of up to eight members (a test). If that member fails, or no member does, this holds for
//! up to 500 members. The value of a conjunction is at most that of its least member, if that is 1e-7 or more.
//!
//! # Example
//! A disjunction of eight cells, each with the value 0.1, where t = 0.75: the co-norm of the product gives 0.57, which is cut to 0.25.
//! The strict norm (b = 0.8) gives 0.25 · 0.84 / 1.64 = 0.128. It gives 0.140 if one of the cells has the value 0.25.
//!
//! # Source
//! Our own, after Schiffel and Thielscher 2007. `reports/telling/README.md` counts functions that are constant with a norm that is
//! cut, and with this one.

use fearless_simd::prelude::*;

use super::super::evaluator::lanes::{Lanes, Operand, cost_of, cost_of_rest, exp_of_negative};
use super::TNorm;

/// Limit of costs: a value with this cost or more counts as 0.
const MOST_COST: f32 = 127.0;

/// A sum of the costs of members that hold counts as 0 if it is below this.
const LEAST_HOLDING: f32 = 2.842_171e-14;

/// The least distance from 0 and from 1 of an operand that is not a conjunction.
pub(in super::super) const MARGIN: f64 = 1.0 / 1024.0;

/// Costs up to this, in nats, are not squeezed.
pub(in super::super) const PLAIN_COST: f64 = 16.0;
/// The scale on which greater costs are squeezed.
pub(in super::super) const SQUEEZE: f64 = 8.0;

/// The strict norm with its threshold.
///
/// The operand of a value that holds is its cost; the operand of a value that fails is its cost with a minus sign. So H is the sum
/// of the positive operands, and F that of the negative ones. Either a value or its negation has a negative operand.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Strict {
    threshold: f32,
    room: f32,
    /// -ln t.
    holding: f32,
    /// -ln(1 - t).
    failing: f32,
}

/// The costs of a conjunction's members: of those that hold, and of the others.
#[derive(Clone, Copy)]
pub(in super::super) struct Costs<F> {
    holds: F,
    fails: F,
}

impl Strict {
    pub(in super::super) fn new(threshold: f64) -> Strict {
        Strict {
            threshold: threshold as f32,
            room: (1.0 - threshold) as f32,
            holding: -threshold.ln() as f32,
            failing: -(-threshold).ln_1p() as f32,
        }
    }

    /// The operands of a leaf with this value, and of its negation.
    pub(in super::super) fn leaf(threshold: f64, value: f64) -> [f32; 2] {
        let room = 1.0 - threshold;
        let part = (room - MARGIN) / room;
        let inside = if value > 0.5 { threshold + (value - threshold) * part } else { MARGIN + value * part };
        let [value, negation] = [-inside.ln() as f32, -(-inside).ln_1p() as f32];
        if value < negation { [value, -negation] } else { [-value, negation] }
    }

    /// The cost of a conjunction with failing members, from their costs and H / (b + H).
    #[inline(always)]
    fn cost_by_share<S: Simd, F: Lanes<S>>(&self, simd: S, fails: F, share: F) -> F {
        let mut cost = fails + share * self.holding;
        if cost.simd_gt(PLAIN_COST as f32).any_true() {
            cost = squeezed(simd, cost);
        }
        cost.max(self.failing).min(MOST_COST)
    }

    /// A cost greater than that of all values that hold, and less than that of all values that fail.
    #[inline(always)]
    fn middle(&self) -> f32 {
        (self.holding + self.failing) / 2.0
    }
}

impl TNorm for Strict {
    type Sums<S: Simd, F: Lanes<S>> = Costs<F>;

    const NOTHING: f32 = MOST_COST;

    #[inline(always)]
    fn threshold(&self) -> f32 {
        self.threshold
    }

    #[inline(always)]
    fn room(&self) -> f32 {
        self.room
    }

    #[inline(always)]
    fn none<S: Simd, F: Lanes<S>>(&self, simd: S) -> Costs<F> {
        Costs { holds: F::splat(simd, 0.0), fails: F::splat(simd, 0.0) }
    }

    #[inline(always)]
    fn add<S: Simd, F: Lanes<S>>(&self, costs: &mut Costs<F>, operand: F) {
        costs.holds += operand.max(0.0);
        costs.fails -= operand.min(0.0);
    }

    #[inline(always)]
    fn conjunction<S: Simd, F: Lanes<S>>(
        &self,
        simd: S,
        costs: &Costs<F>,
        half_saturation: f32,
        wanted: [bool; 2],
    ) -> Operand<F> {
        let fails = costs.fails.simd_gt(0.0);
        let share = costs.holds / (costs.holds + half_saturation);
        let cost = match fails.any_true() {
            true => self.cost_by_share(simd, costs.fails, share),
            false => F::splat(simd, 0.0),
        };
        if fails.all_true() {
            // The usual case needs no logarithm for the value.
            let negation = if wanted[1] { cost_of_rest(exp_of_negative(cost)) } else { cost };
            return Operand { value: -cost, negation };
        }
        let missing = (share * self.room).max(f32::MIN_POSITIVE);
        if !wanted[1] {
            return Operand { value: fails.select(-cost, cost_of_rest(missing)), negation: cost };
        }
        let low = match fails.any_true() {
            true => fails.select(exp_of_negative(cost), missing),
            false => missing,
        };
        let rest = cost_of_rest(low);
        let nothing = costs.holds.simd_lt(LEAST_HOLDING);
        let of_missing = nothing.select(F::splat(simd, MOST_COST), cost_of(missing));
        let cost = -fails.select(cost, of_missing);
        Operand { value: fails.select(cost, rest), negation: fails.select(rest, cost) }
    }

    #[inline(always)]
    fn negation<S: Simd, F: Lanes<S>>(&self, simd: S, costs: &Costs<F>, half_saturation: f32, cost: F) -> F {
        let free = self.conjunction(simd, costs, half_saturation, [true; 2]);
        let value = exp_of_negative(cost);
        let rest = (F::splat(simd, 1.0) - value).max(f32::MIN_POSITIVE);
        let held = cost.simd_lt(self.middle()).select(-cost_of(rest), cost_of_rest(value));
        cost.simd_gt(free.value.abs()).select(held, free.negation)
    }

    #[inline(always)]
    fn operand<S: Simd, F: Lanes<S>>(&self, simd: S, value: F) -> Operand<F> {
        const LEAST: f32 = MARGIN as f32;
        let part = (self.room - LEAST) / self.room;
        let inside =
            value.simd_gt(0.5).select((value - self.threshold) * part + self.threshold, value * part + LEAST);
        let holds = inside.simd_ge(0.5);
        let low = inside.simd_gt(0.5).select(F::splat(simd, 1.0) - inside, inside);
        let (rest, cost) = (cost_of_rest(low), -cost_of(low));
        Operand { value: holds.select(rest, cost), negation: holds.select(cost, rest) }
    }

    #[inline(always)]
    fn value<S: Simd, F: Lanes<S>>(&self, simd: S, operand: &Operand<F>) -> F {
        let held = F::splat(simd, 1.0) - exp_of_negative(operand.negation.abs());
        let missed = exp_of_negative(operand.value.abs());
        operand.value.simd_lt(0.0).select(missed.min(self.room), held.max(self.threshold))
    }

    #[inline(always)]
    fn holds<S: Simd, F: Lanes<S>>(&self, operand: F) -> F::Mask {
        operand.simd_ge(0.0)
    }

    #[inline(always)]
    fn cost<S: Simd, F: Lanes<S>>(&self, operand: F) -> F {
        operand.abs()
    }

    #[inline(always)]
    fn of_cost<S: Simd, F: Lanes<S>>(&self, cost: F) -> F {
        cost.simd_lt(self.middle()).select(cost, -cost)
    }

    #[inline(always)]
    fn shown_of_two<S: Simd, F: Lanes<S>>(&self, simd: S, operands: [F; 2]) -> F {
        let mut costs = self.none(simd);
        self.add(&mut costs, operands[0]);
        self.add(&mut costs, operands[1]);
        let cost = self.cost_by_share(simd, costs.fails, costs.holds / (costs.holds + self.room));
        F::splat(simd, self.room) / ((cost - self.failing).max(0.0) + 1.0)
    }

    /// The share whose log odds are the difference of the two log odds.
    #[inline(always)]
    fn ahead<S: Simd, F: Lanes<S>>(&self, simd: S, own: F, other: F) -> F {
        let one = F::splat(simd, 1.0);
        let (first, second) = (own * (one - other), other * (one - own));
        let both = first + second;
        both.simd_gt(0.0).select(first / both, F::splat(simd, 0.5))
    }

    fn read(&self, operand: [f32; 2]) -> [f64; 2] {
        let [value, negation] = operand.map(|operand| f64::from(operand.abs()));
        let (room, failing) = (f64::from(self.room), f64::from(self.failing));
        let low = |cost: f64| room / (1.0 + (cost - failing).max(0.0));
        match operand[0] < 0.0 {
            true => [(-value).exp().min(room), low(value)],
            false => [(-(-negation).exp_m1()).max(f64::from(self.threshold)), 1.0 - low(negation)],
        }
    }
}

/// Squeezes costs above `PLAIN_COST`.
#[inline(always)]
fn squeezed<S: Simd, F: Lanes<S>>(simd: S, cost: F) -> F {
    const PLAIN: f32 = PLAIN_COST as f32;
    const BEYOND: f32 = SQUEEZE as f32;
    let beyond = cost.simd_gt(PLAIN);
    let more = beyond.select((cost - PLAIN) / BEYOND + 1.0, F::splat(simd, 1.0));
    beyond.select(-cost_of(more) * BEYOND + PLAIN, cost)
}

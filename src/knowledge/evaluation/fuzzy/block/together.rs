//! A function's value in states side by side, from the values of its goals' conditions.

use fearless_simd::f32x16;
use fearless_simd::prelude::*;

use super::conjunction::{Costs, Norm};
use super::plan::{Plan, Wanted};
use super::vector::Vector;

/// The function's values in the states of a part: all goal values with the end coupled in, against those of the opponents.
#[inline(always)]
pub(super) fn together<S: Simd>(simd: S, plan: &Plan, vectors: &[Vector], part: usize) -> f32x16<S> {
    let one = f32x16::splat(simd, 1.0);
    let open = vectors[plan.open as usize].part(simd, part);
    let mut sums = [f32x16::splat(simd, 0.0); 2];
    for (sum, goals) in sums.iter_mut().zip([&plan.goals, &plan.against]) {
        for goal in goals {
            let more = coupled(simd, &plan.norm, goal, open, vectors, part) * goal.share;
            *sum = *sum + more - *sum * more;
        }
    }
    let [own, other] = sums;
    if plan.against.is_empty() {
        return own;
    }
    let (first, second) = (own * (one - other), other * (one - own));
    let both = first + second;
    both.simd_gt(0.0).select(first / both, f32x16::splat(simd, 0.5))
}

/// h(gv, z), as it is shown. Whether the condition holds or does not, what is not the case fails in a conjunction with the end
/// or its negation, so that its cost is the cost of one in which a member fails.
#[inline(always)]
fn coupled<S: Simd>(
    simd: S,
    norm: &Norm,
    goal: &Wanted,
    open: f32x16<S>,
    vectors: &[Vector],
    part: usize,
) -> f32x16<S> {
    let of = |number: u32| vectors[number as usize].part(simd, part);
    let [value, negation] = goal.condition.map(of);
    let mut costs = Costs::none(simd);
    costs.add(negation.simd_lt(0.0).select(negation, value));
    costs.add(open);
    let cost = norm.failing_cost(simd, &costs, f32x16::splat(simd, norm.room));
    let one = f32x16::splat(simd, 1.0);
    let low = f32x16::splat(simd, norm.room) / ((cost - norm.failing).max(0.0) + 1.0);
    value.simd_lt(0.0).select(low, one - low)
}

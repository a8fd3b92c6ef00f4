//! The value of a function from the values of its goals' conditions.

use fearless_simd::prelude::*;

use super::super::norm::TNorm;
use super::lanes::Lanes;
use super::plan::{GoalOperand, Plan};
use super::tables::At;

/// The function's values in the states of a part.
#[inline(always)]
pub(super) fn aggregate<S: Simd, F: Lanes<S>, N: TNorm>(at: &At<'_, S, F, N>, plan: &Plan, part: usize) -> F {
    let open = at.number(plan.open, part);
    let mut sums = [F::splat(at.simd, 0.0); 2];
    for (sum, goals) in sums.iter_mut().zip(&plan.goals) {
        for goal in goals {
            let more = coupled(at, goal, open, part) * goal.share;
            *sum = *sum + more - *sum * more;
        }
    }
    let [own, other] = sums;
    if plan.goals[1].is_empty() { own } else { at.norm.ahead(at.simd, own, other) }
}

/// h(gv, z) of `value.rs`. If the condition holds, this is 1 minus the value of (not condition and not terminal).
#[inline(always)]
fn coupled<S: Simd, F: Lanes<S>, N: TNorm>(
    at: &At<'_, S, F, N>,
    goal: &GoalOperand,
    open: F,
    part: usize,
) -> F {
    let [value, negation] = goal.condition;
    let (value, negation) = (at.number(value, part), at.number(negation, part));
    let holds = at.norm.holds(value);
    let low = at.norm.shown_of_two(at.simd, [holds.select(negation, value), open]);
    holds.select(F::splat(at.simd, 1.0) - low, low)
}

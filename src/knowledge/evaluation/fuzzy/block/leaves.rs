//! Values of leaves in several states at once: facts, counts of facts, distances, comparisons, facts that look back.

use fearless_simd::prelude::*;
use fearless_simd::{f32x16, mask32x16};

use super::super::bind::Edge;
use super::super::distances::NEAREST;
use super::super::evaluate::ONE_STEP;
use super::super::formula::Comparison;
use super::conjunction::{Norm, Signed};
use super::evaluate::Settled;
use super::plan::{Compared, NONE, Operation, Plan};
use super::truths::Literal;
use super::vector::{Mask, lanes_of};
use super::wants::MOST_TALLIED;

/// Where one of the facts of a leaf holds.
#[inline(always)]
pub(super) fn held(plan: &Plan, at: &Settled, node: usize) -> Mask {
    plan.operands.row(node).iter().fold(0, |any, &fact| any | at.literals[2 * fact as usize])
}

/// Binary digits of a count, the lowest first: in which states each of them is 1.
type Counts = [Mask; MOST_TALLIED.ilog2() as usize + 1];

/// How many literals are true in each state.
#[inline(always)]
fn counts(literals: &[Literal], truths: &[Mask]) -> Counts {
    let mut counts = Counts::default();
    for &literal in literals {
        let mut carry = truths[literal as usize];
        for digit in &mut counts {
            (*digit, carry) = (*digit ^ carry, *digit & carry);
        }
    }
    counts
}

/// The states in which a count is this number.
#[inline(always)]
fn of_count(counts: &Counts, number: usize) -> Mask {
    let digits = counts.iter().enumerate();
    digits.fold(Mask::MAX, |all, (digit, &set)| all & if number >> digit & 1 == 1 { set } else { !set })
}

/// The value and the negation of a leaf in the first `PARTS` parts.
#[inline(always)]
pub(super) fn leaf<S: Simd, const PARTS: usize>(
    simd: S,
    plan: &Plan,
    at: &Settled,
    node: usize,
) -> [Signed<S>; PARTS] {
    let (norm, operation) = (&plan.norm, plan.nodes[node].operation);
    let mut signed = [Signed::splat(simd, [0.0; 2]); PARTS];
    match operation {
        Operation::And | Operation::Or => unreachable!("their members are added up"),
        Operation::Loop => unreachable!("a loop is computed as a whole"),
        Operation::Always => unreachable!("it is written once"),
        Operation::Fact => {
            let (holds, missing) = (held(plan, at, node), Signed::splat(simd, plan.fact[0]));
            for (part, signed) in signed.iter_mut().enumerate() {
                *signed = where_held(simd, plan, lanes_of(simd, holds, part), missing);
            }
        }
        Operation::Tally(tally) => {
            let counts = counts(plan.tallied.row(tally as usize), &at.literals);
            let [first, others @ ..] = &plan.counted[tally as usize][..] else { return signed };
            let [value, negation] = plan.nodes[node].vectors.map(|vector| vector != NONE);
            signed = [Signed::splat(simd, *first); PARTS];
            for (number, other) in (1..).zip(others) {
                let states = of_count(&counts, number);
                for (part, signed) in signed.iter_mut().enumerate() {
                    let here = lanes_of(simd, states, part);
                    if value {
                        signed.value = here.select(f32x16::splat(simd, other[0]), signed.value);
                    }
                    if negation {
                        signed.negation = here.select(f32x16::splat(simd, other[1]), signed.negation);
                    }
                }
            }
        }
        Operation::Near(number) => {
            let holds = held(plan, at, node);
            for (part, signed) in signed.iter_mut().enumerate() {
                let closeness = closeness(simd, &plan.measured[number as usize], at, part);
                let missing = norm.operand(simd, closeness * norm.room);
                *signed = where_held(simd, plan, lanes_of(simd, holds, part), missing);
            }
        }
        Operation::Soon | Operation::Toward(_) => {
            let holds = match operation {
                Operation::Toward(literal) => at.literals[literal as usize],
                _ => held(plan, at, node),
            };
            let way = plan.members.row(node)[0];
            for (part, signed) in signed.iter_mut().enumerate() {
                let missing = soon(simd, plan, at, way, part);
                *signed = where_held(simd, plan, lanes_of(simd, holds, part), missing);
            }
        }
        Operation::Compare(number) => {
            let compared = &plan.compared[number as usize];
            for (part, signed) in signed.iter_mut().enumerate() {
                *signed = compare(simd, norm, plan.held, compared, at, part);
            }
        }
    }
    signed
}

/// What is worth as much as a fact where it holds.
#[inline(always)]
fn where_held<S: Simd>(simd: S, plan: &Plan, holds: mask32x16<S>, missing: Signed<S>) -> Signed<S> {
    Signed::splat(simd, plan.fact[1]).or(holds, missing)
}

/// How close facts are to a place, see `distances`.
#[inline(always)]
fn closeness<S: Simd>(simd: S, distances: &[(u32, f32)], at: &Settled, part: usize) -> f32x16<S> {
    const NEAR: f32 = NEAREST as f32;
    let number = |number| f32x16::splat(simd, number);
    let [mut least, mut sum, mut count] = [f32::INFINITY, 0.0, 0.0].map(number);
    for &(fact, distance) in distances {
        let holds = lanes_of(simd, at.literals[2 * fact as usize], part);
        least = holds.select(least.min(distance), least);
        sum += holds.select(number(distance), number(0.0));
        count += holds.select(number(1.0), number(0.0));
    }
    let mean = number(1.0) - sum / count;
    let close = (number(1.0) - least) * NEAR + mean * (1.0 - NEAR);
    count.simd_gt(0.0).select(close, number(0.0))
}

/// What does not hold, of which this is the best way to come about.
#[inline(always)]
fn soon<S: Simd>(simd: S, plan: &Plan, at: &Settled, way: Edge, part: usize) -> Signed<S> {
    const STEP: f32 = ONE_STEP as f32;
    let norm = &plan.norm;
    let [value, negation] = plan.nodes[(way >> 1) as usize].vectors;
    let [value, negation] = if way & 1 == 1 { [negation, value] } else { [value, negation] };
    let of = |vector: u32| at.vectors[vector as usize].part(simd, part);
    let next = norm.value(simd, &Signed { value: of(value), negation: of(negation) });
    let holds = (next - norm.threshold) * (1.0 - STEP) / norm.room + STEP;
    let near = next.simd_gt(0.5).select(holds, next * STEP / norm.room);
    norm.operand(simd, near * norm.room)
}

/// Where a comparison holds in a part, where both sides have values, and by how many steps it does or does not.
#[inline(always)]
fn lead<S: Simd>(simd: S, compared: &Compared, at: &Settled, part: usize) -> Lead<S> {
    let number = |number| f32x16::splat(simd, number);
    let mut known = Mask::MAX;
    let mut bounds = [[f32::INFINITY, f32::NEG_INFINITY].map(number); 2];
    for (side, [low, high]) in compared.sides.iter().zip(&mut bounds) {
        let mut some = 0;
        for &(place, literal) in side {
            let holds = at.literals[literal as usize];
            some |= holds;
            let holds = lanes_of(simd, holds, part);
            *low = holds.select(low.min(place as f32), *low);
            *high = holds.select(high.max(place as f32), *high);
        }
        known &= some;
    }
    let [left, right] = bounds;
    let steps = match compared.relation {
        Comparison::Less | Comparison::AtMost => right[1] - left[0],
        Comparison::Greater | Comparison::AtLeast => left[1] - right[0],
        Comparison::Equal => nearest(simd, compared, at, part),
    };
    let is = match compared.relation {
        Comparison::Less | Comparison::Greater => steps.simd_gt(0.0),
        Comparison::AtMost | Comparison::AtLeast => steps.simd_ge(0.0),
        Comparison::Equal => steps.simd_eq(0.0),
    };
    let known = lanes_of(simd, known, part);
    Lead { holds: is & known, known, steps: steps.abs() }
}

struct Lead<S: Simd> {
    holds: mask32x16<S>,
    known: mask32x16<S>,
    steps: f32x16<S>,
}

/// How far apart the nearest two places are that both sides have.
#[inline(always)]
fn nearest<S: Simd>(simd: S, compared: &Compared, at: &Settled, part: usize) -> f32x16<S> {
    let mut nearest = f32x16::splat(simd, f32::INFINITY);
    for &(left, literal) in &compared.sides[0] {
        let holds = at.literals[literal as usize];
        if holds == 0 {
            continue;
        }
        for &(right, literal) in &compared.sides[1] {
            let both = lanes_of(simd, holds & at.literals[literal as usize], part);
            nearest = both.select(nearest.min(left.abs_diff(right) as f32), nearest);
        }
    }
    nearest
}

/// The value of a comparison, see `compare`.
#[inline(always)]
fn compare<S: Simd>(
    simd: S,
    norm: &Norm,
    equal: f32,
    compared: &Compared,
    at: &Settled,
    part: usize,
) -> Signed<S> {
    let number = |number| f32x16::splat(simd, number);
    let Lead { holds, known, steps } = lead(simd, compared, at, part);
    let share = steps / compared.length;
    let held = match compared.relation {
        Comparison::Equal => number(equal),
        _ => share * norm.room + norm.threshold,
    };
    let missed = known.select((number(1.0) - share) * norm.room, number(0.0));
    norm.operand(simd, holds.select(held, missed))
}

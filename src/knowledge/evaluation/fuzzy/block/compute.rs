//! Computing nodes, kind by kind.

use std::ops::Range;

use fearless_simd::f32x16;
use fearless_simd::prelude::*;

use super::conjunction::{Costs, Signed};
use super::evaluate::Settled;
use super::leaves::leaf;
use super::loops;
use super::plan::{Kind, NONE, Operation, Plan, Segment};
use super::vector::Vector;

/// Computes nodes of a segment: all, or those that are marked.
#[inline(always)]
pub(super) fn compute<S: Simd, const PARTS: usize, const ALL: bool>(
    simd: S,
    plan: &Plan,
    at: &mut Settled,
    segment: &Segment,
) {
    // A loop for each kind, so that the next node is most often computed as the last one.
    match segment.kind {
        Kind::Always => {}
        Kind::Leaf => each::<S, PARTS, ALL, true>(simd, plan, at, &segment.nodes),
        Kind::Members => each::<S, PARTS, ALL, false>(simd, plan, at, &segment.nodes),
        Kind::Loop(number) => of_loop::<S, PARTS, ALL>(simd, plan, at, segment, number),
    }
}

/// Computes the wanted nodes of a loop: where one of them is marked, all.
#[inline(always)]
fn of_loop<S: Simd, const PARTS: usize, const ALL: bool>(
    simd: S,
    plan: &Plan,
    at: &mut Settled,
    segment: &Segment,
    number: u32,
) {
    let mut marked = ALL;
    if !ALL {
        for node in segment.nodes.clone() {
            marked |= at.pace.marked[node / 64] >> (node % 64) & 1 == 1;
            at.pace.marked[node / 64] &= !(1 << (node % 64));
        }
    }
    if !marked {
        return;
    }
    let of = &plan.loops[number as usize];
    // A function of its own: there are several of this one.
    simd.vectorize(
        #[inline(always)]
        || loops::settle::<S, PARTS>(simd, plan, of, segment.nodes.clone(), at),
    );
    for (number, node) in segment.nodes.clone().enumerate() {
        let [value, negation] = at.loops.wanted[number];
        let mut signed = [Signed::splat(simd, [0.0; 2]); PARTS];
        for (part, signed) in signed.iter_mut().enumerate() {
            *signed = Signed { value: value.part(simd, part), negation: negation.part(simd, part) };
        }
        if put::<S, PARTS, ALL>(simd, plan, at, node, signed) {
            changed(plan, at, node);
        }
    }
}

/// A node is not what it was: those that look at it have to be computed.
#[inline(always)]
fn changed(plan: &Plan, at: &mut Settled, node: usize) {
    at.pace.varied.push(node as u32);
    for &parent in plan.parents.row(node) {
        at.pace.marked[parent as usize / 64] |= 1 << (parent % 64);
    }
}

/// Computes leaves, or what has members: all, or those that are marked.
#[inline(always)]
fn each<S: Simd, const PARTS: usize, const ALL: bool, const LEAVES: bool>(
    simd: S,
    plan: &Plan,
    at: &mut Settled,
    nodes: &Range<usize>,
) {
    if ALL {
        for node in nodes.clone() {
            computed::<S, PARTS, ALL, LEAVES>(simd, plan, at, node);
        }
        return;
    }
    for index in nodes.start / 64..nodes.end.div_ceil(64) {
        let from = u64::MAX << nodes.start.saturating_sub(index * 64);
        let up_to = u64::MAX >> (index * 64 + 64).saturating_sub(nodes.end);
        let mut left = at.pace.marked[index] & from & up_to;
        at.pace.marked[index] &= !left;
        at.pace.computed += u64::from(left.count_ones());
        while left != 0 {
            let node = index * 64 + left.trailing_zeros() as usize;
            left &= left - 1;
            if computed::<S, PARTS, ALL, LEAVES>(simd, plan, at, node) {
                changed(plan, at, node);
            }
        }
    }
}

/// Computes a node. Returns whether it has changed; with `ALL` always `false`.
#[inline(always)]
fn computed<S: Simd, const PARTS: usize, const ALL: bool, const LEAVES: bool>(
    simd: S,
    plan: &Plan,
    at: &mut Settled,
    node: usize,
) -> bool {
    // No function is passed for this: it would not be inlined, and so not be compiled for the processor's vectors.
    let signed = match LEAVES {
        true => leaf::<S, PARTS>(simd, plan, at, node),
        false => added_up::<S, PARTS>(simd, plan, at, node),
    };
    put::<S, PARTS, ALL>(simd, plan, at, node, signed)
}

/// Writes the value of a node. Returns whether it has changed; with `ALL` always `false`.
#[expect(
    clippy::needless_range_loop,
    reason = "an iterator over an array of vectors is copied through memory"
)]
#[inline(always)]
fn put<S: Simd, const PARTS: usize, const ALL: bool>(
    simd: S,
    plan: &Plan,
    at: &mut Settled,
    node: usize,
    signed: [Signed<S>; PARTS],
) -> bool {
    let [value, negation] = plan.nodes[node].vectors;
    let mut changed = false;
    for part in 0..PARTS {
        changed |= write::<S, ALL>(simd, &mut at.vectors, value, part, signed[part].value);
        changed |= write::<S, ALL>(simd, &mut at.vectors, negation, part, signed[part].negation);
    }
    changed
}

/// Writes a part of a vector, unless `vector` is [`NONE`]. Returns whether it has changed; with `ALL` always `false`.
#[inline(always)]
fn write<S: Simd, const ALL: bool>(
    simd: S,
    vectors: &mut [Vector],
    vector: u32,
    part: usize,
    new: f32x16<S>,
) -> bool {
    if vector == NONE {
        return false;
    }
    let vector = &mut vectors[vector as usize];
    let changed = !ALL && vector.part(simd, part).simd_ne(new).any_true();
    vector.set_part(part, new);
    changed
}

/// A conjunction or disjunction, its members added up.
#[expect(
    clippy::needless_range_loop,
    reason = "an iterator over an array of vectors is copied through memory"
)]
#[inline(always)]
fn added_up<S: Simd, const PARTS: usize>(
    simd: S,
    plan: &Plan,
    at: &Settled,
    node: usize,
) -> [Signed<S>; PARTS] {
    let mut costs = [Costs::none(simd); PARTS];
    for &vector in plan.operands.row(node) {
        let vector = &at.vectors[vector as usize];
        for part in 0..PARTS {
            costs[part].add(vector.part(simd, part));
        }
    }
    let planned = &plan.nodes[node];
    let is_or = planned.operation == Operation::Or;
    let [value, negation] = planned.vectors.map(|vector| vector != NONE);
    let wanted = if is_or { [negation, value] } else { [value, negation] };
    let mut signed = [Signed::splat(simd, [0.0; 2]); PARTS];
    for part in 0..PARTS {
        let Signed { value, negation } = plan.norm.conjunctions(simd, &costs[part], planned.breadth, wanted);
        signed[part] =
            if is_or { Signed { value: negation, negation: value } } else { Signed { value, negation } };
    }
    signed
}

//! Computing nodes, kind by kind.

use std::ops::Range;

use fearless_simd::prelude::*;

use super::conjunction::{Costs, Signed};
use super::evaluate::Settled;
use super::leaves::{held, leaf};
use super::plan::{Kind, NONE, Operation, Plan, Segment};
use super::vector::states_of;

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
        Kind::Fact => each::<S, PARTS, ALL>(simd, plan, at, &segment.nodes, Kind::Fact),
        Kind::Tally => each::<S, PARTS, ALL>(simd, plan, at, &segment.nodes, Kind::Tally),
        Kind::Indexed => each::<S, PARTS, ALL>(simd, plan, at, &segment.nodes, Kind::Indexed),
        Kind::Members => each::<S, PARTS, ALL>(simd, plan, at, &segment.nodes, Kind::Members),
        Kind::Measured => each::<S, PARTS, ALL>(simd, plan, at, &segment.nodes, Kind::Measured),
    }
}

/// Computes nodes of a kind: all, or those that are marked.
#[inline(always)]
fn each<S: Simd, const PARTS: usize, const ALL: bool>(
    simd: S,
    plan: &Plan,
    at: &mut Settled,
    nodes: &Range<usize>,
    kind: Kind,
) {
    if ALL {
        for node in nodes.clone() {
            computed::<S, PARTS, ALL>(simd, plan, at, node, kind);
        }
        return;
    }
    for index in nodes.start / 64..nodes.end.div_ceil(64) {
        let from = u64::MAX << nodes.start.saturating_sub(index * 64);
        let up_to = u64::MAX >> (index * 64 + 64).saturating_sub(nodes.end);
        let mut left = at.pace.marked[index] & from & up_to;
        at.pace.marked[index] &= !left;
        at.work += u64::from(left.count_ones());
        at.pace.computed += u64::from(left.count_ones());
        while left != 0 {
            let node = index * 64 + left.trailing_zeros() as usize;
            left &= left - 1;
            if computed::<S, PARTS, ALL>(simd, plan, at, node, kind) {
                at.pace.varied.push(node as u32);
                for &parent in plan.parents.get(node) {
                    at.pace.marked[parent as usize / 64] |= 1 << (parent % 64);
                }
            }
        }
    }
}

/// Computes a node of a kind; whether it has changed.
#[inline(always)]
fn computed<S: Simd, const PARTS: usize, const ALL: bool>(
    simd: S,
    plan: &Plan,
    at: &mut Settled,
    node: usize,
    kind: Kind,
) -> bool {
    match kind {
        Kind::Always => false,
        Kind::Fact => fact::<S, PARTS, ALL>(simd, plan, at, node),
        Kind::Tally => tally::<S, PARTS, ALL>(simd, plan, at, node),
        Kind::Indexed => indexed::<S, PARTS, ALL>(simd, plan, at, node),
        Kind::Members => by_members::<S, PARTS, ALL>(simd, plan, at, node),
        Kind::Measured => {
            let signed = leaf::<S, PARTS>(simd, plan, at, node);
            put::<S, PARTS, ALL>(simd, plan, at, node, signed)
        }
    }
}

/// Computes a node by the facts that make it hold; whether it has changed.
#[inline(always)]
fn fact<S: Simd, const PARTS: usize, const ALL: bool>(
    simd: S,
    plan: &Plan,
    at: &mut Settled,
    node: usize,
) -> bool {
    let holds = held(plan, at, node);
    let changed = at.numbers.hold(simd, node, holds);
    show::<S, PARTS, ALL>(simd, plan, at, node, changed)
}

/// By how many literals are true.
#[inline(always)]
fn tally<S: Simd, const PARTS: usize, const ALL: bool>(
    simd: S,
    plan: &Plan,
    at: &mut Settled,
    node: usize,
) -> bool {
    let Operation::Tally(tally) = plan.nodes[node].operation else { return false };
    let changed = at.numbers.count(simd, node, plan.tallied.get(tally as usize), &at.literals);
    show::<S, PARTS, ALL>(simd, plan, at, node, changed)
}

/// By the index that the numbers of its members make.
#[inline(always)]
fn indexed<S: Simd, const PARTS: usize, const ALL: bool>(
    simd: S,
    plan: &Plan,
    at: &mut Settled,
    node: usize,
) -> bool {
    if at.numbers.is_told(node) {
        let mut changed = at.numbers.index(simd, plan, node, states_of(PARTS));
        if changed.is_none() {
            at.numbers.learn_index(plan, node, states_of(PARTS), &mut at.vectors);
            if at.numbers.is_told(node) {
                changed = at.numbers.index(simd, plan, node, states_of(PARTS));
            }
        }
        if let Some(changed) = changed {
            return show::<S, PARTS, ALL>(simd, plan, at, node, changed);
        }
    }
    let signed = added_up::<S, PARTS>(simd, plan, at, node);
    put::<S, PARTS, ALL>(simd, plan, at, node, signed)
}

/// Writes what a node is worth that is told by its number, and says whether it has changed.
#[inline(always)]
fn show<S: Simd, const PARTS: usize, const ALL: bool>(
    simd: S,
    plan: &Plan,
    at: &mut Settled,
    node: usize,
    changed: bool,
) -> bool {
    if ALL || changed {
        at.numbers.show(simd, plan, node, PARTS, &mut at.vectors);
    }
    changed
}

/// By the numbers of its members, or by what these are worth.
#[inline(always)]
fn by_members<S: Simd, const PARTS: usize, const ALL: bool>(
    simd: S,
    plan: &Plan,
    at: &mut Settled,
    node: usize,
) -> bool {
    if at.numbers.is_told(node) {
        let mut changed = at.numbers.look_up(simd, plan, node, states_of(PARTS));
        if changed.is_none() && at.numbers.learn(plan, node, states_of(PARTS)) {
            changed = at.numbers.look_up(simd, plan, node, states_of(PARTS));
        }
        if let Some(changed) = changed {
            return show::<S, PARTS, ALL>(simd, plan, at, node, changed);
        }
        at.numbers.add_up(plan, node, &mut at.vectors);
    }
    let signed = added_up::<S, PARTS>(simd, plan, at, node);
    put::<S, PARTS, ALL>(simd, plan, at, node, signed)
}

/// Writes the value of a node and numbers it; whether it has changed.
#[inline(always)]
fn put<S: Simd, const PARTS: usize, const ALL: bool>(
    simd: S,
    plan: &Plan,
    at: &mut Settled,
    node: usize,
    signed: [Signed<S>; PARTS],
) -> bool {
    let mut changed = false;
    for (part, signed) in signed.into_iter().enumerate() {
        for (vector, new) in plan.nodes[node].vectors.into_iter().zip([signed.value, signed.negation]) {
            if vector != NONE {
                let vector = &mut at.vectors[vector as usize];
                changed |= vector.part(simd, part).simd_ne(new).any_true();
                vector.set_part(part, new);
            }
        }
    }
    if ALL || changed {
        at.numbers.number(simd, plan, node, PARTS, &mut at.vectors);
    }
    changed
}

/// A conjunction or disjunction, its members added up.
#[inline(always)]
fn added_up<S: Simd, const PARTS: usize>(
    simd: S,
    plan: &Plan,
    at: &Settled,
    node: usize,
) -> [Signed<S>; PARTS] {
    let mut costs = [Costs::none(simd); PARTS];
    for &vector in plan.operands.get(node) {
        let vector = &at.vectors[vector as usize];
        for (part, costs) in costs.iter_mut().enumerate() {
            costs.add(vector.part(simd, part));
        }
    }
    let planned = &plan.nodes[node];
    let is_or = planned.operation == Operation::Or;
    let [value, negation] = planned.vectors.map(|vector| vector != NONE);
    let wanted = if is_or { [negation, value] } else { [value, negation] };
    let mut signed = [Signed::splat(simd, [0.0; 2]); PARTS];
    for (signed, costs) in signed.iter_mut().zip(&costs) {
        *signed = plan.norm.conjunctions(simd, costs, planned.breadth, wanted);
        if is_or {
            *signed = Signed { value: signed.negation, negation: signed.value };
        }
    }
    signed
}

//! Computing nodes, kind by kind.

use std::ops::Range;

use fearless_simd::prelude::*;

use super::conjunction::{Costs, Signed};
use super::evaluate::Settled;
use super::leaves::{held, leaf};
use super::loops;
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
        Kind::Indexed if ALL => all_indexed::<S, PARTS>(simd, plan, at, &segment.nodes),
        Kind::Indexed => each::<S, PARTS, ALL>(simd, plan, at, &segment.nodes, Kind::Indexed),
        Kind::Members => each::<S, PARTS, ALL>(simd, plan, at, &segment.nodes, Kind::Members),
        Kind::Measured => each::<S, PARTS, ALL>(simd, plan, at, &segment.nodes, Kind::Measured),
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
        if put::<S, PARTS, ALL>(simd, plan, at, node, signed) && !ALL {
            changed(plan, at, node);
        }
    }
}

/// A node is not what it was: those that look at it have to be computed.
#[inline(always)]
fn changed(plan: &Plan, at: &mut Settled, node: usize) {
    at.pace.varied.push(node as u32);
    for &parent in plan.parents.get(node) {
        at.pace.marked[parent as usize / 64] |= 1 << (parent % 64);
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
                changed(plan, at, node);
            }
        }
    }
}

/// Computes all nodes that an index tells; those of a class follow each other.
#[inline(always)]
fn all_indexed<S: Simd, const PARTS: usize>(simd: S, plan: &Plan, at: &mut Settled, nodes: &Range<usize>) {
    let mut class = plan.nodes[nodes.start].class as usize;
    let mut table = at.numbers.classes[class].table;
    // Their members stand one after the other, too.
    let members = plan.members.from(nodes.start);
    let mut first = 0;
    for node in nodes.clone() {
        let of = plan.nodes[node].class as usize;
        if of != class {
            class = of;
            table = at.numbers.classes[class].table;
        }
        let shifts = &plan.classes[class].shifts;
        let members = &members[first..first + shifts.len()];
        first += shifts.len();
        let is_told = at.numbers.is_told(node);
        if is_told && at.numbers.take(simd, (node, members), shifts, &table, states_of(PARTS)) {
            at.numbers.show(simd, plan, node, PARTS, &mut at.vectors);
        } else {
            computed::<S, PARTS, true>(simd, plan, at, node, Kind::Indexed);
            table = at.numbers.classes[class].table;
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
    let told = match kind {
        Kind::Always | Kind::Loop(_) => return false,
        Kind::Fact => {
            let holds = held(plan, at, node);
            Some(at.numbers.hold::<S, ALL>(simd, node, holds))
        }
        Kind::Tally => {
            let Operation::Tally(tally) = plan.nodes[node].operation else { return false };
            Some(at.numbers.count::<S, ALL>(simd, node, plan.tallied.get(tally as usize), &at.literals))
        }
        Kind::Indexed | Kind::Members => told::<S, PARTS>(simd, plan, at, node, kind),
        Kind::Measured => None,
    };
    if let Some(changed) = told {
        if ALL || changed {
            at.numbers.show(simd, plan, node, PARTS, &mut at.vectors);
        }
        return changed;
    }
    let signed = match kind {
        Kind::Measured => leaf::<S, PARTS>(simd, plan, at, node),
        _ => added_up::<S, PARTS>(simd, plan, at, node),
    };
    put::<S, PARTS, ALL>(simd, plan, at, node, signed)
}

/// Gives a node its number by those of its members; whether it has changed, or nothing where it has to be added up.
#[inline(always)]
fn told<S: Simd, const PARTS: usize>(
    simd: S,
    plan: &Plan,
    at: &mut Settled,
    node: usize,
    kind: Kind,
) -> Option<bool> {
    if !at.numbers.is_told(node) {
        return None;
    }
    let (states, by_index) = (states_of(PARTS), kind == Kind::Indexed);
    let changed = at.numbers.look_up(simd, plan, node, states, by_index);
    if changed.is_some() {
        return changed;
    }
    if at.numbers.learn(plan, node, states, by_index, &mut at.vectors) {
        at.numbers.look_up(simd, plan, node, states, by_index)
    } else {
        None
    }
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

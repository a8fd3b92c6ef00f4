//! Evaluating a formula in thirty-two states at a time or fewer, by what differs from the first of the last ones.
//!
//! Between two groups every lane of every vector has the value of one state, the base. Facts of the next group that differ
//! from it in some lane mark the nodes that look at them; these are computed in order, in as many lanes as there are states
//! (eight, sixteen or all; in others a state is meant that is in one of these), and where one has changed in some lane it
//! marks those that look at it. Then the group's first state becomes the base. A node's value is
//! computed from all its members anew, so that it depends on the state alone. Siblings differ in few facts from each other:
//! what they have in common is computed once for all of them, or not at all.

use std::sync::Arc;

use multiversion::multiversion;

use super::super::bind::Edge;
use super::super::distances::NEAREST;
use super::super::evaluate::ONE_STEP;
use super::super::formula::Comparison;
use super::conjunction::{Costs, Norm, Signed};
use super::plan::{Compared, Distances, MOST_TALLIED, NONE, Operation, Plan, Planned, Tally, Wanted};
use super::vector::{Mask, Vector, WIDTH};

/// A function at so many states.
pub(super) struct Group {
    plan: Arc<Plan>,
    at: Settled,
}

/// What is known at the states.
struct Settled {
    vectors: Vec<Vector>,
    /// Where nodes hold, of those of which somebody wants to know.
    truths: Vec<Mask>,
    /// Where facts hold.
    facts: Vec<Mask>,
    /// Nodes to be computed, as bits.
    marked: Vec<u64>,
    /// Nodes and facts that are not the same in all lanes.
    varied: Vec<u32>,
    varied_facts: Vec<u32>,
    values: Vector,
    /// Nodes computed so far.
    work: u64,
}

impl Group {
    /// At states in which no fact holds.
    pub(super) fn new(plan: Arc<Plan>) -> Group {
        let nodes = plan.nodes.len();
        let mut at = Settled {
            vectors: vec![Vector::splat(f32::NAN); plan.vectors],
            truths: vec![0; nodes],
            facts: vec![0; plan.facts.len()],
            marked: vec![0; nodes.div_ceil(64)],
            varied: Vec::new(),
            varied_facts: Vec::new(),
            values: Vector::splat(0.0),
            work: 0,
        };
        // What always holds stands last, and others look at it.
        (0..nodes).for_each(|node| at.marked[node / 64] |= 1 << (node % 64));
        if let Some(always) = plan.nodes.last() {
            let Signed::<WIDTH> { value, negation } = plan.norm.operand(Vector::splat(1.0));
            for (vector, value) in always.vectors.into_iter().zip([value, negation]) {
                if vector != NONE {
                    at.vectors[vector as usize] = value;
                }
            }
            at.truths[nodes - 1] = Mask::MAX;
        }
        settle(&plan, &mut at, WIDTH);
        Group { plan, at }
    }

    /// The values of the function in the states that are wanted, at least one, those of others of no meaning: for each fact
    /// that it looks at, in their order, in which of the states it holds, the first one in the lowest bit, as in `wanted`.
    pub(super) fn values(&mut self, facts: impl Iterator<Item = Mask>, wanted: Mask) -> &[f32; WIDTH] {
        let one = wanted.trailing_zeros();
        let Group { plan, at } = self;
        for (number, lanes) in facts.enumerate() {
            // Where nothing is wanted it is as in one of the others, so that less varies.
            let lanes = if lanes >> one & 1 == 1 { lanes | !wanted } else { lanes & wanted };
            if lanes != at.facts[number] {
                at.facts[number] = lanes;
                at.varied_facts.push(number as u32);
                for &node in plan.readers.get(number) {
                    at.marked[node as usize / 64] |= 1 << (node % 64);
                }
            }
        }
        settle(plan, at, (Mask::BITS - wanted.leading_zeros()) as usize);
        &at.values.0
    }

    /// Nodes computed so far.
    pub(super) fn work(&self) -> u64 {
        self.at.work
    }
}

/// Computes what is marked in so many lanes at least, then the function's values; the first state becomes the base.
fn settle(plan: &Plan, at: &mut Settled, lanes: usize) {
    match lanes {
        0..=8 => settle_8(plan, at),
        9..=16 => settle_16(plan, at),
        _ => settle_32(plan, at),
    }
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn settle_8(plan: &Plan, at: &mut Settled) {
    settle_lanes::<8>(plan, at);
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn settle_16(plan: &Plan, at: &mut Settled) {
    settle_lanes::<16>(plan, at);
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn settle_32(plan: &Plan, at: &mut Settled) {
    settle_lanes::<32>(plan, at);
}

#[inline(always)]
fn settle_lanes<const W: usize>(plan: &Plan, at: &mut Settled) {
    for index in 0..at.marked.len() {
        while at.marked[index] != 0 {
            let node = index * 64 + at.marked[index].trailing_zeros() as usize;
            at.marked[index] &= at.marked[index] - 1;
            at.work += 1;
            if compute::<W>(plan, at, node) {
                at.varied.push(node as u32);
                for &parent in plan.parents.get(node) {
                    at.marked[parent as usize / 64] |= 1 << (parent % 64);
                }
            }
        }
    }
    at.values.0[..W].copy_from_slice(&together::<W>(plan, &at.vectors).0);
    for &node in &at.varied {
        let node = node as usize;
        for vector in plan.nodes[node].vectors.into_iter().filter(|&vector| vector != NONE) {
            let first = at.vectors[vector as usize].0[0];
            at.vectors[vector as usize] = Vector::splat(first);
        }
        at.truths[node] = first_everywhere(at.truths[node]);
    }
    at.varied.clear();
    for &fact in &at.varied_facts {
        at.facts[fact as usize] = first_everywhere(at.facts[fact as usize]);
    }
    at.varied_facts.clear();
}

fn first_everywhere(lanes: Mask) -> Mask {
    (lanes & 1).wrapping_neg()
}

/// Computes a node; whether it has changed.
#[inline(always)]
fn compute<const W: usize>(plan: &Plan, at: &mut Settled, node: usize) -> bool {
    let planned = &plan.nodes[node];
    let graded = planned.vectors != [NONE; 2];
    let mut changed = false;
    if planned.truth {
        let truth = truth::<W>(plan, at, planned, node);
        changed = truth != std::mem::replace(&mut at.truths[node], truth);
    }
    if graded {
        let signed = signed::<W>(plan, at, planned, node);
        for (vector, new) in planned.vectors.into_iter().zip([signed.value, signed.negation]) {
            if vector != NONE {
                let old = &mut at.vectors[vector as usize];
                changed |= !old.first().same(&new);
                old.0[..W].copy_from_slice(&new.0);
            }
        }
    }
    changed
}

/// Where a node holds.
#[inline(always)]
fn truth<const W: usize>(plan: &Plan, at: &Settled, planned: &Planned, node: usize) -> Mask {
    let holds = |edge: &Edge| edge_truth(at, *edge);
    let members = || plan.members.get(node).iter();
    match planned.operation {
        Operation::Nothing => 0,
        Operation::Always => Mask::MAX,
        Operation::Fact | Operation::Near(_) | Operation::Soon => held(plan, at, node),
        Operation::Toward => holds(&plan.members.get(node)[0]),
        Operation::Compare(number) => lead::<W>(&plan.compared[number as usize], at).0,
        Operation::Tally(number) => {
            let least = plan.tallies[number as usize].least;
            at_least(at, plan.members.get(node))[least]
        }
        Operation::And => members().fold(Mask::MAX, |all, edge| all & holds(edge)),
        Operation::Or => members().fold(0, |any, edge| any | holds(edge)),
    }
}

#[inline(always)]
fn edge_truth(at: &Settled, edge: Edge) -> Mask {
    at.truths[(edge >> 1) as usize] ^ ((edge & 1) as Mask).wrapping_neg()
}

/// Where one of the facts of a leaf holds.
#[inline(always)]
fn held(plan: &Plan, at: &Settled, node: usize) -> Mask {
    plan.operands.get(node).iter().fold(0, |any, &fact| any | at.facts[fact as usize])
}

/// A node's value and its negation, as far as they are wanted.
#[inline(always)]
fn signed<const W: usize>(plan: &Plan, at: &Settled, planned: &Planned, node: usize) -> Signed<W> {
    let norm = &plan.norm;
    match planned.operation {
        Operation::Tally(number) => tally(plan, at, &plan.tallies[number as usize], node),
        Operation::And | Operation::Or => {
            let mut costs = Costs::none();
            for &vector in plan.operands.get(node) {
                costs.add(&at.vectors[vector as usize].first());
            }
            let is_or = planned.operation == Operation::Or;
            let [value, negation] = planned.vectors.map(|vector| vector != NONE);
            let wanted = if is_or { [negation, value] } else { [value, negation] };
            let Signed { value, negation } = norm.conjunction(&costs, planned.breadth, wanted);
            match is_or {
                true => Signed { value: negation, negation: value },
                false => Signed { value, negation },
            }
        }
        Operation::Fact | Operation::Nothing => fact(plan, held(plan, at, node)),
        Operation::Always => norm.operand(Vector::splat(1.0)),
        Operation::Near(number) => {
            let closeness = closeness(&plan.measured[number as usize], at);
            let missing = norm.operand(closeness.map(|closeness| norm.room * closeness));
            where_held(plan, held(plan, at, node), missing)
        }
        Operation::Soon => {
            let missing = soon(plan, at, plan.members.get(node)[0]);
            where_held(plan, held(plan, at, node), missing)
        }
        Operation::Toward => {
            let missing = soon(plan, at, plan.members.get(node)[1]);
            where_held(plan, edge_truth(at, plan.members.get(node)[0]), missing)
        }
        Operation::Compare(number) => compare(norm, plan.held, &plan.compared[number as usize], at),
    }
}

/// Where so many of some members hold, at least.
#[inline(always)]
fn at_least(at: &Settled, members: &[Edge]) -> [Mask; MOST_TALLIED + 1] {
    let mut at_least = [0; MOST_TALLIED + 1];
    at_least[0] = Mask::MAX;
    for (known, &edge) in members.iter().enumerate() {
        let holds = edge_truth(at, edge);
        for count in (0..=known.min(MOST_TALLIED - 1)).rev() {
            at_least[count + 1] |= at_least[count] & holds;
        }
    }
    at_least
}

/// What is worth as much as its number of members that hold says.
#[inline(always)]
fn tally<const W: usize>(plan: &Plan, at: &Settled, tally: &Tally, node: usize) -> Signed<W> {
    let at_least = at_least(at, plan.members.get(node));
    let [mut value, mut negation] = tally.values[0].map(Vector::splat);
    for (&there, more) in at_least.iter().zip(&tally.values).skip(1) {
        value = Vector::splat(more[0]).masked(there, value);
        negation = Vector::splat(more[1]).masked(there, negation);
    }
    Signed { value, negation }
}

/// A fact that holds in some lanes.
#[inline(always)]
fn fact<const W: usize>(plan: &Plan, holds: Mask) -> Signed<W> {
    let [missing, held] = plan.fact;
    Signed {
        value: Vector::choose(holds, held[0], missing[0]),
        negation: Vector::choose(holds, held[1], missing[1]),
    }
}

/// What is worth as much as a fact where it holds.
#[inline(always)]
fn where_held<const W: usize>(plan: &Plan, holds: Mask, missing: Signed<W>) -> Signed<W> {
    let [value, negation] = plan.fact[1].map(Vector::splat);
    Signed { value: value.masked(holds, missing.value), negation: negation.masked(holds, missing.negation) }
}

/// How close facts are to a place, see `distances`.
#[inline(always)]
fn closeness<const W: usize>(distances: &Distances, at: &Settled) -> Vector<W> {
    let [mut least, mut sum, mut count] = [f32::INFINITY, 0.0, 0.0].map(Vector::splat);
    for &(fact, distance) in &distances.0 {
        let held = Vector::choose(at.facts[fact as usize], 1.0, 0.0);
        least = least.zip(held, |least, held| if held > 0.0 && distance < least { distance } else { least });
        sum = sum.zip(held, |sum, held| sum + held * distance);
        count = count.zip(held, |count, held| count + held);
    }
    const NEAR: f32 = NEAREST as f32;
    let mean = sum.zip(count, |sum, count| 1.0 - sum / count);
    let close = least.zip(mean, |least, mean| NEAR * (1.0 - least) + (1.0 - NEAR) * mean);
    close.zip(count, |close, count| if count > 0.0 { close } else { 0.0 })
}

/// What does not hold, of which this is the best way to come about.
#[inline(always)]
fn soon<const W: usize>(plan: &Plan, at: &Settled, way: Edge) -> Signed<W> {
    let norm = &plan.norm;
    let [value, negation] = plan.nodes[(way >> 1) as usize].vectors;
    let [value, negation] = if way & 1 == 1 { [negation, value] } else { [value, negation] };
    let [value, negation] = [value, negation].map(|vector| at.vectors[vector as usize].first());
    let way = Signed { value, negation };
    const STEP: f32 = ONE_STEP as f32;
    norm.operand(norm.value(&way).map(|next| {
        let near = match next > 0.5 {
            true => STEP + (1.0 - STEP) * (next - norm.threshold) / norm.room,
            false => STEP * next / norm.room,
        };
        norm.room * near
    }))
}

/// Where a comparison holds, where both sides have values, and by how many steps it does or does not.
#[inline(always)]
fn lead<const W: usize>(compared: &Compared, at: &Settled) -> (Mask, Mask, Vector<W>) {
    let mut known = Mask::MAX;
    let [left, right] = compared.sides.each_ref().map(|side| {
        let [mut low, mut high] = [f32::INFINITY, f32::NEG_INFINITY].map(Vector::splat);
        let mut some = 0;
        for &(place, edge) in side {
            let holds = edge_truth(at, edge);
            some |= holds;
            let place = Vector::splat(place as f32);
            low = low.zip(place, smaller).masked(holds, low);
            high = high.zip(place, greater).masked(holds, high);
        }
        known &= some;
        [low, high]
    });
    let steps = match compared.relation {
        Comparison::Less | Comparison::AtMost => right[1].zip(left[0], |right, left| right - left),
        Comparison::Greater | Comparison::AtLeast => left[1].zip(right[0], |left, right| left - right),
        Comparison::Equal => nearest(compared, at),
    };
    let mut holds = 0;
    for (lane, &steps) in steps.0.iter().enumerate() {
        let is = match compared.relation {
            Comparison::Less | Comparison::Greater => steps > 0.0,
            Comparison::AtMost | Comparison::AtLeast => steps >= 0.0,
            Comparison::Equal => steps == 0.0,
        };
        holds |= Mask::from(is) << lane;
    }
    (holds & known, known, steps.map(f32::abs))
}

#[inline(always)]
fn smaller(one: f32, other: f32) -> f32 {
    if one < other { one } else { other }
}

#[inline(always)]
fn greater(one: f32, other: f32) -> f32 {
    if one > other { one } else { other }
}

/// How far apart the nearest two places are that both sides have.
#[inline(always)]
fn nearest<const W: usize>(compared: &Compared, at: &Settled) -> Vector<W> {
    let mut nearest = Vector::splat(f32::INFINITY);
    for &(left, edge) in &compared.sides[0] {
        let holds = edge_truth(at, edge);
        if holds == 0 {
            continue;
        }
        for &(right, edge) in &compared.sides[1] {
            let steps = Vector::splat(left.abs_diff(right) as f32);
            let both = holds & edge_truth(at, edge);
            nearest = nearest.zip(steps, smaller).masked(both, nearest);
        }
    }
    nearest
}

/// The value of a comparison, see `compare`.
#[inline(always)]
fn compare<const W: usize>(norm: &Norm, equal: f32, compared: &Compared, at: &Settled) -> Signed<W> {
    let (holds, known, steps) = lead(compared, at);
    let part = steps.map(|steps| steps / compared.length);
    let held = match compared.relation {
        Comparison::Equal => Vector::splat(equal),
        _ => part.map(|part| norm.threshold + norm.room * part),
    };
    let missed = part.map(|part| norm.room * (1.0 - part)).masked(known, Vector::splat(0.0));
    norm.operand(held.masked(holds, missed))
}

/// The function's values: all goal values with the end coupled in, against those of the opponents.
#[inline(always)]
fn together<const W: usize>(plan: &Plan, vectors: &[Vector]) -> Vector<W> {
    let open = vectors[plan.open as usize].first();
    let of = |goals: &[Wanted]| {
        goals.iter().fold(Vector::splat(0.0), |sum, goal| {
            let more = coupled(&plan.norm, goal, &open, vectors);
            sum.zip(more, |sum, more| {
                let more = more * goal.share;
                sum + more - sum * more
            })
        })
    };
    let own = of(&plan.goals);
    if plan.against.is_empty() {
        return own;
    }
    own.zip(of(&plan.against), |own, other| {
        let (first, second) = (own * (1.0 - other), other * (1.0 - own));
        if first + second > 0.0 { first / (first + second) } else { 0.5 }
    })
}

/// h(gv, z), as it is shown. Whether the condition holds or does not, what is not the case fails in a conjunction with the end
/// or its negation, so that its cost is the cost of one in which a member fails.
#[inline(always)]
fn coupled<const W: usize>(norm: &Norm, goal: &Wanted, open: &Vector<W>, vectors: &[Vector]) -> Vector<W> {
    // Where the end is there, its negation fails.
    let [value, negation] = [0, 1].map(|part| {
        let [before, at_end] =
            [goal.open, goal.condition].map(|vectors_of| vectors[vectors_of[part] as usize].first());
        before.or_where_negative(*open, at_end)
    });
    let mut costs = Costs::none();
    costs.add(&value.or_where_negative(negation, negation));
    costs.add(open);
    let cost = norm.failing_cost(&costs, norm.room);
    let low =
        cost.map(|cost| norm.room / (1.0 + if cost > norm.failing { cost - norm.failing } else { 0.0 }));
    low.map(|low| 1.0 - low).or_where_negative(value, low)
}

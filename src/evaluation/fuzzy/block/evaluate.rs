//! Evaluating a formula in thirty-two states at a time or fewer, by what differs from the first of the last ones.
//!
//! Between two groups every lane of every vector has the value of one state, the base. Facts of the next group that differ
//! from it in some lane mark the nodes that look at them; these are computed in order, in as many lanes as there are states
//! (sixteen or all; in others a state is meant that is in one of these), and where one has changed in some lane it
//! marks those that look at it. Then the group's first state becomes the base. A node's value is computed from all its
//! members anew, so that it depends on the state alone: by the numbers of their values where it has few (see `numbers`), else
//! they are added up. Siblings differ in few facts from each other: what they have in common is computed once for all of
//! them, or not at all.

use std::sync::Arc;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

use super::super::bind::Edge;
use super::conjunction::{Costs, Signed};
use super::leaves::{compared, edge_truth, held, leaf, tallied};
use super::numbers::Numbers;
use super::plan::{NONE, Operation, Plan};
use super::together::together;
use super::vector::{Mask, PART, Vector, WIDTH, states_of};

/// A function at so many states.
pub(super) struct Group {
    plan: Arc<Plan>,
    at: Settled,
    /// The instructions that the processor has.
    level: Level,
}

/// What is known at the states.
pub(super) struct Settled {
    pub(super) vectors: Vec<Vector>,
    /// Where nodes hold, of those of which somebody wants to know.
    pub(super) truths: Vec<Mask>,
    /// Where facts hold.
    pub(super) facts: Vec<Mask>,
    numbers: Numbers,
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
            numbers: Numbers::new(&plan),
            marked: vec![0; nodes.div_ceil(64)],
            varied: Vec::new(),
            varied_facts: Vec::new(),
            values: Vector::splat(0.0),
            work: 0,
        };
        (0..nodes).for_each(|node| at.marked[node / 64] |= 1 << (node % 64));
        // What always holds stands last, and others look at it.
        if let Some(always) = plan.nodes.last() {
            for (vector, value) in always.vectors.into_iter().zip(plan.always) {
                if vector != NONE {
                    at.vectors[vector as usize] = Vector::splat(value);
                }
            }
            at.truths[nodes - 1] = Mask::MAX;
        }
        let level = Level::new();
        settle(level, &plan, &mut at, WIDTH);
        Group { plan, at, level }
    }

    /// The values of the function in the states that are wanted, at least one, those of others of no meaning: for each fact
    /// that it looks at, in their order, in which of the states it holds, the first one in the lowest bit, as in `wanted`.
    pub(super) fn values(
        &mut self,
        facts: impl Iterator<Item = Mask>,
        wanted: Mask,
    ) -> impl Iterator<Item = f32> {
        let one = wanted.trailing_zeros();
        let Group { plan, at, level } = self;
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
        settle(*level, plan, at, (Mask::BITS - wanted.leading_zeros()) as usize);
        at.values.numbers()
    }

    /// Nodes computed so far.
    pub(super) fn work(&self) -> u64 {
        self.at.work
    }
}

/// Computes what is marked in so many lanes at least, then the function's values; the first state becomes the base.
fn settle(level: Level, plan: &Plan, at: &mut Settled, lanes: usize) {
    dispatch!(level, simd => match lanes {
        0..=PART => settle_parts::<_, 1>(simd, plan, at),
        _ => settle_parts::<_, 2>(simd, plan, at),
    });
}

#[inline(always)]
fn settle_parts<S: Simd, const PARTS: usize>(simd: S, plan: &Plan, at: &mut Settled) {
    for index in 0..at.marked.len() {
        while at.marked[index] != 0 {
            let node = index * 64 + at.marked[index].trailing_zeros() as usize;
            at.marked[index] &= at.marked[index] - 1;
            at.work += 1;
            if compute::<S, PARTS>(simd, plan, at, node) {
                at.varied.push(node as u32);
                for &parent in plan.parents.get(node) {
                    at.marked[parent as usize / 64] |= 1 << (parent % 64);
                }
            }
        }
    }
    for part in 0..PARTS {
        let values = together(simd, plan, &at.vectors, part);
        at.values.set_part(part, values);
    }
    for &node in &at.varied {
        let node = node as usize;
        at.numbers.settle(node);
        for vector in plan.nodes[node].vectors.into_iter().filter(|&vector| vector != NONE) {
            let vector = &mut at.vectors[vector as usize];
            *vector = Vector::splat(vector.first());
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
fn compute<S: Simd, const PARTS: usize>(simd: S, plan: &Plan, at: &mut Settled, node: usize) -> bool {
    let planned = &plan.nodes[node];
    let mut changed = false;
    if planned.truth {
        let truth = truth::<S, PARTS>(simd, plan, at, node);
        changed = truth != std::mem::replace(&mut at.truths[node], truth);
    }
    if planned.vectors == [NONE; 2] {
        return changed;
    }
    if at.numbers.is_told(node) {
        let renumbered = match planned.operation {
            Operation::Fact => Some(at.numbers.count(simd, node, &[held(plan, at, node)])),
            Operation::Tally(_) => {
                let members = plan.members.get(node);
                Some(at.numbers.count(simd, node, &tallied(at, members)[1..=members.len()]))
            }
            _ => at.numbers.look_up(simd, plan, node, states_of(PARTS)),
        };
        match renumbered {
            Some(false) => return changed,
            Some(true) => {
                at.numbers.show(simd, plan, node, PARTS, &mut at.vectors);
                return true;
            }
            None => at.numbers.add_up(plan, node, &mut at.vectors),
        }
    }
    let signed = match planned.operation {
        Operation::And | Operation::Or => added_up::<S, PARTS>(simd, plan, at, node),
        _ => leaf::<S, PARTS>(simd, plan, at, node),
    };
    for (part, signed) in signed.into_iter().enumerate() {
        for (vector, new) in planned.vectors.into_iter().zip([signed.value, signed.negation]) {
            if vector != NONE {
                let vector = &mut at.vectors[vector as usize];
                changed |= vector.part(simd, part).simd_ne(new).any_true();
                vector.set_part(part, new);
            }
        }
    }
    if changed {
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

/// Where a node holds.
#[inline(always)]
fn truth<S: Simd, const PARTS: usize>(simd: S, plan: &Plan, at: &Settled, node: usize) -> Mask {
    let holds = |edge: &Edge| edge_truth(at, *edge);
    let members = || plan.members.get(node).iter();
    match plan.nodes[node].operation {
        Operation::Nothing => 0,
        Operation::Always => Mask::MAX,
        Operation::Fact | Operation::Near(_) | Operation::Soon => held(plan, at, node),
        Operation::Toward => holds(&plan.members.get(node)[0]),
        Operation::Compare(number) => {
            compared::<S, PARTS>(simd, &plan.compared[number as usize], at)
                | at.truths[node] & !states_of(PARTS)
        }
        Operation::Tally(number) => tallied(at, plan.members.get(node))[plan.tallies[number as usize].least],
        Operation::And => members().fold(Mask::MAX, |all, edge| all & holds(edge)),
        Operation::Or => members().fold(0, |any, edge| any | holds(edge)),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::super::evaluate::Evaluator;
    use super::super::super::{FuzzyFunction, FuzzyParameters, UnrollLimits};
    use super::*;
    use crate::gdl::{Source, read};
    use crate::ground::Limits;
    use crate::machine::{Backend, load};
    use crate::simulate::{Budget, Choices, Context};
    use crate::structure::detect;

    impl Group {
        /// One that has no numbers.
        fn added_up(plan: &Arc<Plan>) -> Group {
            let mut group = Group::new(Arc::clone(plan));
            for node in 0..plan.nodes.len() {
                group.at.numbers.add_up(plan, node, &mut group.at.vectors);
            }
            group
        }
    }

    #[test]
    fn nodes_are_worth_the_same_by_numbers_and_added_up() {
        let mut compared = 0;
        for game in ["tic_tac_toe", "nine_mens_morris", "checkers", "reversi"] {
            let path = PathBuf::from(format!("{}/games/{game}.kif", env!("CARGO_MANIFEST_DIR")));
            let description = read(&Source::load(&path).unwrap()).description.unwrap();
            let loaded = load(description, Backend::Auto, &Limits::default()).unwrap();
            let machine = &*loaded.machine;
            let budget = Budget { playouts: 20, ..Budget::default() };
            let structures = detect(machine, &loaded.statics, &budget, &Context::default()).unwrap().0;
            for regression in [0, 2] {
                let parameters = FuzzyParameters { regression, ..FuzzyParameters::default() };
                let limits = UnrollLimits::default();
                let function = FuzzyFunction::new(machine, &structures, 0, parameters, &limits).unwrap();
                let goals = function.goals.iter().chain(&function.against);
                let roots: Vec<_> =
                    goals.flat_map(|goal| goal.conditions()).chain([function.terminal]).collect();
                let evaluator = Evaluator::new(machine, &function.formula, &roots, parameters).unwrap();
                let Some(plan) = Plan::new(&function, &evaluator).map(Arc::new) else { continue };
                compared += 1;
                let mut numbered = Group::new(Arc::clone(&plan));
                let [mut added_up, mut single] = [(); 2].map(|()| Group::added_up(&plan));
                let mut random = Choices::new(5, 0);
                let mut mask = || random.below(1 << 32) as Mask;
                // Whatever holds, not states of the game alone: few facts differ, then many.
                let mut facts: Vec<Mask> = vec![0; plan.facts.len()];
                for round in 0..120 {
                    for fact in &mut facts {
                        let (often, change) = (mask() % 120 < round, mask() & mask());
                        *fact ^= if often { change } else { 0 };
                    }
                    let wanted = [Mask::MAX, 0xffff, 1 << (round % 32), mask() | 1][round as usize % 4];
                    let of = |group: &mut Group| -> Vec<u32> {
                        let values: Vec<f32> = group.values(facts.iter().copied(), wanted).collect();
                        let of_wanted =
                            values.iter().enumerate().filter(|(state, _)| wanted >> state & 1 == 1);
                        of_wanted.map(|(_, value)| value.to_bits()).collect()
                    };
                    let found = of(&mut numbered);
                    assert_eq!(found, of(&mut added_up), "{game} {round}");
                    let state = wanted.trailing_zeros();
                    let alone = facts.iter().map(|fact| fact >> state & 1);
                    let value = single.values(alone, 1).next().unwrap();
                    assert_eq!(found[0], value.to_bits(), "{game} {round}");
                }
            }
        }
        // Some look too far back to be told in lanes.
        assert!(compared >= 5, "{compared}");
    }
}

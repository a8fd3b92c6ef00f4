//! The values of loops in states side by side: the least ones that fit.
//!
//! # How
//! What is in a loop is worth what its best derivation is (see `loops` one level up), so that values rise from nothing until none
//! can. All steps are computed in the order in which derivations reach them, then backwards, as far as members that come later are
//! better; then forwards again, and so on, those alone of which a member rose since. A step is not computed again where its members'
//! best values are what they were, which is most often so.
//!
//! # Guarantee
//! What one state comes to depends on no other: a step that is computed though nothing changed in a state keeps its value there.
//! Nothing rises by going round, as a conjunction is worth no more than any of its members.

use std::ops::Range;

use fearless_simd::f32x16;
use fearless_simd::prelude::*;

use crate::machine::CompressedRows;

use super::conjunction::{Costs, MOST_COST, Norm, Signed, Summed};
use super::evaluate::Settled;
use super::loop_planning::{Loop, LoopStep};
use super::plan::{NONE, Plan};
use super::vector::Vector;

/// Times that steps are gone through at most, after the first two: so often a derivation may turn back on its way through them. One
/// that does more often is worth what was found till then, as a loop that is large could take longer than a player has.
const MOST_PASSES: usize = 128;

/// Room for the work on loops.
pub(super) struct LoopRoom {
    /// What steps are worth so far: the costs of their values; [`MOST_COST`] is nothing.
    costs: Vec<Vector>,
    /// For each choice the least cost that its step was computed with, or has seen since.
    chosen: Vec<Vector>,
    /// Steps of which a member has risen, as bits.
    waiting: Vec<u64>,
    /// What wanted nodes are worth, and their negations.
    pub(super) wanted: Vec<[Vector; 2]>,
}

impl LoopRoom {
    /// For all loops of a plan, one after the other.
    pub(super) fn new(plan: &Plan) -> LoopRoom {
        let most = |of: &dyn Fn(&Loop) -> usize| plan.loops.iter().map(of).max().unwrap_or(0);
        let steps = most(&|of| of.steps.len());
        LoopRoom {
            costs: vec![Vector::splat(MOST_COST); steps],
            chosen: vec![Vector::splat(f32::INFINITY); most(&|of| of.chosen.len())],
            waiting: vec![0; steps.div_ceil(64)],
            wanted: vec![[Vector::splat(0.0); 2]; most(&|of| of.wanted.len())],
        }
    }
}

/// Brings a loop to its least values, and tells what its wanted nodes are worth: those from some place in the plan on.
#[inline(always)]
pub(super) fn settle<S: Simd, const PARTS: usize>(
    simd: S,
    plan: &Plan,
    of: &Loop,
    nodes: Range<usize>,
    at: &mut Settled,
) {
    rise_all::<S, PARTS>(simd, &plan.norm, of, &at.vectors, &mut at.loops);
    for (number, node) in nodes.enumerate() {
        let negation = plan.nodes[node].vectors[1] != NONE;
        for part in 0..PARTS {
            let signed = wanted(simd, plan, of, number, at, negation, part);
            let [value, negation] = &mut at.loops.wanted[number];
            value.set_part(part, signed.value);
            negation.set_part(part, signed.negation);
        }
    }
}

/// Raises the steps of a loop to their least values.
#[inline(always)]
fn rise_all<S: Simd, const PARTS: usize>(
    simd: S,
    norm: &Norm,
    of: &Loop,
    vectors: &[Vector],
    room: &mut LoopRoom,
) {
    for number in 0..of.steps.len() {
        first::<S, PARTS>(simd, norm, of, number, vectors, room);
    }
    // What comes later was not known then.
    for number in (0..of.steps.len()).rev() {
        if rise::<S, PARTS>(simd, norm, of, number, &of.later, vectors, room) {
            for &parent in of.parents.row(number) {
                // The others follow.
                if parent as usize > number {
                    room.waiting[parent as usize / 64] |= 1 << (parent % 64);
                }
            }
        }
    }
    let words = of.steps.len().div_ceil(64);
    for pass in 0..MOST_PASSES {
        if room.waiting[..words].iter().all(|&word| word == 0) {
            return;
        }
        let backwards = pass % 2 == 1;
        for place in 0..words {
            let word = if backwards { words - 1 - place } else { place };
            // Steps that were passed wait for the next time.
            let mut ahead = u64::MAX;
            while room.waiting[word] & ahead != 0 {
                let bits = room.waiting[word] & ahead;
                let bit = if backwards { bits.ilog2() } else { bits.trailing_zeros() };
                ahead = if backwards { (1 << bit) - 1 } else { (u64::MAX << bit) << 1 };
                room.waiting[word] &= !(1 << bit);
                let number = word * 64 + bit as usize;
                if rise::<S, PARTS>(simd, norm, of, number, &of.chosen, vectors, room) {
                    for &parent in of.parents.row(number) {
                        room.waiting[parent as usize / 64] |= 1 << (parent % 64);
                    }
                }
            }
        }
    }
    room.waiting[..words].fill(0);
}

/// Computes a step for the first time, by those before it.
#[inline(always)]
fn first<S: Simd, const PARTS: usize>(
    simd: S,
    norm: &Norm,
    of: &Loop,
    number: usize,
    vectors: &[Vector],
    room: &mut LoopRoom,
) {
    match of.steps[number] {
        LoopStep::Given([value, _]) => {
            let value = &vectors[value as usize];
            for part in 0..PARTS {
                room.costs[number].set_part(part, value.part(simd, part).abs());
            }
        }
        LoopStep::Best => {
            for &choice in of.choices.row(number) {
                let best = best::<S, PARTS>(simd, of.earlier.row(choice as usize), &room.costs);
                for (part, best) in best.into_iter().enumerate() {
                    room.costs[number].set_part(part, best);
                }
            }
        }
        LoopStep::And { breadth } => {
            let mut summed = summed::<S, PARTS>(simd, of.outside.row(number), vectors);
            for &choice in of.choices.row(number) {
                let best = best::<S, PARTS>(simd, of.earlier.row(choice as usize), &room.costs);
                for (part, best) in best.into_iter().enumerate() {
                    room.chosen[choice as usize].set_part(part, best);
                    summed[part].choose(norm, best);
                }
            }
            for (part, summed) in summed.iter().enumerate() {
                room.costs[number].set_part(part, summed.cost(simd, norm, breadth));
            }
        }
    }
}

/// Computes a step again where it may be worth more than before; whether it is. Of its choices `new` lists what may have risen.
#[inline(always)]
fn rise<S: Simd, const PARTS: usize>(
    simd: S,
    norm: &Norm,
    of: &Loop,
    number: usize,
    new: &CompressedRows<u32>,
    vectors: &[Vector],
    room: &mut LoopRoom,
) -> bool {
    let mut rose = false;
    match of.steps[number] {
        LoopStep::Given(_) => {}
        LoopStep::Best => {
            for &choice in of.choices.row(number) {
                let best = best::<S, PARTS>(simd, new.row(choice as usize), &room.costs);
                for (part, best) in best.into_iter().enumerate() {
                    rose |= lower(&mut room.costs[number], part, best);
                }
            }
        }
        LoopStep::And { breadth } => {
            let choices = of.choices.row(number);
            let mut better = f32x16::splat(simd, 0.0).simd_lt(0.0);
            for &choice in choices {
                let best = best::<S, PARTS>(simd, new.row(choice as usize), &room.costs);
                for (part, best) in best.into_iter().enumerate() {
                    better |= best.simd_lt(room.chosen[choice as usize].part(simd, part));
                }
            }
            // Most often none is.
            if !better.any_true() {
                return false;
            }
            let mut summed = summed::<S, PARTS>(simd, of.outside.row(number), vectors);
            for &choice in choices {
                let chosen = &mut room.chosen[choice as usize];
                let best = best::<S, PARTS>(simd, new.row(choice as usize), &room.costs);
                for (part, best) in best.into_iter().enumerate() {
                    let best = best.min(chosen.part(simd, part));
                    chosen.set_part(part, best);
                    summed[part].choose(norm, best);
                }
            }
            for (part, summed) in summed.iter().enumerate() {
                let cost = summed.cost(simd, norm, breadth);
                rose |= lower(&mut room.costs[number], part, cost);
            }
        }
    }
    rose
}

/// Lowers costs where others are lower; whether some are.
#[inline(always)]
fn lower<S: Simd>(costs: &mut Vector, part: usize, others: f32x16<S>) -> bool {
    let before = costs.part(others.simd, part);
    let is = others.simd_lt(before).any_true();
    if is {
        costs.set_part(part, others.min(before));
    }
    is
}

/// The least of the costs of some steps.
#[inline(always)]
fn best<S: Simd, const PARTS: usize>(simd: S, steps: &[u32], costs: &[Vector]) -> [f32x16<S>; PARTS] {
    let mut best = [f32x16::splat(simd, MOST_COST); PARTS];
    for &step in steps {
        let costs = &costs[step as usize];
        for (part, best) in best.iter_mut().enumerate() {
            *best = best.min(costs.part(simd, part));
        }
    }
    best
}

/// The same of one part.
#[inline(always)]
fn best_of_part<S: Simd>(simd: S, steps: &[u32], costs: &[Vector], part: usize) -> f32x16<S> {
    let mut best = f32x16::splat(simd, MOST_COST);
    for &step in steps {
        best = best.min(costs[step as usize].part(simd, part));
    }
    best
}

/// The members outside.
#[inline(always)]
fn summed<S: Simd, const PARTS: usize>(simd: S, outside: &[u32], vectors: &[Vector]) -> [Summed<S>; PARTS] {
    let mut all = [Summed { costs: Costs::none(simd), most: f32x16::splat(simd, 0.0) }; PARTS];
    for &vector in outside {
        let vector = &vectors[vector as usize];
        for (part, summed) in all.iter_mut().enumerate() {
            summed.add(vector.part(simd, part));
        }
    }
    all
}

/// What a wanted node of a settled loop is worth in a part, and its negation if that is wanted.
#[inline(always)]
fn wanted<S: Simd>(
    simd: S,
    plan: &Plan,
    of: &Loop,
    number: usize,
    at: &Settled,
    negation: bool,
    part: usize,
) -> Signed<S> {
    // What nothing derives counts as any operand of value 0 does.
    let nothing = plan.norm.operand(simd, f32x16::splat(simd, 0.0));
    let mut least = f32x16::splat(simd, MOST_COST);
    let mut negations = nothing.negation;
    for &step in of.wanted.row(number) {
        let cost = at.loops.costs[step as usize].part(simd, part);
        let better = cost.simd_lt(least);
        if negation && better.any_true() {
            let other = negated(simd, plan, of, step as usize, at, part);
            negations = better.select(other, negations);
        }
        least = least.min(cost);
    }
    let value = least.simd_lt(plan.norm.middle()).select(least, -least);
    Signed { value: least.simd_lt(MOST_COST).select(value, nothing.value), negation: negations }
}

/// The negation of a step.
#[inline(always)]
fn negated<S: Simd>(simd: S, plan: &Plan, of: &Loop, step: usize, at: &Settled, part: usize) -> f32x16<S> {
    match of.steps[step] {
        LoopStep::Given([_, negation]) if negation != NONE => at.vectors[negation as usize].part(simd, part),
        LoopStep::Given(_) | LoopStep::Best => {
            unreachable!("a wanted node is worth what was asked for, or a conjunction")
        }
        LoopStep::And { breadth } => {
            let mut costs = Costs::none(simd);
            for &vector in of.outside.row(step) {
                costs.add(at.vectors[vector as usize].part(simd, part));
            }
            for &choice in of.choices.row(step) {
                let best = best_of_part(simd, of.chosen.row(choice as usize), &at.loops.costs, part);
                costs.add(best.simd_lt(plan.norm.middle()).select(best, -best));
            }
            plan.norm.negation(simd, &costs, breadth, at.loops.costs[step].part(simd, part))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::super::ERROR;
    use super::super::evaluate::Group;
    use super::super::vector::Mask;
    use super::*;
    use crate::evaluation::fuzzy::evaluate::Evaluator;
    use crate::evaluation::fuzzy::formula::{Formula, Mention, Node};
    use crate::evaluation::fuzzy::value::Goal;
    use crate::evaluation::fuzzy::{FuzzyFunction, FuzzyParameters};
    use crate::feature::{Facts, Measure, ValuedState};
    use crate::gdl::{Source, read};
    use crate::ground::Limits;
    use crate::machine::{Backend, FluentId, Machine, State, load};
    use crate::simulate::Choices;

    const FACTS: usize = 12;

    /// A function of a loop of nodes that look at each other at random.
    fn function(machine: &dyn Machine, random: &mut Choices) -> FuzzyFunction {
        let mut nodes: Vec<Node> =
            (0..FACTS).map(|fact| Node::Fact(machine.fluent_text(FluentId(fact as u32)))).collect();
        let (first, count) = (FACTS + 1, 2 + random.below(24));
        let last = FACTS + count;
        let inside = |random: &mut Choices| (first + random.below(count)) as Mention;
        let outside = |random: &mut Choices| {
            let fact = random.below(FACTS + 1) as Mention;
            if random.below(4) == 0 { -fact } else { fact }
        };
        for _ in 0..count {
            let is_best = random.below(2) == 0;
            let members = (0..random.below(5)).map(|_| match random.below(5) {
                0 | 1 => outside(random),
                _ => inside(random),
            });
            let members = members.collect();
            nodes.push(if is_best { Node::Best(members) } else { Node::And(members) });
        }
        let signed =
            |random: &mut Choices| if random.below(3) == 0 { -inside(random) } else { inside(random) };
        nodes.push(Node::And(vec![signed(random), signed(random), outside(random)]));
        nodes.push(Node::Or(vec![signed(random), signed(random), last as Mention + 1]));
        let goal = |value, condition| Goal { value, condition };
        FuzzyFunction {
            role: "red".to_owned(),
            parameters: FuzzyParameters::default(),
            terminal: signed(random),
            goals: vec![goal(50, inside(random)), goal(100, last as Mention + 2)],
            against: vec![goal(100, signed(random))],
            lifted: Vec::new(),
            formula: Formula { nodes, loops: vec![(first as u32, last as u32)], ..Formula::default() },
        }
    }

    /// Whatever the loop is, its values are those of double precision, and of one state those of thirty-two.
    #[test]
    fn loops_have_their_least_values() {
        let path = PathBuf::from(format!("{}/../../games/hex.kif", env!("CARGO_MANIFEST_DIR")));
        let description = read(&Source::load(&path).unwrap()).description.unwrap();
        let loaded = load(description, Backend::Auto, &Limits::default()).unwrap();
        let machine = &*loaded.machine;
        let network = machine.network().unwrap();
        let cursor = machine.cursor();
        let mut random = Choices::new(7, 0);
        for round in 0..400 {
            let function = function(machine, &mut random);
            let mut alone = function.bind(machine).unwrap();
            let goals = function.goals.iter().chain(&function.against);
            let roots: Vec<Mention> = goals.map(|goal| goal.condition).chain([function.terminal]).collect();
            let evaluator = Evaluator::new(machine, &function.formula, &roots, function.parameters).unwrap();
            let plan = Arc::new(Plan::new(&function, &evaluator).unwrap());
            let [mut many, mut single] = [(); 2].map(|()| Group::new(Arc::clone(&plan)));
            for _ in 0..4 {
                let masks: Vec<Mask> = plan.facts.iter().map(|_| random.below(1 << 32) as Mask).collect();
                let found: Vec<f32> = many.values(masks.iter().copied(), Mask::MAX).collect();
                for (lane, found) in found.into_iter().enumerate() {
                    let mut words = machine.initial().0.clone();
                    for (&fact, mask) in plan.facts.iter().zip(&masks) {
                        let bit = network.fluents[fact.0 as usize].bit.unwrap() as usize;
                        words[bit / 64] =
                            words[bit / 64] & !(1 << (bit % 64)) | u64::from(mask >> lane & 1) << (bit % 64);
                    }
                    let mut facts = Facts::new(machine);
                    facts.fill(machine, &State(words));
                    let exact = alone.value(&ValuedState { facts: &facts, view: &*cursor });
                    assert!(
                        (f64::from(found) - exact).abs() < ERROR,
                        "{round} {lane}: {found} {exact} {function:?}"
                    );
                    let one = masks.iter().map(|mask| mask >> lane & 1);
                    let one = single.values(one, 1).next().unwrap();
                    assert_eq!(one.to_bits(), found.to_bits(), "{round} {lane} {function:?}");
                }
            }
        }
    }
}

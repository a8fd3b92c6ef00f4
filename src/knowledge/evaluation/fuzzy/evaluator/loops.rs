//! The least fixed points of loops, in all states of a group.
//!
//! # How
//! The value of a node of a loop is that of its best derivation (Knuth 1977). A conjunction is worth no more than its least member, so
//! a cycle gains nothing. Values rise from 0. All steps are computed in the order in which derivations reach them, then
//! backwards, then forwards again, and so on. After the first pass only steps with a member that rose are computed.
//!
//! # Guarantee
//! The value in one state does not depend on the others: a step that is computed again without a change keeps its value.

use std::ops::Range;

use fearless_simd::prelude::*;

use crate::machine::CompressedRows;

use super::super::norm::TNorm;
use super::lanes::{Lanes, Operand, Row, part as part_of, set_part};
use super::loop_planning::{Loop, LoopStep};
use super::plan::Plan;
use super::tables::NONE;

/// The most passes after the first two: how often a derivation may turn back in the order of steps. Beyond it a node keeps the value
/// so far, because a large loop could take longer than a player has.
const MOST_PASSES: usize = 128;

/// Memory for the evaluation of loops.
pub(super) struct LoopRoom<R> {
    /// The costs of steps so far.
    costs: Vec<R>,
    /// For each choice the least cost so far.
    chosen: Vec<R>,
    /// Steps with a member that rose, as bits.
    waiting: Vec<u64>,
    /// The operands of needed nodes, and of their negations.
    pub(super) found: Vec<[R; 2]>,
}

impl<R: Row> LoopRoom<R> {
    /// For any loop of a plan.
    pub(super) fn new(plan: &Plan) -> LoopRoom<R> {
        let most = |of: &dyn Fn(&Loop) -> usize| plan.loops.iter().map(of).max().unwrap_or(0);
        let steps = most(&|of| of.steps.len());
        LoopRoom {
            costs: vec![R::splat(f32::INFINITY); steps],
            chosen: vec![R::splat(f32::INFINITY); most(&|of| of.chosen.len())],
            waiting: vec![0; steps.div_ceil(64)],
            found: vec![[R::splat(0.0); 2]; most(&|of| of.outputs.len())],
        }
    }
}

/// A loop in a group of states.
pub(super) struct LoopAt<'a, S: Simd, F: Lanes<S>, N> {
    pub(super) simd: S,
    pub(super) norm: &'a N,
    pub(super) of: &'a Loop,
    /// The operands of all nodes.
    pub(super) rows: &'a [F::Row],
    pub(super) room: &'a mut LoopRoom<F::Row>,
}

impl<S: Simd, F: Lanes<S>, N: TNorm> LoopAt<'_, S, F, N> {
    /// Computes the least fixed point and the operands of the needed nodes, which have the places `nodes` in the plan.
    #[inline(always)]
    pub(super) fn settle<const PARTS: usize>(&mut self, plan: &Plan, nodes: Range<usize>) {
        self.rise_all::<PARTS>();
        for (number, node) in nodes.enumerate() {
            let negation = plan.tables.vectors[node][1] != NONE;
            for part in 0..PARTS {
                let operand = self.found(number, negation, part);
                let [value, negation] = &mut self.room.found[number];
                set_part::<S, F>(value, part, operand.value);
                set_part::<S, F>(negation, part, operand.negation);
            }
        }
    }

    /// Raises the steps to the least fixed point.
    #[inline(always)]
    fn rise_all<const PARTS: usize>(&mut self) {
        let of = self.of;
        for number in 0..of.steps.len() {
            self.first::<PARTS>(number);
        }
        // Now with the members that come later.
        for number in (0..of.steps.len()).rev() {
            if self.rise::<PARTS>(number, &of.later) {
                for &parent in of.parents.row(number) {
                    // Those before it follow in this pass.
                    if parent as usize > number {
                        self.room.waiting[parent as usize / 64] |= 1 << (parent % 64);
                    }
                }
            }
        }
        let words = of.steps.len().div_ceil(64);
        for pass in 0..MOST_PASSES {
            if self.room.waiting[..words].iter().all(|&word| word == 0) {
                return;
            }
            let backwards = pass % 2 == 1;
            for place in 0..words {
                let word = if backwards { words - 1 - place } else { place };
                // Steps that this pass has left behind wait for the next one.
                let mut ahead = u64::MAX;
                while self.room.waiting[word] & ahead != 0 {
                    let bits = self.room.waiting[word] & ahead;
                    let bit = if backwards { bits.ilog2() } else { bits.trailing_zeros() };
                    ahead = if backwards { (1 << bit) - 1 } else { (u64::MAX << bit) << 1 };
                    self.room.waiting[word] &= !(1 << bit);
                    let number = word * 64 + bit as usize;
                    if self.rise::<PARTS>(number, &of.chosen) {
                        for &parent in of.parents.row(number) {
                            self.room.waiting[parent as usize / 64] |= 1 << (parent % 64);
                        }
                    }
                }
            }
        }
        self.room.waiting[..words].fill(0);
    }

    /// Computes a step for the first time, from those before it.
    #[inline(always)]
    fn first<const PARTS: usize>(&mut self, number: usize) {
        let of = self.of;
        match of.steps[number] {
            LoopStep::Given([value, _]) => {
                for part in 0..PARTS {
                    let cost = self.norm.cost(self.row(value, part));
                    set_part::<S, F>(&mut self.room.costs[number], part, cost);
                }
            }
            LoopStep::Best => {
                for &choice in of.choices.row(number) {
                    let best = self.best::<PARTS>(of.earlier.row(choice as usize));
                    for (part, best) in best.into_iter().enumerate() {
                        set_part::<S, F>(&mut self.room.costs[number], part, best);
                    }
                }
            }
            LoopStep::And { half_saturation } => {
                let mut summed = self.outside::<PARTS>(number);
                for &choice in of.choices.row(number) {
                    let best = self.best::<PARTS>(of.earlier.row(choice as usize));
                    for (part, best) in best.into_iter().enumerate() {
                        set_part::<S, F>(&mut self.room.chosen[choice as usize], part, best);
                        summed[part].add(self.norm, self.norm.of_cost(best));
                    }
                }
                for (part, summed) in summed.iter().enumerate() {
                    let cost = summed.cost(self.simd, self.norm, half_saturation);
                    set_part::<S, F>(&mut self.room.costs[number], part, cost);
                }
            }
        }
    }

    /// Computes a step again, if one of its choices rose; `new` lists the steps of a choice that may have risen. Returns whether it rose.
    #[inline(always)]
    fn rise<const PARTS: usize>(&mut self, number: usize, new: &CompressedRows<u32>) -> bool {
        let of = self.of;
        let mut rose = false;
        match of.steps[number] {
            LoopStep::Given(_) => {}
            LoopStep::Best => {
                for &choice in of.choices.row(number) {
                    let best = self.best::<PARTS>(new.row(choice as usize));
                    for (part, best) in best.into_iter().enumerate() {
                        rose |= self.lower(number, part, best);
                    }
                }
            }
            LoopStep::And { half_saturation } => {
                let choices = of.choices.row(number);
                let mut better = F::splat(self.simd, 0.0).simd_lt(0.0);
                for &choice in choices {
                    let best = self.best::<PARTS>(new.row(choice as usize));
                    for (part, best) in best.into_iter().enumerate() {
                        let before = part_of::<S, F>(self.simd, &self.room.chosen[choice as usize], part);
                        better |= best.simd_lt(before);
                    }
                }
                if !better.any_true() {
                    return false;
                }
                let mut summed = self.outside::<PARTS>(number);
                for &choice in choices {
                    let best = self.best::<PARTS>(new.row(choice as usize));
                    for (part, best) in best.into_iter().enumerate() {
                        let chosen = &mut self.room.chosen[choice as usize];
                        let best = best.min(part_of::<S, F>(self.simd, chosen, part));
                        set_part::<S, F>(chosen, part, best);
                        summed[part].add(self.norm, self.norm.of_cost(best));
                    }
                }
                for (part, summed) in summed.iter().enumerate() {
                    let cost = summed.cost(self.simd, self.norm, half_saturation);
                    rose |= self.lower(number, part, cost);
                }
            }
        }
        rose
    }

    /// Lowers the costs of a step to lower ones. Returns whether there are any.
    #[inline(always)]
    fn lower(&mut self, number: usize, part: usize, others: F) -> bool {
        let costs = &mut self.room.costs[number];
        let before = part_of::<S, F>(self.simd, costs, part);
        let is = others.simd_lt(before).any_true();
        if is {
            set_part::<S, F>(costs, part, others.min(before));
        }
        is
    }

    #[inline(always)]
    fn row(&self, vector: u32, part: usize) -> F {
        part_of(self.simd, &self.rows[vector as usize], part)
    }

    /// The least of the costs of some steps.
    #[inline(always)]
    fn best<const PARTS: usize>(&self, steps: &[u32]) -> [F; PARTS] {
        let mut best = [F::splat(self.simd, N::NOTHING); PARTS];
        for &step in steps {
            for (part, best) in best.iter_mut().enumerate() {
                *best = best.min(part_of::<S, F>(self.simd, &self.room.costs[step as usize], part));
            }
        }
        best
    }

    /// The sum of a conjunction's members outside the loop.
    #[inline(always)]
    fn outside<const PARTS: usize>(&self, number: usize) -> [Summed<S, F, N>; PARTS] {
        let none = Summed { sums: self.norm.none(self.simd), most: F::splat(self.simd, 0.0) };
        let mut all = [none; PARTS];
        for &vector in self.of.outside.row(number) {
            for (part, summed) in all.iter_mut().enumerate() {
                summed.add(self.norm, self.row(vector, part));
            }
        }
        all
    }

    /// The operand of a needed node in a part, and of its negation if that is needed.
    #[inline(always)]
    fn found(&self, number: usize, negation: bool, part: usize) -> Operand<F> {
        // A node without a derivation has the operand of the value 0.
        let nothing = self.norm.operand(self.simd, F::splat(self.simd, 0.0));
        let mut least = F::splat(self.simd, N::NOTHING);
        let mut negations = nothing.negation;
        for &step in self.of.outputs.row(number) {
            let cost: F = part_of(self.simd, &self.room.costs[step as usize], part);
            let better = cost.simd_lt(least);
            if negation && better.any_true() {
                negations = better.select(self.negated(step as usize, part), negations);
            }
            least = least.min(cost);
        }
        let value = least.simd_lt(N::NOTHING).select(self.norm.of_cost(least), nothing.value);
        Operand { value, negation: negations }
    }

    /// The negation of a step.
    #[inline(always)]
    fn negated(&self, step: usize, part: usize) -> F {
        match self.of.steps[step] {
            LoopStep::Given([_, negation]) if negation != NONE => self.row(negation, part),
            LoopStep::Given(_) | LoopStep::Best => {
                unreachable!("outputs are conjunctions, or nodes outside whose negation is needed")
            }
            LoopStep::And { half_saturation } => {
                let mut sums = self.norm.none(self.simd);
                for &vector in self.of.outside.row(step) {
                    self.norm.add(&mut sums, self.row(vector, part));
                }
                for &choice in self.of.choices.row(step) {
                    let best = self.best_of_part(self.of.chosen.row(choice as usize), part);
                    self.norm.add(&mut sums, self.norm.of_cost(best));
                }
                let cost = part_of(self.simd, &self.room.costs[step], part);
                self.norm.negation(self.simd, &sums, half_saturation, cost)
            }
        }
    }

    /// The least of the costs of some steps in one part.
    #[inline(always)]
    fn best_of_part(&self, steps: &[u32], part: usize) -> F {
        let mut best = F::splat(self.simd, N::NOTHING);
        for &step in steps {
            best = best.min(part_of::<S, F>(self.simd, &self.room.costs[step as usize], part));
        }
        best
    }
}

/// The sum of the members of a conjunction in a loop.
struct Summed<S: Simd, F: Lanes<S>, N: TNorm> {
    sums: N::Sums<S, F>,
    /// The greatest cost of a member.
    most: F,
}

impl<S: Simd, F: Lanes<S>, N: TNorm> Clone for Summed<S, F, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Simd, F: Lanes<S>, N: TNorm> Copy for Summed<S, F, N> {}

impl<S: Simd, F: Lanes<S>, N: TNorm> Summed<S, F, N> {
    #[inline(always)]
    fn add(&mut self, norm: &N, member: F) {
        norm.add(&mut self.sums, member);
        self.most = self.most.max(norm.cost(member));
    }

    /// The cost of the conjunction, at least that of every member.
    #[inline(always)]
    fn cost(&self, simd: S, norm: &N, half_saturation: f32) -> F {
        norm.cost(norm.conjunction(simd, &self.sums, half_saturation, [true, false]).value).max(self.most)
    }
}

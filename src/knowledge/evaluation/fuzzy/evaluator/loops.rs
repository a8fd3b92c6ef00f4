//! The least fixed points of loops, in all states of a group.
//!
//! # How
//! The value of a node of a loop is that of its best derivation (Knuth 1977). The value of a conjunction is at most that of
//! its least member, so a cycle can't raise a value. Values begin at 0 and rise. Costs fall as values rise: the evaluator
//! stores `TNorm::cost` of each value. The passes compute the steps forwards, in the order in which derivations reach
//! them, then backwards, then forwards again, and so on. After the first two passes only steps with an improved member
//! are computed.
//!
//! # Guarantee
//! The value in one state does not depend on the other states of the group: a step whose members did not change keeps its
//! value when it is computed again.

use std::ops::Range;

use fearless_simd::prelude::*;

use crate::machine::CompressedRows;

use super::super::norm::TNorm;
use super::lanes::{Lanes, Operand, Row, part as part_of, set_part};
use super::loop_planning::{Loop, LoopStep};
use super::plan::Plan;
use super::tables::NONE;

/// The most passes after the first two. Each change of direction of a derivation in the order of steps needs another pass.
/// After the last pass a node keeps its current value, because a large loop could take longer than a player has.
const MAX_PASSES: usize = 128;

/// Memory for the evaluation of loops.
pub(super) struct LoopBuffers<R> {
    /// For each step the least cost so far.
    costs: Vec<R>,
    /// For each choice the least cost so far.
    chosen: Vec<R>,
    /// A bit for each step; 1 if a member improved since the step was computed.
    waiting: Vec<u64>,
    /// The operands of needed nodes, and of their negations.
    pub(super) outputs: Vec<[R; 2]>,
}

impl<R: Row> LoopBuffers<R> {
    /// Buffers that are large enough for every loop of a plan.
    pub(super) fn new(plan: &Plan) -> LoopBuffers<R> {
        let most = |size: &dyn Fn(&Loop) -> usize| plan.loops.iter().map(size).max().unwrap_or(0);
        let steps = most(&|plan_loop| plan_loop.steps.len());
        LoopBuffers {
            costs: vec![R::splat(f32::INFINITY); steps],
            chosen: vec![R::splat(f32::INFINITY); most(&|plan_loop| plan_loop.chosen.len())],
            waiting: vec![0; steps.div_ceil(64)],
            outputs: vec![[R::splat(0.0); 2]; most(&|plan_loop| plan_loop.outputs.len())],
        }
    }
}

/// The evaluation of a loop in a group of states.
pub(super) struct LoopEvaluation<'a, S: Simd, F: Lanes<S>, N> {
    pub(super) simd: S,
    pub(super) norm: &'a N,
    pub(super) plan_loop: &'a Loop,
    /// The operands of all nodes.
    pub(super) rows: &'a [F::Row],
    pub(super) buffers: &'a mut LoopBuffers<F::Row>,
}

impl<S: Simd, F: Lanes<S>, N: TNorm> LoopEvaluation<'_, S, F, N> {
    /// Computes the least fixed point, and the operands of the needed nodes. `nodes` are the places of these nodes in the
    /// plan.
    #[inline(always)]
    pub(super) fn compute<const PARTS: usize>(&mut self, plan: &Plan, nodes: Range<usize>) {
        self.improve_all::<PARTS>();
        for (number, node) in nodes.enumerate() {
            let negation = plan.tables.vectors[node][1] != NONE;
            for part in 0..PARTS {
                let operand = self.output(number, negation, part);
                let [value, negation] = &mut self.buffers.outputs[number];
                set_part::<S, F>(value, part, operand.value);
                set_part::<S, F>(negation, part, operand.negation);
            }
        }
    }

    /// Improves the steps until they reach the least fixed point.
    #[inline(always)]
    fn improve_all<const PARTS: usize>(&mut self) {
        let plan_loop = self.plan_loop;
        for number in 0..plan_loop.steps.len() {
            self.first::<PARTS>(number);
        }
        // The second pass, backwards: adds the members that come later in the order of steps.
        for number in (0..plan_loop.steps.len()).rev() {
            if self.improve::<PARTS>(number, &plan_loop.later) {
                for &parent in plan_loop.parents.row(number) {
                    // This pass computes the parents before this step anyway.
                    if parent as usize > number {
                        self.buffers.waiting[parent as usize / 64] |= 1 << (parent % 64);
                    }
                }
            }
        }
        let words = plan_loop.steps.len().div_ceil(64);
        for pass in 0..MAX_PASSES {
            if self.buffers.waiting[..words].iter().all(|&word| word == 0) {
                return;
            }
            let backwards = pass % 2 == 1;
            for index in 0..words {
                let word = if backwards { words - 1 - index } else { index };
                // The steps that this pass can still reach; those it has passed wait for the next pass.
                let mut ahead = u64::MAX;
                while self.buffers.waiting[word] & ahead != 0 {
                    let bits = self.buffers.waiting[word] & ahead;
                    let bit = if backwards { bits.ilog2() } else { bits.trailing_zeros() };
                    ahead = if backwards { (1 << bit) - 1 } else { (u64::MAX << bit) << 1 };
                    self.buffers.waiting[word] &= !(1 << bit);
                    let number = word * 64 + bit as usize;
                    if self.improve::<PARTS>(number, &plan_loop.chosen) {
                        for &parent in plan_loop.parents.row(number) {
                            self.buffers.waiting[parent as usize / 64] |= 1 << (parent % 64);
                        }
                    }
                }
            }
        }
        self.buffers.waiting[..words].fill(0);
    }

    /// Computes a step for the first time, from the steps before it.
    #[inline(always)]
    fn first<const PARTS: usize>(&mut self, number: usize) {
        let plan_loop = self.plan_loop;
        match plan_loop.steps[number] {
            LoopStep::Given([value, _]) => {
                for part in 0..PARTS {
                    let cost = self.norm.cost(self.row(value, part));
                    set_part::<S, F>(&mut self.buffers.costs[number], part, cost);
                }
            }
            LoopStep::Best => {
                for &choice in plan_loop.choices.row(number) {
                    let best = self.best::<PARTS>(plan_loop.earlier.row(choice as usize));
                    for (part, best) in best.into_iter().enumerate() {
                        set_part::<S, F>(&mut self.buffers.costs[number], part, best);
                    }
                }
            }
            LoopStep::And { half_saturation } => {
                let mut summed = self.outside::<PARTS>(number);
                for &choice in plan_loop.choices.row(number) {
                    let best = self.best::<PARTS>(plan_loop.earlier.row(choice as usize));
                    for (part, best) in best.into_iter().enumerate() {
                        set_part::<S, F>(&mut self.buffers.chosen[choice as usize], part, best);
                        summed[part].add(self.norm, self.norm.of_cost(best));
                    }
                }
                for (part, summed) in summed.iter().enumerate() {
                    let cost = summed.cost(self.simd, self.norm, half_saturation);
                    set_part::<S, F>(&mut self.buffers.costs[number], part, cost);
                }
            }
        }
    }

    /// Computes a step again if one of its choices improved. For each choice, `new` lists the steps that may have improved.
    /// Returns whether the step improved.
    #[inline(always)]
    fn improve<const PARTS: usize>(&mut self, number: usize, new: &CompressedRows<u32>) -> bool {
        let plan_loop = self.plan_loop;
        let mut improved = false;
        match plan_loop.steps[number] {
            LoopStep::Given(_) => {}
            LoopStep::Best => {
                for &choice in plan_loop.choices.row(number) {
                    let best = self.best::<PARTS>(new.row(choice as usize));
                    for (part, best) in best.into_iter().enumerate() {
                        improved |= self.lower(number, part, best);
                    }
                }
            }
            LoopStep::And { half_saturation } => {
                let choices = plan_loop.choices.row(number);
                let mut better = F::splat(self.simd, 0.0).simd_lt(0.0);
                for &choice in choices {
                    let best = self.best::<PARTS>(new.row(choice as usize));
                    for (part, best) in best.into_iter().enumerate() {
                        let before = part_of::<S, F>(self.simd, &self.buffers.chosen[choice as usize], part);
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
                        let chosen = &mut self.buffers.chosen[choice as usize];
                        let best = best.min(part_of::<S, F>(self.simd, chosen, part));
                        set_part::<S, F>(chosen, part, best);
                        summed[part].add(self.norm, self.norm.of_cost(best));
                    }
                }
                for (part, summed) in summed.iter().enumerate() {
                    let cost = summed.cost(self.simd, self.norm, half_saturation);
                    improved |= self.lower(number, part, cost);
                }
            }
        }
        improved
    }

    /// Replaces the costs of a step by `others` in the states in which these are lower. Returns whether any cost fell.
    #[inline(always)]
    fn lower(&mut self, number: usize, part: usize, others: F) -> bool {
        let costs = &mut self.buffers.costs[number];
        let before = part_of::<S, F>(self.simd, costs, part);
        let fell = others.simd_lt(before).any_true();
        if fell {
            set_part::<S, F>(costs, part, others.min(before));
        }
        fell
    }

    #[inline(always)]
    fn row(&self, vector: u32, part: usize) -> F {
        part_of(self.simd, &self.rows[vector as usize], part)
    }

    /// The least cost of some steps, for each part.
    #[inline(always)]
    fn best<const PARTS: usize>(&self, steps: &[u32]) -> [F; PARTS] {
        let mut best = [F::splat(self.simd, N::NOTHING); PARTS];
        for &step in steps {
            for (part, best) in best.iter_mut().enumerate() {
                *best = best.min(part_of::<S, F>(self.simd, &self.buffers.costs[step as usize], part));
            }
        }
        best
    }

    /// The sum of a conjunction's members outside the loop.
    #[inline(always)]
    fn outside<const PARTS: usize>(&self, number: usize) -> [ConjunctionSum<S, F, N>; PARTS] {
        let none = ConjunctionSum { sums: self.norm.none(self.simd), most: F::splat(self.simd, 0.0) };
        let mut all = [none; PARTS];
        for &vector in self.plan_loop.outside.row(number) {
            for (part, summed) in all.iter_mut().enumerate() {
                summed.add(self.norm, self.row(vector, part));
            }
        }
        all
    }

    /// The operand of a needed node in a part. With `negation` also the operand of the node's negation.
    #[inline(always)]
    fn output(&self, number: usize, negation: bool, part: usize) -> Operand<F> {
        // A node without a derivation has the operand of the value 0.
        let nothing = self.norm.operand(self.simd, F::splat(self.simd, 0.0));
        let mut least = F::splat(self.simd, N::NOTHING);
        let mut negations = nothing.negation;
        for &step in self.plan_loop.outputs.row(number) {
            let cost: F = part_of(self.simd, &self.buffers.costs[step as usize], part);
            let better = cost.simd_lt(least);
            if negation && better.any_true() {
                negations = better.select(self.negated(step as usize, part), negations);
            }
            least = least.min(cost);
        }
        let value = least.simd_lt(N::NOTHING).select(self.norm.of_cost(least), nothing.value);
        Operand { value, negation: negations }
    }

    /// The operand of the negation of a step in a part.
    #[inline(always)]
    fn negated(&self, step: usize, part: usize) -> F {
        match self.plan_loop.steps[step] {
            LoopStep::Given([_, negation]) if negation != NONE => self.row(negation, part),
            LoopStep::Given(_) | LoopStep::Best => {
                unreachable!("outputs are conjunctions, or nodes outside whose negation is needed")
            }
            LoopStep::And { half_saturation } => {
                let mut sums = self.norm.none(self.simd);
                for &vector in self.plan_loop.outside.row(step) {
                    self.norm.add(&mut sums, self.row(vector, part));
                }
                for &choice in self.plan_loop.choices.row(step) {
                    let best = part_of(self.simd, &self.buffers.chosen[choice as usize], part);
                    self.norm.add(&mut sums, self.norm.of_cost(best));
                }
                let cost = part_of(self.simd, &self.buffers.costs[step], part);
                self.norm.negation(self.simd, &sums, half_saturation, cost)
            }
        }
    }
}

/// The sum of the members of a conjunction in a loop.
#[derive(Clone, Copy)]
struct ConjunctionSum<S: Simd, F: Lanes<S>, N: TNorm> {
    sums: N::Sums<S, F>,
    /// The greatest cost of a member.
    most: F,
}

impl<S: Simd, F: Lanes<S>, N: TNorm> ConjunctionSum<S, F, N> {
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

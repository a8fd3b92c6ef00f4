//! Evaluates a formula in a block of up to [`WIDTH`](super::lanes::WIDTH) states, or in a single state.
//!
//! Nodes are computed in the order of the plan, each from all its members, so that a value depends only on the state.
//!
//! A block is always evaluated in full. A single state is updated incrementally from the state before, if this computes
//! less than a third of the nodes (`reports/speed/incremental.md`). Facts that changed mark the nodes that read them,
//! and a node whose value changed marks its parents.

use std::marker::PhantomData;
use std::sync::Arc;

use fearless_simd::prelude::*;
use fearless_simd::{Level, f32x4, f32x16};

use super::super::mention::Literal;
use super::super::norm::TNorm;
use super::aggregate::aggregate;
use super::lanes::{BlockRow, Lanes, Mask, Operand, Row, SingleRow, part as part_of, set_part};
use super::loops::{LoopBuffers, LoopEvaluation};
use super::plan::{Arithmetic, Plan, Segment, SegmentKind};
use super::tables::{At, NONE};

/// Number of states between two checks of the share of computed nodes.
const TRIAL: u32 = 32;

/// Number of states that are evaluated in full before the incremental update is tried again.
const RETRY: u32 = 4096;

/// States are evaluated in full if the incremental update computes more than one in this many nodes: finding a node to
/// compute takes this many times as long as computing one.
const MANY: u64 = 3;

/// Numbers of a vector for blocks.
const PART: usize = 16;

/// A formula in a group of states.
pub(super) struct StateGroup<R> {
    plan: Arc<Plan>,
    at: StateValues<R>,
    /// The instruction set of the processor.
    level: Level,
}

/// The values in the states of a group.
struct StateValues<R> {
    /// The operands of nodes, by vectors.
    rows: Vec<R>,
    /// The states in which literals are true.
    literals: Vec<Mask>,
    loops: LoopBuffers<R>,
    dirty: DirtySet,
    /// The values of the function.
    values: R,
    /// Nodes computed so far.
    work: u64,
}

/// The nodes that a single state has to compute.
struct DirtySet {
    /// Whether these are all nodes.
    all: bool,
    /// States since the last decision, and nodes computed in them.
    states: u32,
    computed: u64,
    /// The nodes, as bits.
    marked: Vec<u64>,
    /// The signals of `Plan::watched` in the state before.
    signals: Vec<Mask>,
}

impl<R: Row> StateGroup<R> {
    /// A group without states.
    pub(super) fn new(plan: Arc<Plan>) -> StateGroup<R> {
        let mut at = StateValues {
            rows: vec![R::splat(f32::NAN); plan.vectors],
            literals: [0, Mask::MAX].repeat(plan.gates.signals()),
            loops: LoopBuffers::new(&plan),
            dirty: DirtySet {
                all: true,
                states: RETRY - 1,
                computed: 0,
                marked: vec![0; plan.kernels.len().div_ceil(64)],
                signals: vec![0; plan.watched.len()],
            },
            values: R::splat(0.0),
            work: 0,
        };
        for segment in plan.segments.iter().filter(|segment| segment.kind == SegmentKind::Always) {
            for vectors in &plan.tables.vectors[segment.nodes.clone()] {
                for (&vector, value) in vectors.iter().zip(plan.always) {
                    if vector != NONE {
                        at.rows[vector as usize] = R::splat(value);
                    }
                }
            }
        }
        StateGroup { plan, at, level: Level::new() }
    }

    /// Nodes computed so far.
    pub(super) fn work(&self) -> u64 {
        self.at.work
    }
}

impl StateGroup<BlockRow> {
    /// The values of the function in the states of the mask `wanted`, which has at least one; those of other states are
    /// undefined. For each fact of `Plan::facts`, `facts` has the states in which it holds.
    pub(super) fn values(&mut self, facts: impl Iterator<Item = Mask>, wanted: Mask) -> &[f32] {
        let StateGroup { plan, at, level } = self;
        let one = wanted.trailing_zeros();
        for (literals, lanes) in at.literals.chunks_exact_mut(2).zip(facts) {
            // The other states are copies of a wanted one, so that they don't prolong loops.
            let lanes = if lanes >> one & 1 == 1 { lanes | !wanted } else { lanes & wanted };
            literals.copy_from_slice(&[lanes, !lanes]);
        }
        let states = (Mask::BITS - wanted.leading_zeros()) as usize;
        run(*level, Block { states, plan, at });
        at.values.as_ref()
    }
}

impl StateGroup<SingleRow> {
    /// Sets a literal, and its negation, which is the next one.
    #[inline]
    pub(super) fn set(&mut self, literal: Literal, truth: bool) {
        let mask = if truth { Mask::MAX } else { 0 };
        self.at.literals[literal as usize..][..2].copy_from_slice(&[mask, !mask]);
    }

    /// Computes all values.
    pub(super) fn compute(&mut self) {
        run(self.level, Single { plan: &self.plan, at: &mut self.at });
        self.at.dirty.decide(&self.plan);
    }

    /// The value of the function.
    pub(super) fn value(&self) -> f32 {
        self.at.values.as_ref()[0]
    }

    /// The number of a vector.
    pub(super) fn number(&self, vector: u32) -> f32 {
        self.at.rows[vector as usize].as_ref()[0]
    }
}

impl DirtySet {
    fn mark(&mut self, node: u32) {
        self.marked[node as usize / 64] |= 1 << (node % 64);
    }

    /// Marks the nodes that read changed signals.
    fn mark_changes(&mut self, plan: &Plan, literals: &[Mask]) {
        for (watch, &signal) in plan.watched.iter().enumerate() {
            let signal = literals[2 * signal as usize];
            if std::mem::replace(&mut self.signals[watch], signal) != signal {
                plan.watchers.row(watch).iter().for_each(|&node| self.mark(node));
            }
        }
    }

    /// Decides whether the next state is evaluated in full.
    fn decide(&mut self, plan: &Plan) {
        self.states += 1;
        // If signals depend on loops, the changed signals are not known beforehand.
        if self.all && self.states >= RETRY && plan.loop_signals.is_empty() {
            (self.all, self.states, self.computed) = (false, 0, 0);
            for segment in plan.segments.iter().filter(|segment| segment.kind != SegmentKind::Always) {
                segment.nodes.clone().for_each(|node| self.mark(node as u32));
            }
        } else if !self.all && self.states == TRIAL {
            self.all = self.computed * MANY > u64::from(TRIAL) * plan.kernels.len() as u64;
            (self.states, self.computed) = (0, 0);
        }
    }
}

/// Code that is compiled for several instruction sets.
trait Task {
    fn run<S: Simd>(self, simd: S);
}

/// Runs a task with the instructions of a level. On x86 this large evaluator is compiled for three instruction sets:
/// AVX-512 (1.3 to 2 times as fast as AVX2), AVX2, and SSE2 for all other processors.
fn run(level: Level, task: impl Task) {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    match (level.as_avx512(), level.as_avx2(), level.as_sse2()) {
        (Some(simd), ..) => task.run(simd),
        (None, Some(simd), _) => task.run(simd),
        (None, None, Some(simd)) => task.run(simd),
        (None, None, None) => unreachable!("the target requires SSE2"),
    }
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    fearless_simd::dispatch!(level, simd => task.run(simd));
}

/// Computes the values of the first states of a block.
struct Block<'a> {
    states: usize,
    plan: &'a Plan,
    at: &'a mut StateValues<BlockRow>,
}

impl Task for Block<'_> {
    fn run<S: Simd>(self, simd: S) {
        let Block { states, plan, at } = self;
        let Arithmetic::Strict(norm) = &plan.norm else {
            unreachable!("blocks are valued by the strict norm")
        };
        simd.vectorize(
            #[inline(always)]
            || match states {
                0..=PART => compute_all::<S, f32x16<S>, _, 1>(simd, plan, norm, at),
                _ => compute_all::<S, f32x16<S>, _, 2>(simd, plan, norm, at),
            },
        );
    }
}

/// Computes the values of a single state.
struct Single<'a> {
    plan: &'a Plan,
    at: &'a mut StateValues<SingleRow>,
}

impl Single<'_> {
    #[inline(always)]
    fn compute<S: Simd, N: TNorm>(self, simd: S, norm: &N) {
        let Single { plan, at } = self;
        match at.dirty.all {
            true => compute_all::<S, f32x4<S>, N, 1>(simd, plan, norm, at),
            false => compute_changes::<S, f32x4<S>, N>(simd, plan, norm, at),
        }
    }
}

impl Task for Single<'_> {
    fn run<S: Simd>(self, simd: S) {
        simd.vectorize(
            #[inline(always)]
            || match &self.plan.norm {
                Arithmetic::Strict(norm) => self.compute(simd, norm),
                Arithmetic::Cut(norm) => self.compute(simd, norm),
            },
        );
    }
}

/// Computes all nodes, then the function's values.
#[inline(always)]
fn compute_all<S: Simd, F: Lanes<S>, N: TNorm, const PARTS: usize>(
    simd: S,
    plan: &Plan,
    norm: &N,
    at: &mut StateValues<F::Row>,
) {
    plan.gates.run(&mut at.literals);
    at.work += plan.kernels.len() as u64;
    let mut work = Work { simd, plan, norm, at, lanes: PhantomData::<F> };
    for segment in &plan.segments {
        work.compute::<PARTS, true>(segment);
    }
    work.aggregate::<PARTS>();
}

/// Computes the nodes that changed, then the function's value.
#[inline(always)]
fn compute_changes<S: Simd, F: Lanes<S>, N: TNorm>(
    simd: S,
    plan: &Plan,
    norm: &N,
    at: &mut StateValues<F::Row>,
) {
    plan.gates.run(&mut at.literals);
    at.dirty.mark_changes(plan, &at.literals);
    let before = at.dirty.computed;
    let mut work = Work { simd, plan, norm, at, lanes: PhantomData::<F> };
    for segment in &plan.segments {
        work.compute::<1, false>(segment);
    }
    work.aggregate::<1>();
    at.work += at.dirty.computed - before;
}

/// The evaluation of a group.
struct Work<'a, S: Simd, F: Lanes<S>, N> {
    simd: S,
    plan: &'a Plan,
    norm: &'a N,
    at: &'a mut StateValues<F::Row>,
    lanes: PhantomData<F>,
}

impl<S: Simd, F: Lanes<S>, N: TNorm> Work<'_, S, F, N> {
    #[inline(always)]
    fn at(&self) -> At<'_, S, F, N> {
        At {
            simd: self.simd,
            tables: &self.plan.tables,
            norm: self.norm,
            literals: &self.at.literals,
            rows: &self.at.rows,
            lanes: PhantomData,
        }
    }

    /// Computes the function's values from its nodes.
    #[inline(always)]
    fn aggregate<const PARTS: usize>(&mut self) {
        if self.plan.open != NONE {
            for part in 0..PARTS {
                let values = aggregate(&self.at(), self.plan, part);
                set_part::<S, F>(&mut self.at.values, part, values);
            }
        }
    }

    /// Computes the nodes of a segment: all, or those that are marked.
    #[inline(always)]
    fn compute<const PARTS: usize, const ALL: bool>(&mut self, segment: &Segment) {
        match segment.kind {
            SegmentKind::Always => {}
            SegmentKind::Nodes => self.compute_each::<PARTS, ALL>(segment),
            SegmentKind::Loop(number) => self.compute_loop::<PARTS, ALL>(segment, number),
        }
    }

    /// Computes the needed nodes of a loop, if one of them is marked.
    #[inline(always)]
    fn compute_loop<const PARTS: usize, const ALL: bool>(&mut self, segment: &Segment, number: u32) {
        let (simd, plan, norm) = (self.simd, self.plan, self.norm);
        let plan_loop = &plan.loops[number as usize];
        if !ALL {
            let mut marked = false;
            let dirty = &mut self.at.dirty;
            for node in segment.nodes.clone() {
                marked |= dirty.marked[node / 64] >> (node % 64) & 1 == 1;
                dirty.marked[node / 64] &= !(1 << (node % 64));
            }
            if !marked {
                return;
            }
            dirty.computed += plan_loop.steps.len() as u64;
        }
        let StateValues { rows, loops, .. } = &mut *self.at;
        // Vectorized on its own, because this function is instantiated several times.
        simd.vectorize(
            #[inline(always)]
            || {
                let mut evaluation =
                    LoopEvaluation::<S, F, N> { simd, norm, plan_loop, rows, buffers: loops };
                evaluation.compute::<PARTS>(plan, segment.nodes.clone());
            },
        );
        for (number, node) in segment.nodes.clone().enumerate() {
            let [value, negation] = &self.at.loops.outputs[number];
            let mut operands = [Operand::splat(simd, [0.0; 2]); PARTS];
            for (part, operand) in operands.iter_mut().enumerate() {
                *operand = Operand {
                    value: part_of::<S, F>(simd, value, part),
                    negation: part_of(simd, negation, part),
                };
            }
            self.put::<PARTS, ALL>(node, operands);
        }
        if !plan.loop_signals.is_empty() {
            self.set_signals::<PARTS>(segment);
        }
    }

    /// Sets the signals that depend on nodes of a loop.
    fn set_signals<const PARTS: usize>(&mut self, segment: &Segment) {
        for &(node, signal) in &self.plan.loop_signals {
            if segment.nodes.contains(&(node as usize)) {
                let mut mask = 0;
                for part in 0..PARTS {
                    let value = self.at().number(self.plan.tables.vectors[node as usize][0], part);
                    mask |= (self.norm.holds(value).to_bitmask() as Mask) << (F::LEN * part);
                }
                self.at.literals[2 * signal as usize..][..2].copy_from_slice(&[mask, !mask]);
            }
        }
        self.plan.gates.run(&mut self.at.literals);
    }

    /// Computes the nodes of a segment one by one: all, or those that are marked.
    #[inline(always)]
    fn compute_each<const PARTS: usize, const ALL: bool>(&mut self, segment: &Segment) {
        let nodes = &segment.nodes;
        if ALL {
            for node in nodes.clone() {
                self.compute_node::<PARTS, ALL>(node);
            }
            return;
        }
        for index in nodes.start / 64..nodes.end.div_ceil(64) {
            let from = u64::MAX << nodes.start.saturating_sub(index * 64);
            let up_to = u64::MAX >> (index * 64 + 64).saturating_sub(nodes.end);
            let dirty = &mut self.at.dirty;
            let mut rest = dirty.marked[index] & from & up_to;
            dirty.marked[index] &= !rest;
            dirty.computed += u64::from(rest.count_ones());
            while rest != 0 {
                let node = index * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                self.compute_node::<PARTS, ALL>(node);
            }
        }
    }

    #[inline(always)]
    fn compute_node<const PARTS: usize, const ALL: bool>(&mut self, node: usize) {
        let operands = self.plan.kernels[node].compute::<S, F, N, PARTS>(&self.at(), node);
        self.put::<PARTS, ALL>(node, operands);
    }

    /// Writes the value of a node. Unless `ALL`, marks its parents if it has changed.
    #[expect(
        clippy::needless_range_loop,
        reason = "an iterator over an array of vectors is copied through memory"
    )]
    #[inline(always)]
    fn put<const PARTS: usize, const ALL: bool>(&mut self, node: usize, operands: [Operand<F>; PARTS]) {
        let [value, negation] = self.plan.tables.vectors[node];
        let mut changed = false;
        for part in 0..PARTS {
            changed |= self.write::<ALL>(value, part, operands[part].value);
            changed |= self.write::<ALL>(negation, part, operands[part].negation);
        }
        if changed {
            self.plan.parents.row(node).iter().for_each(|&parent| self.at.dirty.mark(parent));
        }
    }

    /// Writes a part of a row, unless `vector` is [`NONE`]. Returns whether it has changed; with `ALL` always `false`.
    #[inline(always)]
    fn write<const ALL: bool>(&mut self, vector: u32, part: usize, new: F) -> bool {
        if vector == NONE {
            return false;
        }
        let row = &mut self.at.rows[vector as usize];
        let changed = !ALL && part_of::<S, F>(self.simd, row, part).simd_ne(new).any_true();
        set_part::<S, F>(row, part, new);
        changed
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::super::bind::BoundFormula;
    use super::super::super::{FuzzyFunction, FuzzyParameters, UnrollLimits};
    use super::super::demand::Roots;
    use super::super::planning::plan;
    use super::*;
    use crate::gdl::{Source, read};
    use crate::ground::Limits;
    use crate::machine::{Backend, load};
    use crate::simulate::{Budget, Choices, Context};
    use crate::structure::detect;

    #[test]
    fn values_depend_on_the_state_alone() {
        let mask = |random: &mut Choices| random.below(1 << 32) as Mask;
        let mut modes = [0; 2];
        for game in ["tic_tac_toe", "nine_mens_morris", "checkers", "reversi", "hex"] {
            let path = PathBuf::from(format!("{}/../../games/{game}.kif", env!("CARGO_MANIFEST_DIR")));
            let description = read(&Source::load(&path).unwrap()).description.unwrap();
            let loaded = load(description, Backend::Auto, &Limits::default()).unwrap();
            let machine = &*loaded.machine;
            let budget = Budget { playouts: 20, ..Budget::default() };
            let structures = detect(machine, &loaded.statics, &budget, &Context::default()).unwrap().0;
            for regression in [0, 2] {
                let parameters = FuzzyParameters { regression, ..FuzzyParameters::default() };
                let limits = UnrollLimits { mentions: 20_000, ..UnrollLimits::default() };
                let function = FuzzyFunction::new(machine, &structures, 0, parameters, &limits).unwrap();
                let goals = [&function.goals[..], &function.against];
                let roots = Roots { values: &[], goals, terminal: Some(function.terminal) };
                let bound = BoundFormula::new(machine, &function.formula).unwrap();
                let plan = Arc::new(plan(&bound, &roots, &parameters).unwrap());
                if !plan.derived.is_empty() {
                    continue;
                }
                let [mut updated, mut whole] =
                    [(); 2].map(|()| StateGroup::<SingleRow>::new(Arc::clone(&plan)));
                let mut block = StateGroup::<BlockRow>::new(Arc::clone(&plan));
                let mut random = Choices::new(5, 0);
                // Arbitrary sets of facts, not only states of the game; at first few facts change, then many.
                let count = plan.facts.len();
                let mut facts: Vec<Mask> = vec![0; count];
                for round in 0..240 {
                    modes[usize::from(updated.at.dirty.all)] += 1;
                    if updated.at.dirty.all && (round < 120 || round % 40 == 39) {
                        updated.at.dirty.states = RETRY - 1;
                    }
                    for fact in &mut facts {
                        let changes = match round {
                            0..120 => random.below(count) < 3,
                            _ => random.below(120) < round - 120,
                        };
                        *fact ^= if changes { mask(&mut random) & mask(&mut random) } else { 0 };
                    }
                    let some = mask(&mut random) | 1;
                    let wanted = [Mask::MAX, 0xffff, 1 << (round % 32), some][round % 4];
                    let values = block.values(facts.iter().copied(), wanted).to_vec();
                    let state = wanted.trailing_zeros();
                    whole.at.dirty.states = 0;
                    for single in [&mut updated, &mut whole] {
                        for (number, fact) in (0..).zip(&facts) {
                            single.set(2 * number, fact >> state & 1 == 1);
                        }
                        single.compute();
                        assert_eq!(
                            values[state as usize].to_bits(),
                            single.value().to_bits(),
                            "{game} {round}"
                        );
                    }
                    assert!(whole.at.dirty.all);
                }
            }
        }
        assert!(modes.into_iter().all(|states| states > 100), "{modes:?}");
    }
}

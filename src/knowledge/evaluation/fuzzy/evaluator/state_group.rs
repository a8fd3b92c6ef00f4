//! Evaluating a formula at a group of states, up to thirty-two or a single one: all of it, or what differs from the states before.
//!
//! Nodes are computed in the order of the plan, in as many lanes as there are states (sixteen or all; in others a state is meant
//! that is in one of these). A node's value is computed from all its members anew, so that it depends on the state alone.
//!
//! Siblings differ in few facts from each other, so that what they have in common need not be computed anew. As long as less
//! than a third of the nodes has to be, every lane of every row that is read has, between two groups, the value of one state, the base.
//! Signals of the next group that differ from it in some lane mark the nodes that look at them, and where one of these has
//! changed in some lane it marks those that look at it. Then the group's first state becomes the base. Where more has to be
//! computed (in large formulas, most often, much more), finding out what takes longer than computing all.

use std::marker::PhantomData;
use std::sync::Arc;

use fearless_simd::prelude::*;
use fearless_simd::{Level, f32x4, f32x16};

use super::super::kinds::Kernels;
use super::super::mention::Literal;
use super::super::norm::TNorm;
use super::aggregate::aggregate;
use super::lanes::{BlockRow, Lanes, Mask, Operand, Row, SingleRow, part as part_of, set_part};
use super::loops::{LoopAt, LoopRoom};
use super::plan::{Arithmetic, Plan, Segment, SegmentKind};
use super::tables::{At, NONE};

/// Groups after which it is looked how many nodes were computed.
const TRIED: u32 = 32;

/// Groups in which all nodes are computed until that is tried again.
const KEPT: u32 = 4096;

/// All nodes are computed if at least one in this many had to be: finding these out takes about as many times as long.
const MANY: u64 = 3;

/// Numbers of a vector for blocks.
const PART: usize = 16;

/// A formula at several states.
pub(super) struct StateGroup<R> {
    plan: Arc<Plan>,
    at: StateValues<R>,
    /// The instructions that the processor has.
    level: Level,
}

/// What is known at the states.
struct StateValues<R> {
    /// The operands of nodes, by vectors.
    rows: Vec<R>,
    /// Where literals are true.
    literals: Vec<Mask>,
    loops: LoopRoom<R>,
    update: Update,
    totals: R,
    /// Nodes computed so far.
    work: u64,
}

/// What is computed.
struct Update {
    /// Whether all is.
    all: bool,
    /// Groups since it was decided, and nodes that had to be computed.
    groups: u32,
    computed: u64,
    /// Nodes to be computed, as bits.
    marked: Vec<u64>,
    /// Nodes that are not the same in all lanes.
    varied: Vec<u32>,
    /// Where signals that nodes look at are true in the base.
    base: Vec<Mask>,
}

impl<R: Row> StateGroup<R> {
    /// At no states yet.
    pub(super) fn new(plan: Arc<Plan>) -> StateGroup<R> {
        let nodes = plan.kernels.len();
        let mut at = StateValues {
            rows: vec![R::splat(f32::NAN); plan.vectors],
            literals: [0, Mask::MAX].repeat(plan.gates.signals()),
            loops: LoopRoom::new(&plan),
            update: Update {
                // The first group is computed from nothing.
                all: true,
                groups: KEPT - 1,
                computed: 0,
                marked: vec![0; nodes.div_ceil(64)],
                varied: Vec::new(),
                base: vec![0; plan.watched.len()],
            },
            totals: R::splat(0.0),
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
    /// The values of the function in the states that are wanted, at least one, those of others of no meaning: for each fact
    /// that it looks at, in their order, in which of the states it holds, the first one in the lowest bit, as in `wanted`.
    pub(super) fn values(&mut self, facts: impl Iterator<Item = Mask>, wanted: Mask) -> &[f32] {
        let one = wanted.trailing_zeros();
        let StateGroup { plan, at, level } = self;
        for (literals, lanes) in at.literals.chunks_exact_mut(2).zip(facts) {
            // Where nothing is wanted it is as in one of the others, so that less varies.
            let lanes = if lanes >> one & 1 == 1 { lanes | !wanted } else { lanes & wanted };
            literals.copy_from_slice(&[lanes, !lanes]);
        }
        let states = (Mask::BITS - wanted.leading_zeros()) as usize;
        run(*level, Block { states, plan, at });
        at.totals.as_ref()
    }
}

impl StateGroup<SingleRow> {
    /// A literal and its negation, which is the next one, are true or not.
    #[inline]
    pub(super) fn set(&mut self, literal: Literal, truth: bool) {
        let mask = if truth { Mask::MAX } else { 0 };
        self.at.literals[literal as usize..][..2].copy_from_slice(&[mask, !mask]);
    }

    /// Computes all values.
    pub(super) fn settle_single(&mut self) {
        run(self.level, Single { plan: &self.plan, at: &mut self.at });
    }

    /// The value of the function.
    pub(super) fn total(&self) -> f32 {
        self.at.totals.as_ref()[0]
    }

    /// The number of a vector.
    pub(super) fn first(&self, vector: u32) -> f32 {
        self.at.rows[vector as usize].as_ref()[0]
    }
}

impl<R: Row> StateValues<R> {
    /// All nodes have to be computed, whatever the base is.
    fn mark_all(&mut self, plan: &Plan) {
        for segment in plan.segments.iter().filter(|segment| segment.kind != SegmentKind::Always) {
            segment.nodes.clone().for_each(|node| self.update.marked[node / 64] |= 1 << (node % 64));
        }
    }

    /// A node has the value of the first state everywhere.
    #[inline(always)]
    fn rebase(&mut self, plan: &Plan, node: usize) {
        for vector in plan.tables.vectors[node].into_iter().filter(|&vector| vector != NONE) {
            let row = &mut self.rows[vector as usize];
            *row = R::splat(row.as_ref()[0]);
        }
    }

    /// Marks the nodes that look at signals which are not as in the base.
    #[inline(always)]
    fn mark(&mut self, plan: &Plan) {
        let Update { marked, base, .. } = &mut self.update;
        for (watch, (&signal, base)) in plan.watched.iter().zip(base).enumerate() {
            let signal = self.literals[2 * signal as usize];
            if signal != *base {
                for &node in plan.watchers.row(watch) {
                    marked[node as usize / 64] |= 1 << (node % 64);
                }
                *base = (signal & 1).wrapping_neg();
            }
        }
    }

    /// Decides what is computed from now on.
    fn decide(&mut self, plan: &Plan) {
        let update = &mut self.update;
        update.groups += 1;
        // Where values of loops decide what holds, what changes is not known before.
        if update.all && update.groups >= KEPT && plan.loop_signals.is_empty() {
            (update.all, update.groups, update.computed) = (false, 0, 0);
            self.mark_all(plan);
            (0..plan.kernels.len()).for_each(|node| self.rebase(plan, node));
        } else if !update.all && update.groups == TRIED {
            let computed = update.computed * MANY;
            update.all = computed > u64::from(TRIED) * plan.kernels.len() as u64;
            (update.groups, update.computed) = (0, 0);
        }
    }
}

/// What is compiled for several instruction sets.
trait Task {
    fn run<S: Simd>(self, simd: S);
}

/// Runs a task with the instructions of a level. On x86 this large evaluator is compiled for three instruction sets: AVX-512 (1.3 to 2
/// times as fast as AVX2), AVX2, and SSE2 for all other processors.
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
                0..=PART => settle::<S, f32x16<S>, _, 1>(simd, plan, norm, at),
                _ => settle::<S, f32x16<S>, _, 2>(simd, plan, norm, at),
            },
        );
    }
}

/// Computes the values of a single state.
struct Single<'a> {
    plan: &'a Plan,
    at: &'a mut StateValues<SingleRow>,
}

impl Task for Single<'_> {
    fn run<S: Simd>(self, simd: S) {
        let Single { plan, at } = self;
        simd.vectorize(
            #[inline(always)]
            || match &plan.norm {
                Arithmetic::Strict(norm) => settle::<S, f32x4<S>, _, 1>(simd, plan, norm, at),
                Arithmetic::Cut(norm) => settle::<S, f32x4<S>, _, 1>(simd, plan, norm, at),
            },
        );
    }
}

/// Computes the parts that changed, then the function's values.
#[inline(always)]
fn settle<S: Simd, F: Lanes<S>, N: TNorm, const PARTS: usize>(
    simd: S,
    plan: &Plan,
    norm: &N,
    at: &mut StateValues<F::Row>,
) {
    plan.gates.run(&mut at.literals);
    let mut work = Work { simd, plan, norm, at, lanes: PhantomData::<F> };
    if work.at.update.all {
        work.at.work += plan.kernels.len() as u64;
        for segment in &plan.segments {
            work.compute::<PARTS, true>(segment);
        }
    } else {
        work.at.mark(plan);
        let before = work.at.update.computed;
        for segment in &plan.segments {
            work.compute::<PARTS, false>(segment);
        }
        work.at.work += work.at.update.computed - before;
    }
    if plan.open != NONE {
        for part in 0..PARTS {
            let totals = aggregate(&work.at(), plan, part);
            set_part::<S, F>(&mut work.at.totals, part, totals);
        }
    }
    // All lanes of a single state have its values.
    if F::LEN > 4 {
        let mut varied = std::mem::take(&mut at.update.varied);
        for node in varied.drain(..) {
            at.rebase(plan, node as usize);
        }
        at.update.varied = varied;
    }
    at.decide(plan);
}

/// A group of states under way.
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

    /// Computes nodes of a segment: all, or those that are marked.
    #[inline(always)]
    fn compute<const PARTS: usize, const ALL: bool>(&mut self, segment: &Segment) {
        match segment.kind {
            SegmentKind::Always => {}
            SegmentKind::Nodes => self.each::<PARTS, ALL>(segment),
            SegmentKind::Loop(number) => self.of_loop::<PARTS, ALL>(segment, number),
        }
    }

    /// Computes the needed nodes of a loop: where one of them is marked, all.
    #[inline(always)]
    fn of_loop<const PARTS: usize, const ALL: bool>(&mut self, segment: &Segment, number: u32) {
        let mut marked = ALL;
        if !ALL {
            let bits = &mut self.at.update.marked;
            for node in segment.nodes.clone() {
                marked |= bits[node / 64] >> (node % 64) & 1 == 1;
                bits[node / 64] &= !(1 << (node % 64));
            }
        }
        if !marked {
            return;
        }
        let of = &self.plan.loops[number as usize];
        if !ALL {
            self.at.update.computed += of.steps.len() as u64;
        }
        let (simd, plan, norm) = (self.simd, self.plan, self.norm);
        let StateValues { rows, loops, .. } = &mut *self.at;
        // A function of its own: there are several of this one.
        simd.vectorize(
            #[inline(always)]
            || {
                let mut at = LoopAt::<S, F, N> { simd, norm, of, rows, room: loops };
                at.settle::<PARTS>(plan, segment.nodes.clone());
            },
        );
        for (number, node) in segment.nodes.clone().enumerate() {
            let [value, negation] = &self.at.loops.found[number];
            let mut operands = [Operand::splat(simd, [0.0; 2]); PARTS];
            for (part, operand) in operands.iter_mut().enumerate() {
                *operand = Operand {
                    value: part_of::<S, F>(simd, value, part),
                    negation: part_of(simd, negation, part),
                };
            }
            if self.put::<PARTS, ALL>(node, operands) {
                self.changed(node);
            }
        }
        if !plan.loop_signals.is_empty() {
            self.signal::<PARTS>(segment);
        }
    }

    /// Where nodes of a loop hold decides what holds elsewhere.
    fn signal<const PARTS: usize>(&mut self, segment: &Segment) {
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

    /// A node is not what it was: those that look at it have to be computed.
    #[inline(always)]
    fn changed(&mut self, node: usize) {
        let update = &mut self.at.update;
        if F::LEN > 4 {
            update.varied.push(node as u32);
        }
        for &parent in self.plan.parents.row(node) {
            update.marked[parent as usize / 64] |= 1 << (parent % 64);
        }
    }

    /// Computes the nodes of a segment one by one: all, or those that are marked.
    #[inline(always)]
    fn each<const PARTS: usize, const ALL: bool>(&mut self, segment: &Segment) {
        let nodes = &segment.nodes;
        if ALL {
            for node in nodes.clone() {
                self.computed::<PARTS, ALL>(node);
            }
            return;
        }
        for index in nodes.start / 64..nodes.end.div_ceil(64) {
            let from = u64::MAX << nodes.start.saturating_sub(index * 64);
            let up_to = u64::MAX >> (index * 64 + 64).saturating_sub(nodes.end);
            let update = &mut self.at.update;
            let mut left = update.marked[index] & from & up_to;
            update.marked[index] &= !left;
            update.computed += u64::from(left.count_ones());
            while left != 0 {
                let node = index * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                if self.computed::<PARTS, ALL>(node) {
                    self.changed(node);
                }
            }
        }
    }

    /// Computes a node. Returns whether it has changed; with `ALL` always `false`.
    #[inline(always)]
    fn computed<const PARTS: usize, const ALL: bool>(&mut self, node: usize) -> bool {
        let kernel: Kernels = self.plan.kernels[node];
        let operands = kernel.compute::<S, F, N, PARTS>(&self.at(), node);
        self.put::<PARTS, ALL>(node, operands)
    }

    /// Writes the value of a node. Returns whether it has changed; with `ALL` always `false`.
    #[expect(
        clippy::needless_range_loop,
        reason = "an iterator over an array of vectors is copied through memory"
    )]
    #[inline(always)]
    fn put<const PARTS: usize, const ALL: bool>(
        &mut self,
        node: usize,
        operands: [Operand<F>; PARTS],
    ) -> bool {
        let [value, negation] = self.plan.tables.vectors[node];
        let mut changed = false;
        for part in 0..PARTS {
            changed |= self.write::<ALL>(value, part, operands[part].value);
            changed |= self.write::<ALL>(negation, part, operands[part].negation);
        }
        changed
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
        let mut ways = [0; 2];
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
                    [(); 2].map(|()| StateGroup::<BlockRow>::new(Arc::clone(&plan)));
                let mut single = StateGroup::<SingleRow>::new(Arc::clone(&plan));
                let mut random = Choices::new(5, 0);
                // Whatever holds, not states of the game alone: few facts differ, then many.
                let mut facts: Vec<Mask> = vec![0; plan.facts.len()];
                let facts_of_all = plan.facts.len();
                for round in 0..240 {
                    ways[usize::from(updated.at.update.all)] += 1;
                    if updated.at.update.all && (round < 120 || round % 40 == 39) {
                        // What differs is looked for anew.
                        updated.at.update.groups = KEPT - 1;
                    }
                    for fact in &mut facts {
                        let often = match round {
                            0..120 => random.below(facts_of_all) < 3,
                            _ => random.below(120) < round - 120,
                        };
                        *fact ^= if often { mask(&mut random) & mask(&mut random) } else { 0 };
                    }
                    let some = mask(&mut random) | 1;
                    let wanted = [Mask::MAX, 0xffff, 1 << (round % 32), some][round % 4];
                    let of = |group: &mut StateGroup<BlockRow>| -> Vec<u32> {
                        let values = group.values(facts.iter().copied(), wanted);
                        let of_wanted =
                            values.iter().enumerate().filter(|(state, _)| wanted >> state & 1 == 1);
                        of_wanted.map(|(_, value)| value.to_bits()).collect()
                    };
                    let found = of(&mut updated);
                    whole.at.update.groups = 0;
                    assert!(whole.at.update.all);
                    assert_eq!(found, of(&mut whole), "{game} {round}");
                    let state = wanted.trailing_zeros();
                    for (number, fact) in (0..).zip(&facts) {
                        single.set(2 * number, fact >> state & 1 == 1);
                    }
                    single.settle_single();
                    assert_eq!(found[0], single.total().to_bits(), "{game} {round}");
                }
            }
        }
        assert!(ways.into_iter().all(|groups| groups > 100), "{ways:?}");
    }
}

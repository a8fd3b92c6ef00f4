//! Evaluating a formula in thirty-two states at a time or fewer: all of it, or what differs from the first of the last ones.
//!
//! Nodes are computed in the order of the plan, in as many lanes as there are states (sixteen or all; in others a state is meant
//! that is in one of these). A node's value is computed from all its members anew, so that it depends on the state alone.
//!
//! Siblings differ in few facts from each other, so that what they have in common need not be computed anew. As long as less
//! than a third of the nodes has to be, every lane of every vector that is read has, between two groups, the value of one state, the base.
//! Signals of the next group that differ from it in some lane mark the nodes that look at them, and where one of these has
//! changed in some lane it marks those that look at it. Then the group's first state becomes the base. Where more has to be
//! computed (in large formulas, most often, much more), finding out what takes longer than computing all.

use std::sync::Arc;

use fearless_simd::Level;
use fearless_simd::prelude::*;

use super::compute::compute;
use super::loops::LoopRoom;
use super::plan::{Kind, NONE, Operation, Plan};
use super::together::together;
use super::vector::{Mask, PART, Vector};

/// Groups after which it is looked how many nodes were computed.
const TRIED: u32 = 32;

/// Groups in which all nodes are computed until that is tried again.
const KEPT: u32 = 4096;

/// All nodes are computed where one of so many had to be: finding these out takes about as many times as long.
const MANY: u64 = 3;

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
    /// Where literals are true.
    pub(super) literals: Vec<Mask>,
    pub(super) loops: LoopRoom,
    pub(super) pace: Pace,
    values: Vector,
}

/// What is computed.
pub(super) struct Pace {
    /// Whether all is.
    all: bool,
    /// Groups since it was decided, and nodes that had to be computed.
    groups: u32,
    pub(super) computed: u64,
    /// Nodes to be computed, as bits.
    pub(super) marked: Vec<u64>,
    /// Nodes that are not the same in all lanes.
    pub(super) varied: Vec<u32>,
    /// Where signals that nodes look at are true in the base.
    base: Vec<Mask>,
}

impl Group {
    /// At no states yet.
    pub(super) fn new(plan: Arc<Plan>) -> Group {
        let nodes = plan.nodes.len();
        let mut at = Settled {
            vectors: vec![Vector::splat(f32::NAN); plan.vectors],
            literals: [0, Mask::MAX].repeat(plan.truths.signals()),
            loops: LoopRoom::new(&plan),
            pace: Pace {
                // The first group is computed from nothing.
                all: true,
                groups: KEPT - 1,
                computed: 0,
                marked: vec![0; nodes.div_ceil(64)],
                varied: Vec::new(),
                base: vec![0; plan.watched.len()],
            },
            values: Vector::splat(0.0),
        };
        for node in (0..nodes).filter(|&node| plan.nodes[node].operation == Operation::Always) {
            for (vector, value) in plan.nodes[node].vectors.into_iter().zip(plan.always) {
                if vector != NONE {
                    at.vectors[vector as usize] = Vector::splat(value);
                }
            }
        }
        Group { plan, at, level: Level::new() }
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
        for (literals, lanes) in at.literals.chunks_exact_mut(2).zip(facts) {
            // Where nothing is wanted it is as in one of the others, so that less varies.
            let lanes = if lanes >> one & 1 == 1 { lanes | !wanted } else { lanes & wanted };
            literals.copy_from_slice(&[lanes, !lanes]);
        }
        let lanes = (Mask::BITS - wanted.leading_zeros()) as usize;
        settle_at(*level, lanes, plan, at);
        at.values.numbers()
    }
}

impl Settled {
    /// All nodes have to be computed, whatever the base is.
    fn mark_all(&mut self, plan: &Plan) {
        for segment in plan.segments.iter().filter(|segment| segment.kind != Kind::Always) {
            segment.nodes.clone().for_each(|node| self.pace.marked[node / 64] |= 1 << (node % 64));
        }
    }

    /// A node has the value of the first state everywhere.
    #[inline(always)]
    fn rebase(&mut self, plan: &Plan, node: usize) {
        for vector in plan.nodes[node].vectors.into_iter().filter(|&vector| vector != NONE) {
            let vector = &mut self.vectors[vector as usize];
            *vector = Vector::splat(vector.first());
        }
    }

    /// Marks the nodes that look at signals which are not as in the base.
    #[inline(always)]
    fn mark(&mut self, plan: &Plan) {
        let Pace { marked, base, .. } = &mut self.pace;
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
        let pace = &mut self.pace;
        pace.groups += 1;
        if pace.all && pace.groups == KEPT {
            (pace.all, pace.groups, pace.computed) = (false, 0, 0);
            self.mark_all(plan);
            (0..plan.nodes.len()).for_each(|node| self.rebase(plan, node));
        } else if !pace.all && pace.groups == TRIED {
            let computed = pace.computed * MANY;
            pace.all = computed > u64::from(TRIED) * plan.nodes.len() as u64;
            (pace.groups, pace.computed) = (0, 0);
        }
    }
}

/// Computes the function's values in the first `lanes` lanes. On x86 this large evaluator is compiled for three instruction sets:
/// AVX-512 (1.3 to 2 times as fast as AVX2), AVX2, and SSE2 for all other processors.
fn settle_at(level: Level, lanes: usize, plan: &Plan, at: &mut Settled) {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    match (level.as_avx512(), level.as_avx2(), level.as_sse2()) {
        (Some(simd), ..) => settle_on(simd, lanes, plan, at),
        (None, Some(simd), _) => settle_on(simd, lanes, plan, at),
        (None, None, Some(simd)) => settle_on(simd, lanes, plan, at),
        (None, None, None) => unreachable!("the target requires SSE2"),
    }
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    fearless_simd::dispatch!(level, simd => settle_on(simd, lanes, plan, at));
}

fn settle_on<S: Simd>(simd: S, lanes: usize, plan: &Plan, at: &mut Settled) {
    simd.vectorize(
        #[inline(always)]
        || match lanes {
            0..=PART => settle::<S, 1>(simd, plan, at),
            _ => settle::<S, 2>(simd, plan, at),
        },
    );
}

/// Computes what has to be in so many parts, then the function's values.
#[inline(always)]
fn settle<S: Simd, const PARTS: usize>(simd: S, plan: &Plan, at: &mut Settled) {
    plan.truths.run(&mut at.literals);
    if at.pace.all {
        for segment in &plan.segments {
            compute::<S, PARTS, true>(simd, plan, at, segment);
        }
    } else {
        at.mark(plan);
        for segment in &plan.segments {
            compute::<S, PARTS, false>(simd, plan, at, segment);
        }
    }
    for part in 0..PARTS {
        let values = together(simd, plan, &at.vectors, part);
        at.values.set_part(part, values);
    }
    let mut varied = std::mem::take(&mut at.pace.varied);
    for node in varied.drain(..) {
        at.rebase(plan, node as usize);
    }
    at.pace.varied = varied;
    at.decide(plan);
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

    #[test]
    fn values_depend_on_the_state_alone() {
        let mask = |random: &mut Choices| random.below(1 << 32) as Mask;
        let (mut compared, mut paces) = (0, [0; 2]);
        for game in ["tic_tac_toe", "nine_mens_morris", "checkers", "reversi", "hex"] {
            let path = PathBuf::from(format!("{}/../../games/{game}.kif", env!("CARGO_MANIFEST_DIR")));
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
                let roots: Vec<_> = goals.map(|goal| goal.condition).chain([function.terminal]).collect();
                let evaluator = Evaluator::new(machine, &function.formula, &roots, parameters).unwrap();
                let Some(plan) = Plan::new(&function, &evaluator).map(Arc::new) else { continue };
                compared += 1;
                let [mut paced, mut whole, mut single] = [(); 3].map(|()| Group::new(Arc::clone(&plan)));
                let mut random = Choices::new(5, 0);
                // Whatever holds, not states of the game alone: few facts differ, then many.
                let mut facts: Vec<Mask> = vec![0; plan.facts.len()];
                let facts_of_all = plan.facts.len();
                for round in 0..240 {
                    paces[usize::from(paced.at.pace.all)] += 1;
                    if paced.at.pace.all && (round < 120 || round % 40 == 39) {
                        // What differs is looked for anew.
                        paced.at.pace.groups = KEPT - 1;
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
                    let of = |group: &mut Group| -> Vec<u32> {
                        let values: Vec<f32> = group.values(facts.iter().copied(), wanted).collect();
                        let of_wanted =
                            values.iter().enumerate().filter(|(state, _)| wanted >> state & 1 == 1);
                        of_wanted.map(|(_, value)| value.to_bits()).collect()
                    };
                    let found = of(&mut paced);
                    whole.at.pace.groups = 0;
                    assert!(whole.at.pace.all);
                    assert_eq!(found, of(&mut whole), "{game} {round}");
                    let state = wanted.trailing_zeros();
                    let alone = facts.iter().map(|fact| fact >> state & 1);
                    let value = single.values(alone, 1).next().unwrap();
                    assert_eq!(found[0], value.to_bits(), "{game} {round}");
                }
            }
        }
        // Some look too far back to be told in lanes.
        assert!(compared >= 5, "{compared}");
        assert!(paces.into_iter().all(|groups| groups > 100), "{paces:?}");
    }
}

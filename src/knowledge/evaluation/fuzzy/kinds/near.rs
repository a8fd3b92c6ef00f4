//! A fluent of a family, with a goal location: `p` if it holds, else a value from the distances of the fluents of its
//! group.
//!
//! # How
//! The group consists of the fluents that agree in all arguments except the ordered ones. The distance of a fluent is
//! the mean over the goal coordinates of the steps divided by the number of elements; its closeness is 1 minus its
//! distance. The closeness of the group is a weighted mean of that of the nearest fluent and of the mean over all
//! fluents ([`NEAREST`]). It is 0 if no fluent of the group holds. The value is (1-t)·closeness. `leaf` selects the
//! fluents.
//!
//! # Example
//! A pawn on row 5 of 8 whose goal is row 8: (1-t)·(1 - 3/8).

use fearless_simd::prelude::*;

use super::super::bind_error::BindError;
use super::super::evaluator::lanes::{Lanes, Operand};
use super::super::evaluator::tables::At;
use super::super::mention::{Edge, Literal};
use super::super::norm::TNorm;
use super::{Kernel, KernelMaker, LeafBinder, NodeKind, Prefix, TruthMaker};

/// The weight of the nearest fluent; the mean over all fluents has the remaining weight. One object is enough to reach
/// a place, but often several must reach it.
pub(in crate::evaluation::fuzzy) const NEAREST: f32 = 0.5;

/// Measured fluents.
pub(in crate::evaluation::fuzzy) struct Kind;

impl NodeKind for Kind {
    type Payload = String;
    type Kernel = NearKernel;

    const WORDS: [&'static str; 2] = ["", " (by distance)"];

    fn prefix(atom: &String) -> Prefix<'_> {
        Prefix::Text("near", atom)
    }

    fn bind(pattern: &String, binder: &mut dyn LeafBinder) -> Result<(), BindError> {
        binder.near(pattern, |steps, _| steps)
    }

    fn truth(_: &String, node: usize, _: &[Edge], gates: &mut dyn TruthMaker) -> Literal {
        gates.held(node)
    }

    fn kernel(_: &String, node: usize, maker: &mut dyn KernelMaker) -> NearKernel {
        let measured = maker.measured(node);
        NearKernel { holds: maker.literal((node as Edge) << 1), measured }
    }
}

/// The computation of a measured fluent, with the index of its distances.
#[derive(Clone, Copy, Debug)]
pub(in crate::evaluation::fuzzy) struct NearKernel {
    holds: Literal,
    measured: u32,
}

impl Kernel for NearKernel {
    #[inline(always)]
    fn compute<S: Simd, F: Lanes<S>, N: TNorm, const PARTS: usize>(
        self,
        at: &At<'_, S, F, N>,
        _: usize,
    ) -> [Operand<F>; PARTS] {
        let distances = &at.tables.measured[self.measured as usize];
        let mut operands = [Operand::splat(at.simd, [0.0; 2]); PARTS];
        for (part, operand) in operands.iter_mut().enumerate() {
            let closeness = closeness(at, distances, part);
            let missing = at.norm.operand(at.simd, closeness * at.norm.room());
            *operand = at.where_true(self.holds, part, missing);
        }
        operands
    }
}

/// The closeness of facts with these distances, in the states of a part.
#[inline(always)]
fn closeness<S: Simd, F: Lanes<S>, N: TNorm>(
    at: &At<'_, S, F, N>,
    distances: &[(u32, f32)],
    part: usize,
) -> F {
    let number = |number| F::splat(at.simd, number);
    let [mut least, mut sum, mut count] = [f32::INFINITY, 0.0, 0.0].map(number);
    for &(fact, distance) in distances {
        let holds = at.literals[2 * fact as usize];
        // In a single state few facts hold.
        if F::LEN == 4 && holds == 0 {
            continue;
        }
        let holds = at.lanes(holds, part);
        least = holds.select(least.min(distance), least);
        sum += holds.select(number(distance), number(0.0));
        count += holds.select(number(1.0), number(0.0));
    }
    let mean = number(1.0) - sum / count;
    let close = (number(1.0) - least) * NEAREST + mean * (1.0 - NEAREST);
    count.simd_gt(0.0).select(close, number(0.0))
}

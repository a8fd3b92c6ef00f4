//! A comparison of two values by their positions in an order.
//!
//! Let n be the number of elements of the order, and Δ the distance between the two positions, in steps. The value is
//! t + (1-t)·Δ/n if the comparison holds, else (1-t)·(1 - Δ/n). For a test of equality, two equal values give p. If a
//! side has no value, the result is 0. If several facts give a side values, the best pair counts.

use fearless_simd::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::bind_error::BindError;
use super::super::comparison::{Comparison, Places};
use super::super::evaluator::lanes::{Lanes, Mask, Operand};
use super::super::evaluator::tables::At;
use super::super::mention::{Edge, Literal, Mention};
use super::super::norm::TNorm;
use super::{Kernel, KernelMaker, LeafBinder, NodeKind, Prefix, TruthMaker};

/// A comparison of two values of the state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compare {
    /// The literals of the rule that is compared, for users.
    pub text: String,
    /// The comparison.
    pub relation: Comparison,
    /// The places in the order that the left value can have, each with the node that holds if it has this place.
    pub left: Vec<(u32, Mention)>,
    /// Those of the right value.
    pub right: Vec<(u32, Mention)>,
    /// Number of elements of the order.
    pub length: u32,
}

/// Comparisons.
pub(in crate::evaluation::fuzzy) struct Kind;

impl NodeKind for Kind {
    type Payload = Compare;
    type Kernel = CompareKernel;

    fn mentions(of: &Compare) -> Vec<Mention> {
        of.left.iter().chain(&of.right).map(|&(_, mention)| mention).collect()
    }

    fn renumber(of: &mut Compare, number: &dyn Fn(Mention) -> Mention) {
        of.left.iter_mut().chain(&mut of.right).for_each(|(_, mention)| *mention = number(*mention));
    }

    fn prefix(of: &Compare) -> Prefix<'_> {
        Prefix::Text("", &of.text)
    }

    fn bind(of: &Compare, binder: &mut dyn LeafBinder) -> Result<(), BindError> {
        let wrong = |side: &[(u32, Mention)]| side.is_empty() || side.iter().any(|&(at, _)| at >= of.length);
        match wrong(&of.left) || wrong(&of.right) {
            true => Err(BindError::Places { node: binder.node() + 1, length: of.length }),
            false => Ok(()),
        }
    }

    fn reads(_: Edge, members: &[Edge], _: bool) -> Vec<Edge> {
        members.to_vec()
    }

    fn decided_by(members: &[Edge]) -> &[Edge] {
        members
    }

    fn truth(of: &Compare, _: usize, members: &[Edge], gates: &mut dyn TruthMaker) -> Literal {
        let sides = sides(of, members, |edge| gates.edge(edge));
        gates.compare(of.relation, sides)
    }

    fn kernel(of: &Compare, node: usize, maker: &mut dyn KernelMaker) -> CompareKernel {
        let sides = sides(of, maker.members(node), |edge| maker.literal(edge));
        CompareKernel(maker.compared(Places { sides, length: of.length as f32, relation: of.relation }))
    }
}

/// The places of both sides, each with the literal that is true if the side has it.
fn sides(of: &Compare, members: &[Edge], literal: impl Fn(Edge) -> Literal) -> [Vec<(u32, Literal)>; 2] {
    let (left, right) = members.split_at(of.left.len());
    [(&of.left, left), (&of.right, right)].map(|(places, edges)| {
        places.iter().zip(edges).map(|(&(place, _), &edge)| (place, literal(edge))).collect()
    })
}

/// A comparison, by its index in `Tables::compared`.
#[derive(Clone, Copy, Debug)]
pub(in crate::evaluation::fuzzy) struct CompareKernel(u32);

impl Kernel for CompareKernel {
    #[inline(always)]
    fn compute<S: Simd, F: Lanes<S>, N: TNorm, const PARTS: usize>(
        self,
        at: &At<'_, S, F, N>,
        _: usize,
    ) -> [Operand<F>; PARTS] {
        let places = &at.tables.compared[self.0 as usize];
        let mut operands = [Operand::splat(at.simd, [0.0; 2]); PARTS];
        for (part, operand) in operands.iter_mut().enumerate() {
            *operand = value(at, places, part);
        }
        operands
    }
}

/// The value of a comparison in the states of a part.
#[inline(always)]
fn value<S: Simd, F: Lanes<S>, N: TNorm>(at: &At<'_, S, F, N>, places: &Places, part: usize) -> Operand<F> {
    let number = |number| F::splat(at.simd, number);
    let mut known = Mask::MAX;
    let mut bounds = [[f32::INFINITY, f32::NEG_INFINITY].map(number); 2];
    for (side, [low, high]) in places.sides.iter().zip(&mut bounds) {
        let mut some = 0;
        for &(place, literal) in side {
            let holds = at.literals[literal as usize];
            some |= holds;
            let holds = at.lanes(holds, part);
            *low = holds.select(low.min(place as f32), *low);
            *high = holds.select(high.max(place as f32), *high);
        }
        known &= some;
    }
    let [left, right] = bounds;
    let steps = match places.relation {
        Comparison::Less | Comparison::AtMost => right[1] - left[0],
        Comparison::Greater | Comparison::AtLeast => left[1] - right[0],
        Comparison::Equal => nearest(at, places, part),
    };
    let is = match places.relation {
        Comparison::Less | Comparison::Greater => steps.simd_gt(0.0),
        Comparison::AtMost | Comparison::AtLeast => steps.simd_ge(0.0),
        Comparison::Equal => steps.simd_eq(0.0),
    };
    let known = at.lanes(known, part);
    let share = steps.abs() / places.length;
    let held = match places.relation {
        Comparison::Equal => number(at.tables.held),
        Comparison::Less | Comparison::AtMost | Comparison::Greater | Comparison::AtLeast => {
            share * at.norm.room() + at.norm.threshold()
        }
    };
    let missed = known.select((number(1.0) - share) * at.norm.room(), number(0.0));
    at.norm.operand(at.simd, (is & known).select(held, missed))
}

/// The least distance between a place of one side and a place of the other.
#[inline(always)]
fn nearest<S: Simd, F: Lanes<S>, N: TNorm>(at: &At<'_, S, F, N>, places: &Places, part: usize) -> F {
    let mut nearest = F::splat(at.simd, f32::INFINITY);
    for &(left, literal) in &places.sides[0] {
        let holds = at.literals[literal as usize];
        if holds == 0 {
            continue;
        }
        for &(right, literal) in &places.sides[1] {
            let both = at.lanes(holds & at.literals[literal as usize], part);
            nearest = both.select(nearest.min(left.abs_diff(right) as f32), nearest);
        }
    }
    nearest
}

//! A fluent that looks back through the rules: `p` if it holds, else a value from its best achiever.
//!
//! # How
//! An achiever is a conjunction that makes the fluent hold in the next state (see `regression`); the best one has the
//! greatest value. The nearness of the fluent is a number from 0 to 1. If the achiever holds, one step remains, and the
//! nearness is [`ONE_STEP`] or a little more. Otherwise it is [`ONE_STEP`] times the nearness of the achiever. The
//! value is (1-t)·nearness.
//!
//! # Example
//! Two knight's moves from the last row: 0.9 · 0.9 · (1 - t), one move: 0.9 · (1 - t).

use fearless_simd::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::bind_error::BindError;
use super::super::evaluator::lanes::{Lanes, Operand};
use super::super::evaluator::tables::At;
use super::super::mention::{Edge, Literal, Mention};
use super::super::norm::TNorm;
use super::{Kernel, KernelMaker, LeafBinder, NodeKind, Prefix, TruthMaker};

/// The nearness of a fluent that one move can achieve, and the factor of each further step.
pub(in crate::evaluation::fuzzy) const ONE_STEP: f32 = 0.9;

/// A fluent and its best achiever.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(inline, description = "")]
pub struct Soon {
    /// The fluent.
    pub fact: String,
    /// The best conjunction that makes it hold in the next state.
    pub next: Mention,
}

/// Fluents that look back through the rules.
pub(in crate::evaluation::fuzzy) struct Kind;

impl NodeKind for Kind {
    type Payload = Soon;
    type Kernel = LookbackKernel;

    const WORDS: [&'static str; 2] = ["", " (by the move that achieves it)"];

    fn mentions(of: &Soon) -> Vec<Mention> {
        vec![of.next]
    }

    fn renumber(of: &mut Soon, number: &dyn Fn(Mention) -> Mention) {
        of.next = number(of.next);
    }

    fn prefix(of: &Soon) -> Prefix<'_> {
        Prefix::Text("soon", &of.fact)
    }

    fn explained(of: &Soon) -> &[Mention] {
        std::slice::from_ref(&of.next)
    }

    fn bind(of: &Soon, binder: &mut dyn LeafBinder) -> Result<(), BindError> {
        binder.fact(&of.fact)
    }

    fn valued(members: &[Edge], _: bool) -> &[Edge] {
        members
    }

    fn needs(_: [bool; 2]) -> [bool; 2] {
        [true; 2]
    }

    fn truth(_: &Soon, node: usize, _: &[Edge], gates: &mut dyn TruthMaker) -> Literal {
        gates.held(node)
    }

    fn kernel(_: &Soon, node: usize, maker: &mut dyn KernelMaker) -> LookbackKernel {
        let holds = maker.literal((node as Edge) << 1);
        LookbackKernel { holds, achiever: maker.vectors(maker.members(node)[0]) }
    }
}

/// `p` if a literal is true, else by how close the best achiever is to being true.
#[derive(Clone, Copy, Debug)]
pub(in crate::evaluation::fuzzy) struct LookbackKernel {
    pub(super) holds: Literal,
    /// The vectors of the value of the best achiever and of its negation.
    pub(super) achiever: [u32; 2],
}

impl Kernel for LookbackKernel {
    #[inline(always)]
    fn compute<S: Simd, F: Lanes<S>, N: TNorm, const PARTS: usize>(
        self,
        at: &At<'_, S, F, N>,
        _: usize,
    ) -> [Operand<F>; PARTS] {
        let [value, negation] = self.achiever;
        let mut operands = [Operand::splat(at.simd, [0.0; 2]); PARTS];
        for (part, operand) in operands.iter_mut().enumerate() {
            let achiever = Operand { value: at.number(value, part), negation: at.number(negation, part) };
            let next = at.norm.value(at.simd, &achiever);
            let room = at.norm.room();
            let holds = (next - at.norm.threshold()) * (1.0 - ONE_STEP) / room + ONE_STEP;
            let near = next.simd_gt(0.5).select(holds, next * ONE_STEP / room);
            *operand = at.where_true(self.holds, part, at.norm.operand(at.simd, near * room));
        }
        operands
    }
}

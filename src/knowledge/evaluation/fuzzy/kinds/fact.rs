//! A fluent: `p` if it holds, else `1 - p`.

use fearless_simd::Simd;

use super::super::bind_error::BindError;
use super::super::evaluator::lanes::{Lanes, Operand};
use super::super::evaluator::tables::At;
use super::super::mention::{Edge, Literal};
use super::super::norm::TNorm;
use super::{Kernel, KernelMaker, LeafBinder, NodeKind, Prefix, TruthMaker};

/// Fluents that are not measured.
pub(in crate::evaluation::fuzzy) struct Kind;

impl NodeKind for Kind {
    type Payload = String;
    type Kernel = LeafKernel;

    fn prefix(atom: &String) -> Prefix<'_> {
        Prefix::Text("true", atom)
    }

    fn bind(atom: &String, binder: &mut dyn LeafBinder) -> Result<(), BindError> {
        binder.fact(atom)
    }

    fn truth(_: &String, node: usize, _: &[Edge], gates: &mut dyn TruthMaker) -> Literal {
        gates.held(node)
    }

    fn kernel(_: &String, node: usize, maker: &mut dyn KernelMaker) -> LeafKernel {
        LeafKernel(maker.literal((node as Edge) << 1))
    }
}

/// `p` if a literal is true, else `1 - p`.
#[derive(Clone, Copy, Debug)]
pub(in crate::evaluation::fuzzy) struct LeafKernel(pub(super) Literal);

impl Kernel for LeafKernel {
    #[inline(always)]
    fn compute<S: Simd, F: Lanes<S>, N: TNorm, const PARTS: usize>(
        self,
        at: &At<'_, S, F, N>,
        _: usize,
    ) -> [Operand<F>; PARTS] {
        let missing = Operand::splat(at.simd, at.tables.fact[0]);
        let mut operands = [missing; PARTS];
        for (part, operand) in operands.iter_mut().enumerate() {
            *operand = at.where_true(self.0, part, missing);
        }
        operands
    }
}

//! An atom of a relation that is not unrolled: `p` if it holds, else `1 - p`. The rules derive it in every state (see `lifted`).

use super::super::bind_error::BindError;
use super::super::mention::{Edge, Literal};
use super::fact::LeafKernel;
use super::{KernelMaker, LeafBinder, NodeKind, Prefix, TruthMaker};

/// Atoms of lifted relations.
pub(in crate::evaluation::fuzzy) struct Kind;

impl NodeKind for Kind {
    type Payload = String;
    type Kernel = LeafKernel;

    fn prefix(atom: &String) -> Prefix<'_> {
        Prefix::Text("", atom)
    }

    fn bind(atom: &String, binder: &mut dyn LeafBinder) -> Result<(), BindError> {
        binder.derived(atom);
        Ok(())
    }

    fn truth(_: &String, node: usize, _: &[Edge], gates: &mut dyn TruthMaker) -> Literal {
        gates.derived(node)
    }

    fn kernel(_: &String, node: usize, maker: &mut dyn KernelMaker) -> LeafKernel {
        LeafKernel(maker.literal((node as Edge) << 1))
    }
}

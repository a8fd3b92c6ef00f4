//! A fluent whose places lie on a cycle, such as directions, hours or the fields of a track that is run round: `p` where it holds, else
//! by how near its like are by the shorter way round.
//!
//! # How
//! As for `near`, but that a distance is the lesser number of steps of the two ways round: of n places at most n/2.
//!
//! # Example
//! A runner three fields behind the one that is wanted, of ten: (1-t)·(1 - 3/10); three fields past it: the same.

use super::super::bind_error::BindError;
use super::super::mention::{Edge, Literal};
use super::near::{self, NearKernel};
use super::{KernelMaker, LeafBinder, NodeKind, Prefix, TruthMaker};

/// Fluents that are measured round a cycle.
pub(in crate::evaluation::fuzzy) struct Kind;

impl NodeKind for Kind {
    type Payload = String;
    type Kernel = NearKernel;

    const WORDS: [&'static str; 2] = ["", " (by the shorter way round)"];

    fn prefix(atom: &String) -> Prefix<'_> {
        Prefix::Text("around", atom)
    }

    fn bind(pattern: &String, binder: &mut dyn LeafBinder) -> Result<(), BindError> {
        binder.near(pattern, |steps, places| steps.min(places - steps))
    }

    fn truth(_: &String, node: usize, _: &[Edge], gates: &mut dyn TruthMaker) -> Literal {
        gates.held(node)
    }

    fn kernel(pattern: &String, node: usize, maker: &mut dyn KernelMaker) -> NearKernel {
        near::Kind::kernel(pattern, node, maker)
    }
}

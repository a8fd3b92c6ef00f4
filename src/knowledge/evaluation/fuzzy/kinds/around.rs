//! A fluent whose places are on a cycle, such as directions, hours or the fields of a closed track.
//!
//! The value is as for `near`, but with the distance by the shorter way round: of n places at most n/2.
//!
//! # Example
//! A runner three fields behind its goal, of ten: (1-t)·(1 - 3/10); three fields past it: the same.

use super::super::bind_error::BindError;
use super::super::mention::{Edge, Literal};
use super::near::{self, NearKernel};
use super::{KernelMaker, LeafBinder, NodeKind, Prefix, TruthMaker};

/// Fluents that are measured round a cycle.
pub(in crate::evaluation::fuzzy) struct Kind;

impl NodeKind for Kind {
    type Payload = String;
    type Kernel = NearKernel;

    const WORDS: [&'static str; 2] = ["", " (by distance along the cycle)"];

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

//! A fluent whose places are on a cycle, such as directions, hours or the fields of a closed track.
//!
//! The value is that of `near`, but distances are measured in the shorter direction: at most n/2 steps on a cycle of n
//! places.
//!
//! # Example
//! On a track of ten fields, a runner three fields before its goal has the value (1-t)·(1 - 3/10); three fields after
//! the goal it has the same value.

use super::super::bind_error::BindError;
use super::super::mention::{Edge, Literal};
use super::near::{self, NearKernel};
use super::{KernelMaker, LeafBinder, NodeKind, Prefix, TruthMaker};

/// Fluents that are measured along a cycle.
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

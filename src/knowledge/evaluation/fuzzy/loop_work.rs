//! Room for the work on loops, kept from state to state.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::terms::Graded;

/// Nodes under way while the values of loops are brought up to date.
pub(super) struct LoopWork {
    /// Nodes that can rise, best first.
    pub(super) heap: BinaryHeap<(u64, Reverse<u32>)>,
    /// Nodes to be taken back to 0.
    pub(super) stack: Vec<u32>,
    /// Nodes that a change was told to.
    pub(super) marked: Vec<u32>,
    /// Nodes that changed, with their values before.
    pub(super) changed: Vec<(u32, Graded)>,
    /// Whether a node is among these.
    pub(super) is_changed: Vec<bool>,
}

impl LoopWork {
    /// Room for so many nodes.
    pub(super) fn new(nodes: usize) -> LoopWork {
        LoopWork {
            heap: BinaryHeap::new(),
            stack: Vec::new(),
            marked: Vec::new(),
            changed: Vec::new(),
            is_changed: vec![false; nodes],
        }
    }
}

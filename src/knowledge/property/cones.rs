//! The part of a network that determines a bit in the next state.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::lemma::Lemma;
use crate::ground::Network;
use crate::ground::network::Segment;

/// The most nodes of a small cone.
const MAX_SMALL_CONE: usize = 500;

/// The cones of a network's bits: all gates that determine their next values.
pub(super) struct Cones<'n> {
    network: &'n Network,
    definitions: FxHashMap<u32, u32>,
    /// Cache: whether the cone of a bit is small.
    small: RefCell<FxHashMap<u32, bool>>,
}

impl<'n> Cones<'n> {
    pub(super) fn of(network: &'n Network) -> Cones<'n> {
        let loops = network.segments.iter().filter_map(|segment| match segment {
            Segment::Loop { feedback, .. } => Some(feedback),
            Segment::Straight(_) => None,
        });
        let definitions = loops.flatten().map(|&(node, literal)| (node, literal.node())).collect();
        Cones { network, definitions, small: RefCell::default() }
    }

    /// Whether all bits of a lemma have small cones.
    pub(super) fn is_small(&self, lemma: &Lemma) -> bool {
        let bits = lemma.literals().iter().filter_map(|literal| literal.node().checked_sub(1));
        let mut bits = bits.map(|bit| {
            let known = self.small.borrow().get(&bit).copied();
            known.unwrap_or_else(|| {
                let small = self.size_within(self.network.next[bit as usize].node());
                self.small.borrow_mut().insert(bit, small);
                small
            })
        });
        bits.all(|small| small)
    }

    /// Whether a node's cone is small.
    fn size_within(&self, root: u32) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            if !seen.insert(node) {
                continue;
            }
            if seen.len() > MAX_SMALL_CONE {
                return false;
            }
            stack.extend(self.definitions.get(&node));
            if let Some(gate) = node.checked_sub(self.network.first_gate) {
                stack.extend(self.network.gate(gate as usize).iter().map(|operand| operand.node()));
            }
        }
        true
    }
}

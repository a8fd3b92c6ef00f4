//! The position of a search in the tree, and which side knows the other's move.

use crate::search::score::MOST_PLIES;

/// Which side knows the other's choice if both choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// No side knows the other's choice.
    AtOnce,
    /// The others know ours: a lower bound of the role's value.
    OthersKnow,
    /// We know theirs: an upper bound of it.
    WeKnow,
}

impl Order {
    /// Distinguishes table entries of the same state.
    pub(super) fn key(self) -> u64 {
        match self {
            Order::AtOnce => 0,
            Order::OthersKnow => 0x9e37_79b9_7f4a_7c15,
            Order::WeKnow => 0xd1b5_4a32_d192_ed03,
        }
    }
}

/// The position of a search in the tree.
#[derive(Clone, Copy)]
pub(super) struct TreePosition {
    /// Plies from the root.
    pub(super) ply: usize,
    /// Plies to look ahead.
    pub(super) depth: u32,
    pub(super) order: Order,
}

impl TreePosition {
    /// Whether the children are leaves.
    pub(super) fn is_last(self) -> bool {
        self.depth <= 1 || self.ply as u32 + 1 >= MOST_PLIES
    }
}

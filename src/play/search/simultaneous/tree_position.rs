//! Where in the tree a search is, and who knows whose move.

use crate::search::score::MOST_PLIES;

/// Who knows what where both sides choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Nobody knows the other's choice.
    AtOnce,
    /// The others know ours: a value that the role's side gets at least.
    OthersKnow,
    /// We know theirs: a value that it gets at most.
    WeKnow,
}

impl Order {
    /// Sets apart what the table knows of a state.
    pub(super) fn key(self) -> u64 {
        match self {
            Order::AtOnce => 0,
            Order::OthersKnow => 0x9e37_79b9_7f4a_7c15,
            Order::WeKnow => 0xd1b5_4a32_d192_ed03,
        }
    }
}

/// Where in the tree a search is.
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

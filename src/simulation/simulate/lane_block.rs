//! The blocks of playouts in lanes.

use schemars::JsonSchema;
use serde::Serialize;

/// Playouts that were played in lanes together. With the seed and the step limit, the block determines each of its playouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LaneBlock {
    /// Number of the first playout.
    pub first: u64,
    /// Number of playouts.
    pub playouts: u64,
}

impl LaneBlock {
    /// Whether the block contains this playout.
    pub fn contains(&self, playout: u64) -> bool {
        playout.checked_sub(self.first).is_some_and(|index| index < self.playouts)
    }
}

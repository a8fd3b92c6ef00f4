//! Which playouts were played in lanes together.

use schemars::JsonSchema;
use serde::Serialize;

/// Playouts that were played in lanes together: with the seed and the most steps it says what each of them is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LaneBlock {
    /// Number of the first.
    pub first: u64,
    /// How many.
    pub playouts: u64,
}

impl LaneBlock {
    /// Whether a playout is one of them.
    pub fn contains(&self, playout: u64) -> bool {
        playout.checked_sub(self.first).is_some_and(|index| index < self.playouts)
    }
}

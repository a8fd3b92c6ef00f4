//! How strong a player of the verdict is.

use schemars::JsonSchema;
use serde::Serialize;

/// How a player chooses its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// Uniformly at random.
    Random,
    /// By UCT without an evaluation function, with this number of states for each move.
    Search(u64),
}

impl Strength {
    /// The number of states for each move.
    pub fn states(self) -> u64 {
        match self {
            Strength::Random => 0,
            Strength::Search(states) => states,
        }
    }
}

//! Breaches of what the language asks of a game, as play shows them.

use schemars::JsonSchema;
use serde::Serialize;

use super::lane_block::LaneBlock;

/// What the language forbids, seen in play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// A role had no legal move in a state that is not terminal.
    NoLegalMove,
    /// A role had no goal value in a terminal state.
    NoGoal,
    /// A role had several goal values in a terminal state.
    SeveralGoals,
    /// A role's goal value was lower than in the position before.
    GoalFell,
    /// A state could not be evaluated: its derivations passed the budget.
    Failed,
}

/// A fault, with playouts that show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// To which role, where it happens to one.
    pub role: Option<String>,
    /// In how many playouts.
    pub playouts: u64,
    /// Numbers of the first such playouts: each can be played again with the seed, alone or in lanes with its block.
    pub first: Vec<u64>,
    /// The block of the first of these, where it was played in lanes; left out where playouts were played one by
    /// one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<LaneBlock>,
}

//! Violations of GDL's requirements that playouts reveal.

use schemars::JsonSchema;
use serde::Serialize;

use super::lane_block::LaneBlock;

/// A violation of GDL's requirements that a playout revealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// A role had no legal move in a state that is not terminal.
    NoLegalMove,
    /// A role had no goal value in a terminal state.
    NoGoal,
    /// A role had several goal values in a terminal state.
    SeveralGoals,
    /// A role's goal value was lower than in the previous position.
    GoalFell,
    /// A state could not be evaluated: deriving its facts exceeded the budget.
    Failed,
}

/// A fault and playouts that show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The role, if the fault concerns one.
    pub role: Option<String>,
    /// Number of playouts with this fault.
    pub playouts: u64,
    /// Numbers of the first such playouts. Each can be replayed with the seed; in lanes, together with its block.
    pub first: Vec<u64>,
    /// The block of the first of these playouts, if it was played in lanes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<LaneBlock>,
}

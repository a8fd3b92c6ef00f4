//! The edges of a board that a winning condition connects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::structure::argument::ArgumentPosition;

/// Two opposite edges of a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectedEdges {
    /// The fluent of the board, with its number of arguments.
    pub fluent: String,
    /// The argument that is a coordinate, counted from 1.
    pub argument: ArgumentPosition,
    /// The values of this coordinate on the two edges.
    pub ends: [String; 2],
}

//! Where the pieces of a move arrive.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the pieces of a relation arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "rule")]
pub enum Destination {
    /// Any empty cell.
    AnyEmpty,
    /// The empty cell that is closest to one end of its line.
    FirstEmpty,
    /// A number of steps on a board of two axes.
    Steps {
        /// The least number of steps.
        least: i64,
        /// The greatest number of steps.
        most: i64,
        /// Whether pieces move along an axis.
        straight: bool,
        /// Whether pieces move along a diagonal.
        diagonal: bool,
        /// Whether the pieces of each role move in one direction of an axis, and those of two roles in opposite ones.
        forward: bool,
        /// Whether the pieces that a move captures are always those on the cell in the middle.
        jumps: bool,
    },
    /// Two steps along one axis and one along the other.
    Knight,
}

impl Destination {
    /// The words after "moves one piece".
    pub(super) fn of_moved_words(self) -> Option<String> {
        let (least, most, straight, diagonal, forward) = match self {
            Destination::Knight => return Some("like a knight in chess".to_owned()),
            Destination::Steps { least, most, straight, diagonal, forward, .. } => {
                (least, most, straight, diagonal, forward)
            }
            Destination::AnyEmpty | Destination::FirstEmpty => return None,
        };
        let direction = match (forward, straight, diagonal) {
            (true, true, true) => "forward, straight or diagonally",
            (true, false, _) => "diagonally forward",
            (true, true, false) => "straight forward",
            (false, true, true) => "straight or diagonally",
            (false, false, _) => "diagonally",
            (false, true, false) => "along a row or column",
        };
        Some(match (least, most) {
            (1, 1) => format!("one step {direction}"),
            (2, 2) => format!("two steps {direction}"),
            (1, 2) => format!("one or two steps {direction}"),
            _ => direction.to_owned(),
        })
    }
}

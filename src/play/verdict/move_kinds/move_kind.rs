//! The moves of one relation: their effects, captures and words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::destination::Destination;

/// The effect of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// Pieces appear on empty cells.
    Place,
    /// Pieces leave cells and appear on others.
    Move,
    /// Two cells exchange their pieces.
    Swap,
    /// Pieces disappear, and none appears.
    Remove,
    /// The contents of cells change to others.
    Flip,
    /// A piece disappears, and another of the same role appears.
    Promote,
    /// Quantities change, and no board.
    Quantity,
    /// Other facts change.
    Other,
    /// No facts change except those of counters and control fluents.
    Pass,
    /// Several roles move at the same time, and their effects can't be separated.
    Joint,
}

/// The number of moves with an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeCount {
    /// The effect.
    pub kind: ChangeKind,
    /// Number of moves.
    pub moves: u64,
}

/// Captures by the moves of a relation. In games of one role, any piece that disappears counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaptureCount {
    /// Number of moves by which a piece of another role disappeared.
    pub moves: u64,
    /// Number of these moves in which it was on the cell where a piece arrived.
    pub landing: u64,
    /// Number of these moves in which it was on another cell.
    pub elsewhere: u64,
    /// Number of states seen in which a player could capture, if captures are mandatory: in all of them each legal move of
    /// that player captured. Null otherwise.
    #[serde(default)]
    pub mandatory: Option<u64>,
}

/// Changes of the contents of cells by moves whose main effect is another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnCount {
    /// Number of moves that changed the contents of other cells.
    pub moves: u64,
    /// Number of these cells.
    pub cells: u64,
    /// Number of these cells that passed from another role to the mover.
    pub own: u64,
}

/// Whether pieces are ever removed from the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Permanence {
    /// Whether it is proved that no piece is ever removed; else none was seen removed.
    pub proved: bool,
    /// Number of moves of all relations that were seen.
    pub moves: u64,
}

/// The moves of one relation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MoveKind {
    /// `name/arity`.
    pub relation: String,
    /// The form of the moves: the first and the last, `(drop 1) to (drop 7)`, or with the variables of a rule, `(move ?x ?y)`.
    pub form: String,
    /// For each argument its values: `1 to 7`, `a, b, c`, or their number.
    pub arguments: Vec<String>,
    /// The most frequent effect, except to pass if one move in twenty has another effect.
    pub kind: ChangeKind,
    /// All effects, the most frequent first.
    pub changes: Vec<ChangeCount>,
    /// Captures.
    pub captures: CaptureCount,
    /// Changes of the contents of other cells.
    pub turned: TurnCount,
    /// The least and the greatest step by which a quantity changes; negative if it falls. Null if no quantity changes.
    pub steps: Option<[i64; 2]>,
    /// Whether pieces are ever removed; null if some were, or if the main effect is not to place pieces.
    pub permanence: Option<Permanence>,
    /// Where pieces arrive, if all moves seen agree; null otherwise.
    pub destination: Option<Destination>,
    /// The pieces that move only forward if others do not: the part of their names that is the same for all roles, or their
    /// names.
    #[serde(default)]
    pub only_forward: Vec<String>,
    /// The moves in a sentence without a subject: `puts one piece on an empty cell`.
    pub sentence: String,
    /// Number of moves seen.
    pub moves: u64,
    /// Their share among all moves seen that are not noops, from 0 to 1.
    pub share: f64,
}

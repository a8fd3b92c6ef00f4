//! The moves of a game in words, from how they change the facts.
//!
//! - `transition.rs` reads what changes from state to state, and whose move it was.
//! - `change.rs` classifies the changes of a board; `empty_cells.rs` infers which object marks an empty cell.
//! - `counts.rs` counts the changes by the moves of one relation.
//! - `sentence.rs` describes them.
//!
//! Nothing depends on names. `tests/analysis/verdict_moves.rs` tests it.

mod change;
mod counts;
mod sentence;
mod transition;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analysis::Game;
use crate::simulate::WorkLimit;
use crate::structure::finding::Structures;

use super::empty_cells::{EmptyObjects, Owners};
use super::played_game::PlayedGame;
pub(super) use change::board_change;
use counts::RelationCounts;
pub(super) use transition::{CellChange, Transition, TransitionReader};

/// The most relations of moves in the result.
const MAX_RELATIONS: usize = 4;

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
    /// The moves in a sentence without a subject: `puts one piece on an empty cell`.
    pub sentence: String,
    /// Number of moves seen.
    pub moves: u64,
    /// Their share among all moves seen that are not noops, from 0 to 1.
    pub share: f64,
}

/// The moves of a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MoveKinds {
    /// The relations of the most frequent moves, at most four.
    pub kinds: Vec<MoveKind>,
    /// Number of other relations.
    pub others: usize,
    /// Number of moves seen that are not noops.
    pub moves: u64,
}

/// Describes the moves in games. `structures` is the result of the detectors for the same machine. A unit of work is a fact of
/// a state. Moves of the role `random` and noops are left out.
pub fn move_kinds(
    game: &Game<'_>,
    structures: &Structures,
    games: &[PlayedGame],
    limit: &WorkLimit<'_>,
) -> MoveKinds {
    let mut reader = TransitionReader::new(game, structures);
    let transitions = reader.read(games, limit);
    let owners = Owners::new(game.machine.description(), &reader.boards, &transitions);
    let empty = EmptyObjects::new(&reader.boards, &transitions, &owners);
    let mut relations = counts::by_relation(game, &reader.boards, &transitions, &owners, &empty);
    relations.iter_mut().for_each(RelationCounts::merge_switches);
    let moves: u64 = relations.iter().map(|counts| counts.moves).sum();
    relations.sort_by_key(|counts| std::cmp::Reverse(counts.moves));
    let others = relations.len().saturating_sub(MAX_RELATIONS);
    relations.truncate(MAX_RELATIONS);
    let removed = counts::removes_pieces(&reader.boards, &transitions, &empty);
    let kind =
        |counts: &RelationCounts| counts.move_kind(game, structures, &reader.boards, &removed, moves, &empty);
    MoveKinds { kinds: relations.iter().map(kind).collect(), others, moves }
}

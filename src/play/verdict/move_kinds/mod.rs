//! The moves of a game in words, from how they change the facts.
//!
//! - `transition.rs` reads what changes from state to state, and whose move it was.
//! - `change.rs` classifies the changes of a board; `owners.rs` infers to which role an object belongs, and `empty_cells.rs` which
//!   object marks an empty cell.
//! - `arrivals.rs` finds where pieces arrive; `destination.rs` is the result.
//! - `mandatory.rs` finds whether captures are mandatory.
//! - `counts.rs` counts the changes by the moves of one relation.
//! - `move_kind.rs` is the result for a relation.
//! - `sentence.rs` describes them.
//!
//! Nothing depends on names. `tests/analysis/verdict_moves.rs` tests it.

mod arrivals;
mod change;
mod counts;
mod destination;
mod empty_cells;
mod mandatory;
mod move_kind;
mod owners;
mod sentence;
mod transition;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analysis::Game;
use crate::simulate::WorkLimit;
use crate::structure::finding::Structures;

use super::played_game::PlayedGame;
use counts::RelationCounts;
pub use destination::Destination;
pub(super) use empty_cells::EmptyObjects;
use mandatory::ObservedMoves;
pub use move_kind::{CaptureCount, ChangeCount, ChangeKind, MoveKind, Permanence, TurnCount};
pub(super) use owners::Owners;
pub(super) use transition::TransitionReader;

/// The most relations of moves in the result.
const MAX_RELATIONS: usize = 4;

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
    // Reading may use up the limit. What is found out later looks at few states.
    let later = limit.part(limit.left().map(|left| left / 4));
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
    for counts in &mut relations {
        let arrivals = std::mem::take(&mut counts.arrivals);
        let is_of_relation = |action| counts.contains(game.machine, action);
        counts.destination = match arrivals.are_moved() {
            true => {
                counts.only_forward = arrivals.only_forward();
                arrivals.of_moved()
            }
            false => arrivals.of_placed(&mut reader, &empty, (games, &transitions), &is_of_relation, &later),
        };
    }
    if game.machine.description().players().count() > 1 {
        let observed = ObservedMoves { games, transitions: &transitions, owners: &owners, empty: &empty };
        let mandatory = observed.mandatory_captures(&mut reader, &later);
        let capturing = relations.iter_mut().filter(|counts| counts.captures.moves > 0);
        capturing.for_each(|counts| counts.captures.mandatory = mandatory);
    }
    let kind =
        |counts: &RelationCounts| counts.move_kind(game, structures, &reader.boards, &removed, moves, &empty);
    MoveKinds { kinds: relations.iter().map(kind).collect(), others, moves }
}

//! Objects that mark empty cells, from how moves change cells.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::board_facts::{BoardFact, BoardFacts};
use super::change::board_change;
use super::owners::Owners;
use super::transition::{CellChange, Transition};

/// The most objects of a board that are tried as the empty one.
const MAX_CANDIDATES: usize = 16;

/// The most changes of a board that are looked at.
const MAX_CHANGES: usize = 1_000;

/// For each board the object that marks an empty cell, if there is one.
#[derive(Clone, Debug, Default)]
pub(in crate::verdict) struct EmptyObjects {
    objects: FxHashSet<usize>,
}

impl EmptyObjects {
    /// The objects with which the changes of boards are simplest: pieces are put on empty cells or move to them.
    pub(in crate::verdict) fn new(
        boards: &BoardFacts<'_>,
        transitions: &[Transition],
        owners: &Owners,
    ) -> EmptyObjects {
        let mut objects = FxHashSet::default();
        for (board, finding) in boards.boards.iter().enumerate() {
            // A content that is a number, such as zero, is changed and not replaced.
            if !finding.ordered_outputs.is_empty() {
                continue;
            }
            let changes: Vec<(Option<usize>, Vec<CellChange>)> = transitions
                .iter()
                .filter(|transition| transition.mover().is_some())
                .map(|transition| (transition.mover(), transition.of_board(board)))
                .filter(|(_, cells)| !cells.is_empty())
                .take(MAX_CHANGES)
                .collect();
            objects.extend(empty_object(&changes, owners));
        }
        EmptyObjects { objects }
    }

    /// Whether the cell of a fact is empty.
    pub(in crate::verdict) fn contains(&self, fact: BoardFact) -> bool {
        self.objects.contains(&fact.object)
    }

    /// Whether an object marks the empty cells of a board.
    pub(in crate::verdict) fn of_board(&self, board: usize, boards: &BoardFacts<'_>) -> bool {
        self.objects.iter().any(|&object| boards.board_of(object) == board)
    }

    /// The object that marks empty cells in these changes of one board.
    pub(in crate::verdict) fn among(&self, cells: &[CellChange]) -> Option<usize> {
        let objects = cells.iter().flat_map(|change| [change.old, change.new]);
        objects.flatten().find(|object| self.objects.contains(object))
    }
}

/// The object that makes the changes of a board simplest; none if no object makes them simpler than having none.
fn empty_object(changes: &[(Option<usize>, Vec<CellChange>)], owners: &Owners) -> Option<usize> {
    let mut counts: FxHashMap<usize, usize> = FxHashMap::default();
    for change in changes.iter().flat_map(|(_, cells)| cells) {
        for object in [change.old, change.new].into_iter().flatten() {
            *counts.entry(object).or_default() += 1;
        }
    }
    let mut candidates: Vec<(usize, usize)> = counts.into_iter().collect();
    candidates.sort_unstable_by_key(|&(object, count)| (std::cmp::Reverse(count), object));
    candidates.truncate(MAX_CANDIDATES);
    let simplicity = |empty: Option<usize>| -> u64 {
        let of = |(mover, cells): &(Option<usize>, Vec<CellChange>)| {
            board_change(cells, empty, *mover, owners).map_or(0, |change| change.simplicity())
        };
        changes.iter().map(of).sum()
    };
    let (mut best, mut most) = (None, simplicity(None));
    for (object, _) in candidates {
        let found = simplicity(Some(object));
        if found > most {
            (best, most) = (Some(object), found);
        }
    }
    best
}

//! Objects that mark empty cells, and the roles to which other objects belong, from how moves change cells.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::gdl::Description;
use crate::gdl::term::TermId;

use super::board_facts::{BoardFact, BoardFacts};
use super::move_kinds::{CellChange, Transition, board_change};

/// The most objects of a board that are tried as the empty one.
const MAX_CANDIDATES: usize = 16;

/// The most changes of a board that are looked at.
const MAX_CHANGES: usize = 1_000;

/// For each board the object that marks an empty cell, if there is one.
#[derive(Clone, Debug, Default)]
pub(super) struct EmptyObjects {
    objects: FxHashSet<usize>,
}

/// The roles to which objects belong: the role that an object names, else the only role whose moves put it on a cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Owners {
    /// The role of an object; none if several roles put it on cells.
    roles: FxHashMap<usize, Option<usize>>,
    /// The role that an object names.
    named: FxHashMap<usize, usize>,
    /// Whether there is only one role with moves.
    single: bool,
}

impl Owners {
    /// The owners of objects by the transitions in which one role moves.
    pub(super) fn new(
        description: &Description,
        boards: &BoardFacts<'_>,
        transitions: &[Transition],
    ) -> Owners {
        let mut roles: FxHashMap<usize, Option<usize>> = FxHashMap::default();
        for transition in transitions {
            let Some(mover) = transition.mover() else { continue };
            for new in transition.cells.iter().filter_map(|change| change.new) {
                let known = roles.entry(new).or_insert(Some(mover));
                if *known != Some(mover) {
                    *known = None;
                }
            }
        }
        let mut named = FxHashMap::default();
        for object in 0..boards.objects() {
            let is_named = |role: &TermId| boards.symbols(object).contains(role);
            if let Some(role) = description.roles.iter().position(is_named) {
                roles.insert(object, Some(role));
                named.insert(object, role);
            }
        }
        Owners { roles, named, single: description.players().count() < 2 }
    }

    /// The role to which an object belongs.
    pub(super) fn owner(&self, object: usize) -> Option<usize> {
        self.roles.get(&object).copied().flatten()
    }

    /// The role that an object names.
    pub(super) fn named(&self, object: usize) -> Option<usize> {
        self.named.get(&object).copied()
    }

    /// Whether the object belongs to another role than the mover. With a single role, every object is like one of an
    /// opponent: a move that removes it takes it.
    pub(super) fn is_other(&self, object: usize, mover: Option<usize>) -> bool {
        self.single || self.owner(object).is_some_and(|owner| Some(owner) != mover)
    }
}

impl EmptyObjects {
    /// The objects with which the changes of boards are simplest: pieces are put on empty cells or move to them.
    pub(super) fn new(boards: &BoardFacts<'_>, transitions: &[Transition], owners: &Owners) -> EmptyObjects {
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
    pub(super) fn contains(&self, fact: BoardFact) -> bool {
        self.objects.contains(&fact.object)
    }

    /// Whether an object marks the empty cells of a board.
    pub(super) fn of_board(&self, board: usize, boards: &BoardFacts<'_>) -> bool {
        self.objects.iter().any(|&object| boards.board_of(object) == board)
    }

    /// The object that marks empty cells in these changes of one board.
    pub(super) fn among(&self, cells: &[CellChange]) -> Option<usize> {
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

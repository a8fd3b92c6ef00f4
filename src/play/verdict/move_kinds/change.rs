//! The effect of one move on the cells of one board.

use super::move_kind::ChangeKind;
use super::owners::Owners;
use super::transition::CellChange;

/// The effect of a move on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::verdict) struct BoardChange {
    /// The main effect.
    pub(in crate::verdict) kind: ChangeKind,
    /// Number of pieces placed, moved, swapped, removed or replaced; for flips the number of cells.
    pub(in crate::verdict) pieces: usize,
    /// Number of pieces of other roles that a piece replaced where it arrived.
    pub(in crate::verdict) captured_landing: usize,
    /// Number of pieces of other roles that disappeared from other cells.
    pub(in crate::verdict) captured_elsewhere: usize,
    /// Number of other cells whose piece was replaced, and of those that passed from another role to the mover.
    pub(in crate::verdict) turned: usize,
    pub(in crate::verdict) turned_own: usize,
    /// Number of further pieces that appeared, or that disappeared and belong to no other role.
    pub(in crate::verdict) appeared: usize,
    pub(in crate::verdict) vanished: usize,
}

/// Classifies the changes of one board by a move. An empty cell has no object: `empty` is left out.
#[expect(clippy::too_many_lines, reason = "one case after the other, each of a few lines")]
pub(in crate::verdict) fn board_change(
    changes: &[CellChange],
    empty: Option<usize>,
    mover: Option<usize>,
    owners: &Owners,
) -> Option<BoardChange> {
    let filled = |object: Option<usize>| object.filter(|&object| Some(object) != empty);
    // Cells that lose an object, gain one, or exchange it.
    let (mut lost, mut gained, mut replaced) = (Vec::new(), Vec::new(), Vec::new());
    for change in changes {
        match (filled(change.old), filled(change.new)) {
            (Some(old), None) => lost.push(old),
            (None, Some(new)) => gained.push(new),
            (Some(old), Some(new)) => replaced.push((old, new)),
            (None, None) => {}
        }
    }
    if lost.is_empty() && gained.is_empty() && replaced.is_empty() {
        return None;
    }
    let is_other = |object: usize| owners.is_other(object, mover);
    let mut arrived_on = Vec::new();
    let mut moved = 0;
    // An object that a cell loses and another gains has moved.
    gained.retain(|&new| match lost.iter().position(|&old| old == new) {
        Some(place) => {
            lost.swap_remove(place);
            moved += 1;
            false
        }
        None => true,
    });
    replaced.retain(|&(old, new)| match lost.iter().position(|&other| other == new) {
        Some(place) => {
            lost.swap_remove(place);
            moved += 1;
            arrived_on.push(old);
            false
        }
        None => true,
    });
    // A piece that another one pushes moves as well.
    arrived_on.retain(|&old| match gained.iter().position(|&new| new == old) {
        Some(place) => {
            gained.swap_remove(place);
            moved += 1;
            false
        }
        None => true,
    });
    let mut change = BoardChange {
        kind: ChangeKind::Move,
        pieces: moved,
        captured_landing: arrived_on.iter().filter(|&&object| is_other(object)).count(),
        captured_elsewhere: 0,
        turned: 0,
        turned_own: 0,
        appeared: 0,
        vanished: arrived_on.iter().filter(|&&object| !is_other(object)).count(),
    };
    let swapped = replaced.len() == 2 && replaced[0] == (replaced[1].1, replaced[1].0);
    if moved == 0 && swapped && lost.is_empty() && gained.is_empty() {
        return Some(BoardChange { kind: ChangeKind::Swap, pieces: 2, ..change });
    }
    // The mover's piece disappears and another appears: it is promoted.
    let own = |object: &usize| !is_other(*object);
    if moved == 0 && lost.iter().filter(|&object| own(object)).count() == 1 {
        let place = lost.iter().position(&own).expect("it was counted");
        let (to_empty, to_filled) = (gained.len() == 1, gained.is_empty() && replaced.len() == 1);
        if to_empty || to_filled {
            lost.swap_remove(place);
            gained.clear();
            change.kind = ChangeKind::Promote;
            change.pieces = 1;
            if to_filled {
                let (old, _) = replaced.remove(0);
                change.captured_landing += usize::from(is_other(old));
            }
        }
    }
    if change.pieces == 0 {
        (change.kind, change.pieces) = match (gained.len(), replaced.len(), lost.len()) {
            (0, 0, lost) => (ChangeKind::Remove, lost),
            (0, replaced, _) => (ChangeKind::Flip, replaced),
            (gained, _, _) => (ChangeKind::Place, gained),
        };
    }
    change.captured_elsewhere += lost.iter().filter(|&&object| is_other(object)).count();
    match change.kind {
        ChangeKind::Place => {}
        _ => change.appeared = gained.len(),
    }
    if change.kind != ChangeKind::Remove {
        change.vanished += lost.iter().filter(|object| own(object)).count();
    }
    if change.kind != ChangeKind::Flip {
        change.turned = replaced.len();
    }
    let becomes_own = |&&(old, new): &&(usize, usize)| {
        mover.is_some()
            && owners.owner(new) == mover
            && owners.owner(old).is_some_and(|owner| Some(owner) != mover)
    };
    change.turned_own = replaced.iter().filter(becomes_own).count();
    Some(change)
}

impl BoardChange {
    /// How simple the change is, from 0 to 4. The object that marks empty cells is the one that makes changes simplest.
    pub(in crate::verdict) fn simplicity(&self) -> u64 {
        let whole = self.appeared == 0 && self.vanished == 0;
        match self.kind {
            ChangeKind::Place if self.pieces > 1 => 1,
            ChangeKind::Move | ChangeKind::Place if whole && self.turned == 0 => 4,
            ChangeKind::Move | ChangeKind::Place if whole => 3,
            ChangeKind::Move | ChangeKind::Place | ChangeKind::Promote => 2,
            ChangeKind::Remove | ChangeKind::Swap => 1,
            _ => 0,
        }
    }
}

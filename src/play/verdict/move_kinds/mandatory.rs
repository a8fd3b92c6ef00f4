//! Finds whether captures are mandatory: a player who can capture has no other move.

use crate::machine::MoveId;
use crate::simulate::WorkLimit;

use super::super::played_game::PlayedGame;
use super::change::board_change;
use super::empty_cells::EmptyObjects;
use super::owners::Owners;
use super::transition::{CellChange, Transition, TransitionReader};

/// The least number of states with a capture, and of states without one.
const MIN_STATES: usize = 100;

/// The most states of either kind in which all legal moves are tried.
const MAX_STATES: usize = 200;

/// The effects of moves in games, with what they mean.
pub(super) struct ObservedMoves<'m> {
    pub(super) games: &'m [PlayedGame],
    pub(super) transitions: &'m [Transition],
    pub(super) owners: &'m Owners,
    pub(super) empty: &'m EmptyObjects,
}

impl ObservedMoves<'_> {
    /// The number of states with a capture, if each legal move in them captures. None if a state has a capture and another
    /// move, if there are too few states with or without a capture, or at the limit. Moves of several roles at the same time
    /// are left out. A unit of work is a fact of a state.
    pub(super) fn mandatory_captures(
        &self,
        reader: &mut TransitionReader<'_>,
        limit: &WorkLimit<'_>,
    ) -> Option<u64> {
        let single = self.transitions.iter().filter_map(|transition| Some((transition, transition.mover()?)));
        let (with, without): (Vec<_>, Vec<_>) =
            single.partition(|(transition, role)| self.captures(&transition.cells, *role));
        if with.len().min(without.len()) < MIN_STATES {
            return None;
        }
        // States of all games, as rules may differ late in a game.
        let stride = |list: &[(&Transition, usize)]| list.len().div_ceil(MAX_STATES);
        // A state with both kinds of moves is found soon after captures that were played.
        let mut states = 0;
        for &(transition, role) in with.iter().step_by(stride(&with)) {
            states += 1;
            self.agree(transition, role, true, reader, limit)?.then_some(())?;
        }
        for &(transition, role) in without.iter().step_by(stride(&without)) {
            self.agree(transition, role, false, reader, limit)?.then_some(())?;
        }
        Some(states)
    }

    /// Whether all other legal moves of the role capture, or none does. None if a state can't be evaluated, or at the limit.
    fn agree(
        &self,
        transition: &Transition,
        role: usize,
        captures: bool,
        reader: &mut TransitionReader<'_>,
        limit: &WorkLimit<'_>,
    ) -> Option<bool> {
        let played = &self.games[transition.game];
        let (state, joint) = (&played.states[transition.step], &played.moves[transition.step]);
        let before = reader.fluents(state);
        let others: Vec<MoveId> =
            reader.legal(state, role).iter().copied().filter(|&other| other != joint[role]).collect();
        for other in others {
            let mut joint = joint.clone();
            joint[role] = other;
            let after = reader.after(state, &joint)?;
            limit.spend(after.len() as u64 + 1).ok()?;
            if self.captures(&reader.changed_cells(&before, &after), role) != captures {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Whether a piece of another role disappears from a board.
    fn captures(&self, cells: &[CellChange], role: usize) -> bool {
        let boards = cells.chunk_by(|one, other| one.board == other.board);
        boards
            .filter_map(|cells| board_change(cells, self.empty.among(cells), Some(role), self.owners))
            .any(|change| change.captured_landing + change.captured_elsewhere > 0)
    }
}

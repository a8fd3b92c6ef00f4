//! A path to an end, which is stored and followed move by move.

use crate::machine::{MoveId, State};

/// Moves from a state to a terminal one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    /// The states on the path, the last one terminal; one more than moves.
    pub(super) states: Vec<State>,
    pub(super) moves: Vec<MoveId>,
    /// The goal value of the end.
    pub(super) goal: i32,
    /// Whether no other path leads to a greater goal value.
    pub(super) best: bool,
}

impl Plan {
    /// The rest of the path from a state; none if the path doesn't contain it.
    pub(super) fn from(&self, state: &State) -> Option<Plan> {
        let index = self.states.iter().position(|on_the_way| on_the_way == state)?;
        Some(Plan {
            states: self.states[index..].to_vec(),
            moves: self.moves[index..].to_vec(),
            goal: self.goal,
            best: self.best,
        })
    }

    /// Whether it leads to a better end than `other`, or sooner to an equally good one.
    pub(super) fn improves(&self, other: Option<&Plan>) -> bool {
        other.is_none_or(|other| (self.goal, other.moves.len()) > (other.goal, self.moves.len()))
    }
}

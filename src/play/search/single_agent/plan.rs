//! A way to an end: kept, and followed move by move.

use crate::machine::{MoveId, State};

/// Moves from a state to a terminal one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    /// The states on the way, the last one terminal; one more than moves.
    pub(super) states: Vec<State>,
    pub(super) moves: Vec<MoveId>,
    /// What the end is worth.
    pub(super) goal: i32,
    /// Whether no other way is worth more.
    pub(super) best: bool,
}

impl Plan {
    /// The rest of the way from a state; none where the state is not on it.
    pub(super) fn from(&self, state: &State) -> Option<Plan> {
        let place = self.states.iter().position(|on_the_way| on_the_way == state)?;
        Some(Plan {
            states: self.states[place..].to_vec(),
            moves: self.moves[place..].to_vec(),
            goal: self.goal,
            best: self.best,
        })
    }

    /// Whether it leads to a better end than another one, or sooner to one as good.
    pub(super) fn improves(&self, other: Option<&Plan>) -> bool {
        other.is_none_or(|other| (self.goal, other.moves.len()) > (other.goal, self.moves.len()))
    }
}

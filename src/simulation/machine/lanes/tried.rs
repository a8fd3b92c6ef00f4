//! Children in lanes with one reply tried in each, as [`LaneFrontier`](super::frontier::LaneFrontier) makes them: the reply is
//! played in the lanes in which the children were made, so two plies take one pass and a half.

use super::valued_children::ValuedChildren;
use crate::machine::children::Children;

/// Children of one state or several, and one reply to each.
#[derive(Clone, Debug, Default)]
pub struct TriedChildren {
    /// The children of all states, one state's after the other's.
    pub children: Children,
    /// What the reply to each of them comes to; of no meaning where none was tried.
    pub replies: ValuedChildren,
    /// For each child which candidate was tried.
    pub tried: Vec<Option<u16>>,
    /// For each state the end of its children.
    pub(super) ends: Vec<usize>,
}

impl TriedChildren {
    /// The children of a state, by its place among the states that were expanded.
    pub fn of(&self, state: usize) -> std::ops::Range<usize> {
        let start = state.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[state]
    }

    pub(super) fn clear(&mut self, roles: usize, functions: usize) {
        self.children.clear(roles);
        self.replies.clear(roles, functions);
        self.tried.clear();
        self.ends.clear();
    }
}

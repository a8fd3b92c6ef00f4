//! Children in lanes, with one reply played in each by [`LaneFrontier`](super::frontier::LaneFrontier). The reply is played
//! in the lanes of the children, so two plies take one and a half passes.

use super::valued_children::ValuedChildren;
use crate::machine::children::Children;

/// Children of one or more states, with at most one reply to each.
#[derive(Clone, Debug, Default)]
pub struct ChildrenWithReplies {
    /// The children of all states, state after state.
    pub children: Children,
    /// The successors after the replies, one for each child; undefined if no reply was played.
    pub replies: ValuedChildren,
    /// For each child, the index of the candidate that was played.
    pub tried: Vec<Option<u16>>,
    /// For each state, the end of its children.
    pub(super) ends: Vec<usize>,
}

impl ChildrenWithReplies {
    /// The children of a state, by its index among the expanded states.
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

//! A state under search with its children.

use crate::machine::{Children, MoveId, State};

use super::context::SearchContext;

/// A state under search.
pub(super) struct Frame {
    pub(super) state: State,
    pub(super) key: u64,
    /// Whether allies, and whether others, have a choice.
    pub(super) choose: [bool; 2],
    /// Its number among the children of the state before, where the frontier looks at these together.
    pub(super) sibling: Option<u32>,
    pub(super) children: Children,
    pub(super) order: Vec<u32>,
    pub(super) groups: Vec<Group>,
}

/// Children among which the other side chooses: one, but where both sides have a choice.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub(super) rank: u32,
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Frame {
    /// With nothing in it; the state is a place for others.
    pub(super) fn empty(state: State) -> Frame {
        Frame {
            state,
            key: 0,
            choose: [false; 2],
            sibling: None,
            children: Children::default(),
            order: Vec::new(),
            groups: Vec::new(),
        }
    }
}

impl Frame {
    /// At which place a child is looked at that no others stand in a group with.
    pub(super) fn number(&self, child: usize) -> usize {
        let here = |group: &Group| self.order[group.start as usize] as usize == child;
        self.groups.iter().position(here).unwrap_or(0)
    }
}

/// The moves of a side in a joint move.
pub(super) fn own<'a>(
    joint: &'a [MoveId],
    allies: &'a [bool],
    side: usize,
) -> impl Iterator<Item = MoveId> + 'a {
    joint.iter().zip(allies).filter(move |(_, ally)| **ally == (side == 0)).map(|(&action, _)| action)
}

/// Whether allies, and whether others, have a choice in a child.
pub(super) fn choosers(context: &SearchContext<'_>, children: &Children, child: usize) -> [bool; 2] {
    let mut choose = [false; 2];
    for (role, &ally) in context.allies.iter().enumerate() {
        choose[usize::from(!ally)] |= children.chooses(child, role);
    }
    choose
}

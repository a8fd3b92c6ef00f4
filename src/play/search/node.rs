//! A state under search with its children.

use crate::machine::{Children, MoveId, State};

use super::context::SearchContext;
use super::transpositions::Visit;

/// Both sides have a choice.
pub(super) const BOTH: [bool; 2] = [true, true];

/// A state under search.
pub(super) struct Node {
    pub(super) state: State,
    pub(super) visit: Visit,
    /// Whether allies have a choice, and whether opponents have one.
    pub(super) choose: [bool; 2],
    pub(super) children: Children,
    /// The children by number, group after group.
    pub(super) order: Vec<u32>,
    /// The groups in the order in which they are searched.
    pub(super) groups: Vec<Group>,
}

/// Children among which the other side chooses: a single child unless both sides have a choice.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub(super) rank: u32,
    /// The range of its children in the node's order.
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Node {
    /// An empty node, which uses the storage of `state`.
    pub(super) fn empty(state: State) -> Node {
        Node {
            state,
            visit: Visit { key: 0, ply: 0, depth: 0 },
            choose: [false; 2],
            children: Children::default(),
            order: Vec::new(),
            groups: Vec::new(),
        }
    }

    /// The first child of a group.
    #[inline]
    pub(super) fn first_of(&self, group: Group) -> usize {
        self.order[group.start as usize] as usize
    }

    /// The number of groups that are searched before the one that begins with a child.
    pub(super) fn place_of(&self, child: usize) -> usize {
        self.groups.iter().position(|&group| self.first_of(group) == child).unwrap_or(0)
    }
}

/// The moves of a side in a joint move: 0 is the role's side.
#[inline]
pub(super) fn moves_of_side<'a>(
    joint: &'a [MoveId],
    allies: &'a [bool],
    side: usize,
) -> impl Iterator<Item = MoveId> + 'a {
    joint.iter().zip(allies).filter(move |(_, ally)| **ally == (side == 0)).map(|(&action, _)| action)
}

/// Whether allies have a choice in a child, and whether opponents have one.
#[inline]
pub(super) fn choosers(context: &SearchContext<'_>, children: &Children, child: usize) -> [bool; 2] {
    let mut choose = [false; 2];
    for (role, &ally) in context.allies.iter().enumerate() {
        choose[usize::from(!ally)] |= children.chooses(child, role);
    }
    choose
}

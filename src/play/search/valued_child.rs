//! A leaf that was evaluated together with others.

use crate::machine::lanes::frontier::ValuedChildren;
use crate::machine::{Children, MoveId};

use super::knowledge::SearchKnowledge;
use super::leaf::Leaf;

/// A leaf with its value.
pub(super) struct ValuedChild<'f> {
    pub(super) joint: &'f [MoveId],
    pub(super) terminal: bool,
    children: &'f Children,
    child: usize,
    value: f64,
}

impl<'f> ValuedChild<'f> {
    /// The child of a list with this number.
    #[inline]
    pub(super) fn of(valued: &'f ValuedChildren, child: usize) -> ValuedChild<'f> {
        ValuedChild::by(valued.children.joint(child), valued, child)
    }

    /// The child of a list without joint moves, with the joint move that leads to it.
    #[inline]
    pub(super) fn by(joint: &'f [MoveId], valued: &'f ValuedChildren, child: usize) -> ValuedChild<'f> {
        let children = &valued.children;
        let (terminal, value) = (children.terminal(child), valued.values[0][child]);
        ValuedChild { joint, terminal, children, child, value }
    }

    /// Its score for the role at a ply.
    #[inline]
    pub(super) fn score(&self, knowledge: &SearchKnowledge<'_>, leaf: &Leaf<'_>, ply: usize) -> i32 {
        match self.terminal {
            true => knowledge.end_score(self.children.goals(self.child, knowledge.context.role), ply),
            false => knowledge.scale.estimated(leaf.share(self.value)),
        }
    }
}

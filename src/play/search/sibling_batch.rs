//! The children of several siblings, computed in one pass of lanes.

use std::ops::Range;

use crate::machine::lanes::children_with_replies::ChildrenWithReplies;
use crate::machine::lanes::frontier::LaneFrontier;
use crate::machine::{Children, ExpansionLimits, MachineError, State};

use super::candidates::Candidates;
use super::valued_child::ValuedChild;

/// The children of several siblings; in each, the first legal candidate is tried.
#[derive(Default)]
pub(super) struct SiblingBatch {
    /// The siblings, by number among the children of their parent.
    siblings: Vec<u32>,
    /// The candidates, which are the same for all siblings.
    pub(super) candidates: Candidates,
    results: ChildrenWithReplies,
}

impl SiblingBatch {
    /// Clears the batch for another parent.
    pub(super) fn clear(&mut self) {
        self.siblings.clear();
        self.candidates.clear();
    }

    /// The position of a sibling in the batch, if its children were computed.
    #[inline]
    pub(super) fn place(&self, sibling: u32) -> Option<usize> {
        self.siblings.iter().position(|&other| other == sibling)
    }

    /// All children.
    pub(super) fn children(&self) -> &Children {
        &self.results.children
    }

    /// The children of the sibling at a position.
    pub(super) fn of(&self, index: usize) -> Range<usize> {
        self.results.of(index)
    }

    /// The siblings, each with its children.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, Range<usize>)> {
        self.siblings.iter().enumerate().map(|(index, &sibling)| (sibling, self.of(index)))
    }

    /// The reply tried in a child, by its number among all.
    #[inline]
    pub(super) fn reply(&self, child: usize) -> Option<ValuedChild<'_>> {
        let tried = usize::from((*self.results.tried.get(child)?)?);
        let joint = self.candidates.joints().nth(tried)?;
        Some(ValuedChild::by(joint, &self.results.replies, child))
    }

    /// Computes the children of at most `most` siblings; returns the number of children.
    ///
    /// # Errors
    /// The errors of [`LaneFrontier::expand_tried`].
    pub(super) fn expand(
        &mut self,
        limits: ExpansionLimits<'_>,
        (lanes, most): (&mut LaneFrontier<'_>, usize),
        siblings: impl Iterator<Item = u32>,
        parent: &Children,
    ) -> Result<usize, MachineError> {
        self.siblings.clear();
        self.siblings.extend(siblings.take(most));
        let states = states_of(&self.siblings, parent);
        let done = lanes.expand_tried(limits, &states, most, &self.candidates.moves, &mut self.results);
        self.siblings.truncate(*done.as_ref().unwrap_or(&0));
        done.map(|_| self.results.children.len())
    }

    /// Computes the children of one state, which are removed from the batch.
    ///
    /// # Errors
    /// The errors of [`LaneFrontier::expand_tried`].
    pub(super) fn expand_one(
        &mut self,
        limits: ExpansionLimits<'_>,
        lanes: &mut LaneFrontier<'_>,
        state: &State,
        children: &mut Children,
    ) -> Result<(), MachineError> {
        lanes.expand_tried(limits, &[&state.0], lanes.room(), &self.candidates.moves, &mut self.results)?;
        std::mem::swap(children, &mut self.results.children);
        Ok(())
    }

    /// Tries a candidate in the siblings themselves; returns the number of siblings tried.
    pub(super) fn try_in(
        &mut self,
        lanes: &mut LaneFrontier<'_>,
        siblings: impl Iterator<Item = u32>,
        parent: &Children,
    ) -> usize {
        self.siblings.clear();
        self.siblings.extend(siblings.take(lanes.room()));
        lanes.try_each(&states_of(&self.siblings, parent), &self.candidates.moves, &mut self.results);
        self.siblings.len()
    }
}

/// The states of some children, given by number.
pub(super) fn states_of<'c>(numbers: &[u32], all: &'c Children) -> Vec<&'c [u64]> {
    numbers.iter().map(|&number| all.state(number as usize)).collect()
}

//! Tries one reply in every child of a state two plies before the horizon, before other replies are computed.
//! The reply has refuted other states. In most cases it also refutes the child, and other replies are never
//! computed.

use crate::machine::lanes::frontier::{LaneFrontier, ValuedChildren};
use crate::machine::{ChildFields, Children, ExpansionLimits, JointMoves, MachineError, MoveId, State};

use super::candidates::{Candidates, RecentRefutations};
use super::leaf::copy;
use super::scalar_source::ScalarSource;
use super::sibling_batch::SiblingBatch;
use super::valued_child::ValuedChild;

/// If a state has at most this number of children, all replies are computed in one pass of lanes.
const MAX_CHILDREN_IN_PASS: usize = 22;

/// After this many children without a refutation, in a state with more than [`MAX_CHILDREN_IN_PASS`] children, a
/// second reply is tried.
const FAILURES_BEFORE_SECOND: u32 = 2;

/// Which of two replies is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Attempt {
    /// The reply tried in all children.
    First,
    /// The reply tried in the remaining children of a large state, since the first children may have suggested a better
    /// one.
    Second,
}

/// Replies tried in the children of one state.
#[derive(Default)]
pub(super) struct RefutationProbe {
    /// The first attempts, unless they were computed in a batch with those of the state's siblings.
    alone: SiblingBatch,
    /// The index of the state's first child in the batch in which replies were tried; none before they are tried.
    first: Option<usize>,
    in_batch: bool,
    /// The second attempts.
    second: SiblingBatch,
    /// The number of children that the first reply did not refute; counted only in states with more than
    /// [`MAX_CHILDREN_IN_PASS`] children.
    unrefuted: u32,
    stepped: ValuedChildren,
    legal: Children,
    state: Option<State>,
}

impl RefutationProbe {
    /// Resets the probe for another state.
    pub(super) fn begin(&mut self) {
        (self.first, self.in_batch, self.unrefuted) = (None, false, 0);
        self.second.clear();
    }

    /// Sets the position of the state's children in a batch.
    pub(super) fn set_batch_position(&mut self, first: usize) {
        (self.first, self.in_batch) = (Some(first), true);
    }

    /// The index of a child in the batch; none if the state does not belong to a batch.
    pub(super) fn number_in_batch(&self, child: u32) -> Option<u32> {
        self.first.filter(|_| self.in_batch).map(|first| first as u32 + child)
    }

    /// The replies for the state's children if the state does not belong to a batch.
    pub(super) fn candidates(&mut self) -> &mut Candidates {
        &mut self.alone.candidates
    }

    /// Computes the children of this state alone, not those of its siblings, and tries a reply in each child.
    ///
    /// # Errors
    /// The errors of [`LaneFrontier::expand_tried`].
    pub(super) fn expand(
        &mut self,
        limits: ExpansionLimits<'_>,
        lanes: &mut LaneFrontier<'_>,
        state: &State,
        children: &mut Children,
    ) -> Result<(), MachineError> {
        self.alone.expand_one(limits, lanes, state, children)?;
        self.first = Some(0);
        Ok(())
    }

    /// Records that the first reply did not refute a child of a state that has this number of children. Returns whether
    /// to try a second reply in the remaining children.
    pub(super) fn note_unrefuted(&mut self, children: usize) -> bool {
        self.unrefuted += u32::from(children > MAX_CHILDREN_IN_PASS);
        self.unrefuted == FAILURES_BEFORE_SECOND
    }

    /// Chooses second replies and, with lanes, tries them in the remaining children. Returns their number.
    pub(super) fn try_second(
        &mut self,
        lanes: Option<&mut LaneFrontier<'_>>,
        (killers, recent): (&[Vec<MoveId>], &RecentRefutations),
        left: &[u32],
        children: &Children,
    ) -> usize {
        self.second.clear();
        self.second.candidates.choose(killers, recent);
        lanes.map_or(0, |lanes| self.second.try_in(lanes, left.iter().copied(), children))
    }

    /// The reply that a pass of lanes tried in a child, if any. `batch` has the children of the state's
    /// siblings.
    #[inline]
    pub(super) fn lane_reply<'a>(
        &'a self,
        attempt: Attempt,
        child: u32,
        batch: Option<&'a SiblingBatch>,
    ) -> Option<ValuedChild<'a>> {
        match attempt {
            Attempt::First => {
                let tried = if self.in_batch { batch? } else { &self.alone };
                tried.reply(self.first? + child as usize)
            }
            Attempt::Second => self.second.reply(self.second.place(child)?),
        }
    }

    /// The reply tried in a child. It is computed here if lanes did not compute it.
    ///
    /// # Errors
    /// A state can't be evaluated.
    pub(super) fn reply<'a>(
        &'a mut self,
        attempt: Attempt,
        (child, words): (u32, &[u64]),
        batch: Option<&'a SiblingBatch>,
        scalar: &mut ScalarSource<'_>,
    ) -> Result<Option<ValuedChild<'a>>, MachineError> {
        let (was_tried, chosen) = match attempt {
            Attempt::First => (self.first.is_some(), &self.alone),
            Attempt::Second if self.unrefuted < FAILURES_BEFORE_SECOND => return Ok(None),
            Attempt::Second => (self.second.place(child).is_some(), &self.second),
        };
        if was_tried {
            return Ok(self.lane_reply(attempt, child, batch));
        }
        let state = self.state.get_or_insert_with(|| State(Box::default()));
        copy(words, state);
        let fields = ChildFields { states: false, goals: false, ends: false, legal: true, choices: false };
        scalar.expander.evaluate(&[state], fields, &mut self.legal)?;
        let is_legal = |joint: &&[MoveId]| {
            let mut moves = joint.iter().enumerate();
            moves.all(|(role, action)| self.legal.legal(0, role).contains(action))
        };
        let Some(joint) = chosen.candidates.joints().find(is_legal) else {
            return Ok(None);
        };
        let stepped = &mut self.stepped;
        let fields = ChildFields::PLIES;
        scalar.expander.expand(state, JointMoves::Given(joint), fields, &mut stepped.children)?;
        stepped.one_state(|words| scalar.leaves[0].value(words))?;
        Ok(Some(ValuedChild::of(&self.stepped, 0)))
    }
}

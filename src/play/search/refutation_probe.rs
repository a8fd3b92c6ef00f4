//! Refutations of the children of a state two plies before the horizon. A reply that refuted other states is tried in
//! each child. In most cases it refutes the child, and other replies are never computed.

use crate::machine::lanes::frontier::{LaneFrontier, ValuedChildren};
use crate::machine::{ChildFields, Children, JointMoves, MachineError, MoveId, State, Until};

use super::candidates::{Candidates, RecentRefutations};
use super::leaf::copy;
use super::scalar_source::ScalarSource;
use super::sibling_batch::SiblingBatch;
use super::valued_child::ValuedChild;

/// If a state has more children, not all replies to all of them fit into one pass of lanes.
const FEW: usize = 22;

/// After this many children without a refutation, in a state with more than [`FEW`] children, a second reply is tried.
const UNREFUTED: u32 = 2;

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
    /// The number of the state's first child in the batch in which replies were tried; none if there is no such batch.
    first: Option<usize>,
    in_batch: bool,
    /// The second attempts.
    second: SiblingBatch,
    /// Number of children without a refutation, if there are many children.
    unrefuted: u32,
    stepped: ValuedChildren,
    legal: Children,
    state: Option<State>,
}

impl RefutationProbe {
    /// Begins with another state.
    pub(super) fn begin(&mut self) {
        (self.first, self.in_batch, self.unrefuted) = (None, false, 0);
        self.second.clear();
    }

    /// Sets the position of the state's children in a batch.
    pub(super) fn join(&mut self, first: usize) {
        (self.first, self.in_batch) = (Some(first), true);
    }

    /// The number of a child in the batch, if the state belongs to one.
    pub(super) fn number_in_batch(&self, child: u32) -> Option<u32> {
        self.first.filter(|_| self.in_batch).map(|first| first as u32 + child)
    }

    /// The replies for the state's children if the state belongs to no batch.
    pub(super) fn candidates(&mut self) -> &mut Candidates {
        &mut self.alone.candidates
    }

    /// Computes the state's children without its siblings', and tries a reply in each.
    ///
    /// # Errors
    /// The errors of [`LaneFrontier::expand_tried`].
    pub(super) fn expand(
        &mut self,
        until: Until<'_>,
        lanes: &mut LaneFrontier<'_>,
        state: &State,
        children: &mut Children,
    ) -> Result<(), MachineError> {
        self.alone.expand_one(until, lanes, state, children)?;
        self.first = Some(0);
        Ok(())
    }

    /// Records that the first reply failed in one of `children` children. Returns whether to try a second one.
    pub(super) fn note_unrefuted(&mut self, children: usize) -> bool {
        self.unrefuted += u32::from(children > FEW);
        self.unrefuted == UNREFUTED
    }

    /// Chooses second replies and, with lanes, tries them in the remaining children. Returns their number.
    pub(super) fn try_again(
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

    /// The reply tried in a child in lanes, if any. `batch` has the children of the state's siblings.
    #[inline]
    pub(super) fn tried<'a>(
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

    /// The reply tried in a child; computed now if lanes did not.
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
        let (was_tried, untried) = match attempt {
            Attempt::First => (self.first.is_some(), &self.alone),
            Attempt::Second if self.unrefuted < UNREFUTED => return Ok(None),
            Attempt::Second => (self.second.place(child).is_some(), &self.second),
        };
        if was_tried {
            return Ok(self.tried(attempt, child, batch));
        }
        let state = self.state.get_or_insert_with(|| State(Box::default()));
        copy(words, state);
        let fields = ChildFields { states: false, goals: false, ends: false, legal: true, choices: false };
        scalar.expander.evaluate(&[state], fields, &mut self.legal)?;
        let is_legal = |joint: &&[MoveId]| {
            let mut moves = joint.iter().enumerate();
            moves.all(|(role, action)| self.legal.legal(0, role).contains(action))
        };
        let Some(joint) = untried.candidates.joints().find(is_legal) else {
            return Ok(None);
        };
        let stepped = &mut self.stepped;
        let fields = ChildFields::PLIES;
        scalar.expander.expand(state, JointMoves::Given(joint), fields, &mut stepped.children)?;
        stepped.one_state(|words| scalar.leaves[0].value(words))?;
        Ok(Some(ValuedChild::of(&self.stepped, 0)))
    }
}

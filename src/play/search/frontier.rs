//! The last plies of a search to a depth: children that nobody goes on from, valued many at once.
//!
//! # How
//! Where lanes can tell what the function makes of a state, all children of a state one ply before the depth are valued in
//! one pass. The best of them is the answer, or the cut-off, so no order is needed and no child's state is read. A pass
//! takes much the same time for a few children as for 512, so as much as possible is done in each.
//!
//! - Where the children of a state two plies before the depth are made, one reply to each is tried in the same lanes, one
//!   that cut off elsewhere ([`trials`](super::trials)): most often it does so here, and other replies are never made.
//! - Where the first of several siblings has not cut off, those that come after it will all be looked at: all replies to
//!   them are made together.
//! - So it is one ply earlier: there the children of all siblings are made together, with the replies tried, and all
//!   replies to that child of each which is likely to be looked at first.
//!
//! Before the lanes are compiled a state's children are stepped to and valued one by one; that changes no value and no
//! count, as weights are rounded alike and the same replies are tried.

use std::ops::Range;

use crate::machine::lanes::frontier::{LaneFrontier, ValuedChildren};
use crate::machine::lanes::value::LaneValue;
use crate::machine::{ChildFields, Children, Expander, JointMoves, Machine, MachineError, State, Until};

use super::leaf::Leaf;
use super::trials::Trials;

/// Children one ply before the depth, valued.
pub(super) struct Frontier<'m> {
    function: Option<LaneValue>,
    lanes: Option<LaneFrontier<'m>>,
    pub(super) trials: Trials,
    /// The children of one state.
    single: ValuedChildren,
    /// The children of several siblings, and which siblings these are, by number.
    batch: ValuedChildren,
    siblings: Vec<u32>,
    /// The children of some children of cousins, and which these are, by their places among all of them.
    early: ValuedChildren,
    early_of: Vec<u32>,
}

impl<'m> Frontier<'m> {
    /// A frontier for a leaf's function; it values nothing where lanes can't tell the function.
    pub(super) fn new(function: Option<LaneValue>, machine: &'m dyn Machine) -> Frontier<'m> {
        let mut frontier = Frontier {
            function,
            lanes: None,
            trials: Trials::default(),
            single: ValuedChildren::default(),
            batch: ValuedChildren::default(),
            siblings: Vec::new(),
            early: ValuedChildren::default(),
            early_of: Vec::new(),
        };
        // Not in the time of a move, if that can be.
        frontier.lanes(machine);
        frontier
    }

    /// Whether children are valued here.
    pub(super) fn is_open(&self) -> bool {
        self.function.is_some()
    }

    /// The lanes with what is tried in them, as soon as somebody else had them compiled.
    pub(super) fn lanes(&mut self, machine: &'m dyn Machine) -> (Option<&mut LaneFrontier<'m>>, &mut Trials) {
        if self.lanes.is_none()
            && let Some(function) = &self.function
            && let Some(program) = machine.lanes_for_moves()
        {
            // Whoever interrupts it wants no children in lanes either.
            self.lanes = LaneFrontier::new(program, vec![function.clone()]).ok();
        }
        (self.lanes.as_mut(), &mut self.trials)
    }

    /// Begins with another state two plies before the depth: no siblings are known.
    pub(super) fn forget(&mut self) {
        self.siblings.clear();
        self.trials.forget();
    }

    /// Begins with another state three plies before the depth: no cousins are known.
    pub(super) fn forget_cousins(&mut self) {
        self.early_of.clear();
        self.trials.forget_cousins();
    }

    /// Values the children of several siblings, given by number among `all`, as many as go into a pass; gives how many
    /// children were made. Nothing happens before the lanes are compiled.
    pub(super) fn prepare(
        &mut self,
        until: Until<'_>,
        machine: &'m dyn Machine,
        (numbers, all): (&[u32], &Children),
    ) -> Result<usize, MachineError> {
        self.lanes(machine);
        let Frontier { lanes: Some(lanes), batch, siblings, .. } = self else { return Ok(0) };
        siblings.clear();
        let numbers = &numbers[..numbers.len().min(lanes.room())];
        let done = lanes.expand_each(until, &states_of(numbers, all), lanes.room(), batch)?;
        siblings.extend_from_slice(&numbers[..done]);
        Ok(batch.children.len())
    }

    /// Values the children of children of cousins, given by their places among all of these.
    pub(super) fn prepare_early(
        &mut self,
        until: Until<'_>,
        places: Vec<u32>,
    ) -> Result<usize, MachineError> {
        self.early_of.clear();
        let Frontier { lanes: Some(lanes), trials, early, .. } = self else { return Ok(0) };
        if places.is_empty() {
            return Ok(0);
        }
        let done = lanes.expand_each(until, &states_of(&places, trials.cousins()), lanes.room(), early)?;
        self.early_of = places;
        self.early_of.truncate(done);
        Ok(self.early.children.len())
    }

    /// Where a sibling's children stand, if they were prepared.
    fn prepared(&self, sibling: u32) -> Option<(&ValuedChildren, Range<usize>)> {
        let place = |all: &[u32], wanted| all.iter().position(|&other| other == wanted);
        if let Some(place) = place(&self.siblings, sibling) {
            return Some((&self.batch, self.batch.of(place)));
        }
        let place = place(&self.early_of, self.trials.among_cousins(sibling)?)?;
        Some((&self.early, self.early.of(place)))
    }

    /// Whether a sibling's children were prepared.
    pub(super) fn is_prepared(&self, sibling: u32) -> bool {
        self.prepared(sibling).is_some()
    }

    /// The valued children of a state: those prepared for it as a sibling, or else made now; which of them, and how many
    /// were made.
    pub(super) fn children(
        &mut self,
        until: Until<'_>,
        machine: &'m dyn Machine,
        sibling: Option<u32>,
        state: &State,
        expander: &mut dyn Expander,
        leaf: &mut Leaf<'m>,
    ) -> Result<(&ValuedChildren, Range<usize>, usize), MachineError> {
        if let Some(sibling) = sibling.filter(|&sibling| self.is_prepared(sibling)) {
            let (valued, range) = self.prepared(sibling).expect("it is");
            return Ok((valued, range, 0));
        }
        self.lanes(machine);
        let single = &mut self.single;
        match &mut self.lanes {
            Some(lanes) => lanes.expand(until, state, single)?,
            None => {
                let children = &mut single.children;
                expander.expand_until(until, state, JointMoves::All, ChildFields::PLIES, children)?;
                single.one_state(|words| leaf.value(words))?;
            }
        }
        let made = single.children.len();
        Ok((single, 0..made, made))
    }
}

/// The states of some children, given by number.
pub(super) fn states_of<'c>(numbers: &[u32], all: &'c Children) -> Vec<&'c [u64]> {
    numbers.iter().map(|&number| all.state(number as usize)).collect()
}

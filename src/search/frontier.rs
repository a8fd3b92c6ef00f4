//! The last ply of a search to a depth: children that nobody goes on from, valued all at once.
//!
//! # How
//! Where lanes can tell what the function makes of a state, all children of a state one ply before the depth are valued in
//! one pass. The best of them is the answer, or the cut-off, so no order is needed and no child's state is read. A pass
//! takes much the same time for a few children as for 512, so siblings are looked at together as soon as the first of them
//! has not cut off. First one reply to each is tried, one that cut off elsewhere: most often it does so here, and the other
//! replies are never made. Then all replies to those siblings that are left.
//!
//! Before the lanes are compiled a state's children are stepped to and valued one by one; that changes no value and no
//! count, as weights are rounded alike and the same replies are tried.

use crate::machine::lanes::frontier::{LaneFrontier, ValuedChildren};
use crate::machine::lanes::value::LaneValue;
use crate::machine::lanes::word::LANES;
use crate::machine::{
    ChildFields, Children, Expander, JointMoves, Machine, MachineError, MoveId, State, Until,
};

use super::leaf::Leaf;

/// Replies that cut off lately and are tried, besides killers.
const REPLIES: usize = 6;

/// A child one ply before the depth, valued.
pub(super) struct Reply<'f> {
    pub(super) joint: &'f [MoveId],
    pub(super) terminal: bool,
    children: &'f Children,
    child: usize,
    pub(super) value: f64,
}

impl<'f> Reply<'f> {
    pub(super) fn of(valued: &'f ValuedChildren, child: usize) -> Reply<'f> {
        let children = &valued.children;
        let (joint, terminal) = (children.joint(child), children.terminal(child));
        Reply { joint, terminal, children, child, value: valued.values[0][child] }
    }

    /// The goal values of a role, where it is terminal.
    pub(super) fn goals(&self, role: usize) -> &'f [i32] {
        self.children.goals(self.child, role)
    }
}

/// Children one ply before the depth, valued.
#[derive(Default)]
pub(super) struct Frontier<'m> {
    function: Option<LaneValue>,
    lanes: Option<LaneFrontier<'m>>,
    /// The children of one state.
    single: ValuedChildren,
    /// The children of several siblings, and which siblings these are, by number.
    batch: ValuedChildren,
    siblings: Vec<u32>,
    /// Joint moves that cut off lately, the last one first.
    replies: Vec<Vec<MoveId>>,
    /// What is tried in all siblings of a state, as soon as that is known; in which it was, and what it came to.
    candidates: Option<Vec<Vec<MoveId>>>,
    tried: Vec<u32>,
    chosen: Vec<Option<usize>>,
    trial: ValuedChildren,
    legal: Children,
}

impl<'m> Frontier<'m> {
    /// A frontier for a leaf's function; it values nothing where lanes can't tell the function.
    pub(super) fn new(function: Option<LaneValue>) -> Frontier<'m> {
        Frontier { function, ..Frontier::default() }
    }

    /// Whether children are valued here.
    pub(super) fn is_open(&self) -> bool {
        self.function.is_some()
    }

    /// The lanes, as soon as somebody else had them compiled.
    fn ready(&mut self, machine: &'m dyn Machine) -> bool {
        if self.lanes.is_none()
            && let Some(function) = &self.function
            && let Some(program) = machine.lanes_for_moves()
        {
            // Whoever interrupts it wants no children in lanes either.
            self.lanes = LaneFrontier::new(program, vec![function.clone()]).ok();
        }
        self.lanes.is_some()
    }

    /// Begins with the children of another state: no siblings are known.
    pub(super) fn forget(&mut self) {
        self.siblings.clear();
        self.candidates = None;
        self.tried.clear();
    }

    /// Notes a joint move that cut off.
    pub(super) fn note(&mut self, joint: &[MoveId]) {
        match self.replies.iter().position(|reply| reply == joint) {
            Some(place) => self.replies[..=place].rotate_right(1),
            None => {
                if self.replies.len() >= REPLIES {
                    self.replies.pop();
                }
                self.replies.insert(0, joint.to_vec());
            }
        }
    }

    /// Whether replies are tried in the siblings of the state.
    pub(super) fn tries(&self) -> bool {
        self.candidates.is_some()
    }

    /// Tries replies in siblings: `killers` before those that cut off lately.
    pub(super) fn begin_trial<'s>(
        &mut self,
        machine: &'m dyn Machine,
        killers: &[Vec<MoveId>],
        siblings: impl Iterator<Item = (u32, &'s [u64])>,
    ) {
        let mut candidates = self.candidates.take().unwrap_or_default();
        candidates.clear();
        let all = killers.iter().chain(&self.replies).filter(|reply| !reply.is_empty());
        all.for_each(|reply| candidates.push(reply.clone()));
        if !candidates.is_empty()
            && self.ready(machine)
            && let Some(lanes) = &mut self.lanes
        {
            let (numbers, states): (Vec<u32>, Vec<&[u64]>) = siblings.take(LANES).unzip();
            lanes.try_one(&states, &candidates, &mut self.chosen, &mut self.trial);
            self.tried = numbers;
        }
        self.candidates = Some(candidates);
    }

    /// The reply tried in a sibling in lanes, if one was.
    pub(super) fn tried(&self, sibling: u32) -> Option<Reply<'_>> {
        let place = self.tried.iter().position(|&other| other == sibling)?;
        self.chosen[place].map(|_| Reply::of(&self.trial, place))
    }

    /// The reply tried in a sibling, now if it has not been.
    pub(super) fn reply(
        &mut self,
        sibling: u32,
        state: &State,
        expander: &mut dyn Expander,
        leaf: &mut Leaf<'m>,
    ) -> Result<Option<Reply<'_>>, MachineError> {
        let Some(candidates) = self.candidates.as_ref().filter(|all| !all.is_empty()) else {
            return Ok(None);
        };
        if self.tried.contains(&sibling) {
            return Ok(self.tried(sibling));
        }
        let fields = ChildFields { states: false, goals: false, ends: false, legal: true, choices: false };
        expander.evaluate(&[state], fields, &mut self.legal)?;
        let legal = |joint: &&Vec<MoveId>| {
            let mut moves = joint.iter().enumerate();
            moves.all(|(role, action)| self.legal.legal(0, role).contains(action))
        };
        let Some(joint) = candidates.iter().find(legal) else { return Ok(None) };
        let single = &mut self.single;
        expander.expand(state, JointMoves::These(joint), ChildFields::PLIES, &mut single.children)?;
        single.one_state(|words| leaf.value(words))?;
        Ok(Some(Reply::of(single, 0)))
    }

    /// Values the children of several siblings, given by number, as many as go into a pass; gives how many children were
    /// made. Nothing happens before the lanes are compiled.
    pub(super) fn prepare<'s>(
        &mut self,
        machine: &'m dyn Machine,
        siblings: impl Iterator<Item = (u32, &'s [u64])>,
    ) -> Result<usize, MachineError> {
        if !self.ready(machine) {
            return Ok(0);
        }
        let (numbers, states): (Vec<u32>, Vec<&[u64]>) = siblings.take(LANES).unzip();
        let Frontier { lanes: Some(lanes), batch, .. } = self else { return Ok(0) };
        let done = lanes.expand_each(&states, LANES, batch)?;
        self.siblings.clear();
        self.siblings.extend_from_slice(&numbers[..done]);
        Ok(self.batch.children.len())
    }

    /// Where a sibling's children stand, if they were prepared.
    pub(super) fn prepared(&self, sibling: u32) -> Option<usize> {
        self.siblings.iter().position(|&other| other == sibling)
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
    ) -> Result<(&ValuedChildren, std::ops::Range<usize>, usize), MachineError> {
        if let Some(place) = sibling.and_then(|sibling| self.prepared(sibling)) {
            return Ok((&self.batch, self.batch.of(place), 0));
        }
        self.ready(machine);
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

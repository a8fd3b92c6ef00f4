//! Replies that are tried where the children of a state two plies before the depth are made, in the same lanes.

use crate::machine::lanes::frontier::ValuedChildren;
use crate::machine::{
    ChildFields, Children, Expander, JointMoves, Machine, MachineError, MoveId, State, Until,
};

use super::frontier::{Frontier, states_of};
use super::leaf::{Leaf, copy};
use super::replies::{Recent, Reply, Trial};

/// Children of a state up to which all replies to all of them go into one pass.
const FEW: usize = 22;

/// What is tried, and what it came to.
#[derive(Default)]
pub(super) struct Trials {
    pub(super) recent: Recent,
    /// In the children of a state two plies before the depth when they were made.
    own: Trial,
    /// In those of several siblings together, by number, where there are candidates for these.
    cousins: Trial,
    numbers: Vec<u32>,
    family: bool,
    /// Whether the state is a cousin, and where the first of its children stands in the trial.
    is_cousin: bool,
    base: Option<usize>,
    /// In siblings that are left after the first of very many, by number, if that was done.
    late: Trial,
    late_in: Vec<u32>,
    /// Children that no reply cut off so far, where there are very many.
    left: u32,
    stepped: ValuedChildren,
    legal: Children,
    state: Option<State>,
}

/// Which of two replies is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// That for all children.
    First,
    /// That for those left of very many.
    Second,
}

impl Trials {
    pub(super) fn forget(&mut self) {
        self.base = None;
        self.is_cousin = false;
        self.left = 0;
        self.late_in.clear();
    }

    pub(super) fn forget_cousins(&mut self) {
        self.family = false;
        self.numbers.clear();
    }

    /// Whether children of a state three plies before the depth are looked at together.
    pub(super) fn has_cousins(&self) -> bool {
        self.family
    }

    /// The place of a state two plies before the depth among those expanded together.
    pub(super) fn cousin(&self, number: u32) -> Option<usize> {
        self.numbers.iter().position(|&other| other == number)
    }

    /// The children of all cousins.
    pub(super) fn cousins(&self) -> &Children {
        &self.cousins.results.children
    }

    /// The cousins' numbers, each with its children's places.
    pub(super) fn of_cousins(&self) -> impl Iterator<Item = (u32, std::ops::Range<usize>)> {
        self.numbers.iter().enumerate().map(|(place, &number)| (number, self.cousins.results.of(place)))
    }

    /// What was tried in a child of a cousin, by its place among all of these.
    pub(super) fn of_cousin(&self, place: usize) -> Option<Reply<'_>> {
        self.cousins.reply(place)
    }

    /// The place of a child among those of all cousins.
    pub(super) fn among_cousins(&self, child: u32) -> Option<u32> {
        self.base.filter(|_| self.is_cousin).map(|base| base as u32 + child)
    }

    /// Notes that the first reply did not cut off one of so many children.
    pub(super) fn note_left(&mut self, children: usize) {
        self.left += u32::from(children > FEW);
    }

    /// Whether it is time to try a second one.
    pub(super) fn tries_again(&self) -> bool {
        self.left == 2
    }

    fn trial(&self, turn: Turn) -> &Trial {
        match turn {
            Turn::First if self.is_cousin => &self.cousins,
            Turn::First => &self.own,
            Turn::Second => &self.late,
        }
    }

    fn place(&self, turn: Turn, child: u32) -> Option<usize> {
        match turn {
            Turn::First => self.base.map(|base| base + child as usize),
            Turn::Second => self.late_in.iter().position(|&other| other == child),
        }
    }

    /// What was tried in a child in lanes, if that was done.
    pub(super) fn tried(&self, turn: Turn, child: u32) -> Option<Reply<'_>> {
        self.trial(turn).reply(self.place(turn, child)?)
    }

    /// What is tried in a child, now if it was not yet.
    pub(super) fn reply(
        &mut self,
        turn: Turn,
        (child, words): (u32, &[u64]),
        expander: &mut dyn Expander,
        leaf: &mut Leaf<'_>,
    ) -> Result<Option<Reply<'_>>, MachineError> {
        if turn == Turn::Second && self.left < 2 {
            return Ok(None);
        }
        if self.place(turn, child).is_some() {
            return Ok(self.tried(turn, child));
        }
        let state = self.state.get_or_insert_with(|| State(Box::default()));
        copy(words, state);
        let fields = ChildFields { states: false, goals: false, ends: false, legal: true, choices: false };
        expander.evaluate(&[state], fields, &mut self.legal)?;
        let legal = |joint: &&[MoveId]| {
            let mut moves = joint.iter().enumerate();
            moves.all(|(role, action)| self.legal.legal(0, role).contains(action))
        };
        let trial = match turn {
            Turn::First if self.is_cousin => &self.cousins,
            Turn::First => &self.own,
            Turn::Second => &self.late,
        };
        let Some(joint) = trial.candidates().find(legal) else { return Ok(None) };
        let stepped = &mut self.stepped;
        let fields = ChildFields::PLIES;
        expander.expand(state, JointMoves::These(joint), fields, &mut stepped.children)?;
        stepped.one_state(|words| leaf.value(words))?;
        Ok(Some(Reply::of(&self.stepped, 0)))
    }
}

impl<'m> Frontier<'m> {
    /// Makes the children of a state two plies before the depth, a cousin where it has a number, and tries a reply in each:
    /// `killers` before those that cut off lately. Gives how many children were made.
    pub(super) fn expand(
        &mut self,
        until: Until<'_>,
        machine: &'m dyn Machine,
        (number, state): (Option<u32>, &State),
        killers: &[Vec<MoveId>],
        expander: &mut dyn Expander,
        children: &mut Children,
    ) -> Result<usize, MachineError> {
        self.forget();
        let (lanes, trials) = self.lanes(machine);
        trials.is_cousin = number.is_some();
        if let Some(place) = number.and_then(|number| trials.cousin(number)) {
            let range = trials.cousins.results.of(place);
            children.copy_from(trials.cousins(), range.clone());
            trials.base = Some(range.start);
            return Ok(0);
        }
        let Trials { own, cousins, .. } = trials;
        match number {
            None => own.begin(killers, &trials.recent),
            // The same as for those that are made together.
            Some(_) => own.follow(cousins),
        }
        trials.is_cousin = false;
        let Some(lanes) = lanes else {
            let wanted = ChildFields { choices: true, ..ChildFields::PLIES };
            expander.expand_until(until, state, JointMoves::All, wanted, children)?;
            return Ok(children.len());
        };
        lanes.expand_tried(until, &[&state.0], lanes.room(), &own.candidates, &mut own.results)?;
        std::mem::swap(children, &mut own.results.children);
        trials.base = Some(0);
        Ok(2 * children.len())
    }

    /// Makes the children of several siblings two plies before the depth, given by number among `all`, as many as go into a
    /// pass, and tries replies in them. Gives how many were made.
    pub(super) fn expand_cousins(
        &mut self,
        until: Until<'_>,
        machine: &'m dyn Machine,
        killers: &[Vec<MoveId>],
        (siblings, all): (impl Iterator<Item = u32>, &Children),
    ) -> Result<usize, MachineError> {
        let (lanes, trials) = self.lanes(machine);
        // The same for all of them, however many go into a pass.
        if !std::mem::replace(&mut trials.family, true) {
            trials.cousins.begin(killers, &trials.recent);
        }
        trials.numbers.clear();
        let Some(lanes) = lanes else { return Ok(0) };
        trials.numbers.extend(siblings.take(lanes.room()));
        let Trial { candidates, results, .. } = &mut trials.cousins;
        let states = states_of(&trials.numbers, all);
        let done = lanes.expand_tried(until, &states, lanes.room(), candidates, results);
        trials.numbers.truncate(*done.as_ref().unwrap_or(&0));
        done.map(|_| 2 * results.children.len())
    }

    /// Before a second reply is tried in a child that is left of very many, as the first one left may have shown a better
    /// one: tries it in all that are left. Gives how many children were made.
    pub(super) fn try_again(
        &mut self,
        machine: &'m dyn Machine,
        killers: &[Vec<MoveId>],
        (left, all): (&[u32], &Children),
    ) -> usize {
        let (lanes, trials) = self.lanes(machine);
        trials.late.begin(killers, &trials.recent);
        trials.late_in.clear();
        let Some(lanes) = lanes else { return 0 };
        trials.late_in.extend_from_slice(&left[..left.len().min(lanes.room())]);
        let Trial { candidates, results, .. } = &mut trials.late;
        lanes.try_each(&states_of(&trials.late_in, all), candidates, results);
        trials.late_in.len()
    }
}

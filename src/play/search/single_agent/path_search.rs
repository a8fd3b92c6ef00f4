//! The shared state of all single-player searches: the game, the best path so far, and bounds on the goal values of
//! other ends.

use crate::machine::{
    ChildFields, Children, Clock, Expander, ExpansionLimits, JointMoves, MachineError, MoveId, State,
};
use crate::search::context::SearchContext;
use crate::search::hash::Keys;
use crate::search::leaf::{Leaf, copy};
use crate::search::limits::{Limits, Stop};

use super::plan::Plan;
use super::relaxation::Relaxation;

/// A search under way.
pub(super) struct PathSearch<'m> {
    pub(super) context: SearchContext<'m>,
    pub(super) leaf: Leaf<'m>,
    /// If present, it gives the estimates, not `leaf`.
    pub(super) relaxation: Option<Relaxation>,
    pub(super) expander: Box<dyn Expander + 'm>,
    /// Hashes of states, without the game's clock if it has one.
    pub(super) keys: Keys,
    /// The state that the search began from.
    root: State,
    /// The greatest goal value that an end may have.
    most: i32,
    /// The best known path from the root.
    pub(super) plan: Option<Plan>,
    /// Whether a state was skipped because it had been seen with more time left.
    pub(super) passed_over: bool,
    /// The greatest goal value of all visited states: the clock could end the game in any of them.
    pub(super) meanwhile: i32,
    /// Greatest number of plies from the root.
    pub(super) most_plies: u32,
    /// Why a state was not expanded, if one was not: too many plies, or no memory.
    pub(super) cut: Option<Stop>,
    /// The clock of the game, where it has one.
    pub(super) clock: Option<Clock>,
    /// The move towards the state with the best estimate, and this estimate, from 0 to 1.
    pub(super) hope: Option<(MoveId, f64)>,
}

pub(super) enum Child {
    End(i32),
    /// A state to expand, by its hash.
    Open(u64),
}

impl<'m> PathSearch<'m> {
    pub(super) fn new(context: SearchContext<'m>, leaf: Leaf<'m>) -> PathSearch<'m> {
        let machine = context.machine;
        let clock = machine.clock().cloned();
        PathSearch {
            expander: machine.expander(),
            keys: clock.as_ref().map_or_else(|| Keys::new(machine), |clock| Keys::without(machine, clock)),
            root: machine.initial().clone(),
            most: context.rewards[1],
            plan: None,
            passed_over: false,
            meanwhile: i32::MIN,
            most_plies: u32::MAX,
            cut: None,
            clock,
            hope: None,
            context,
            leaf,
            relaxation: None,
        }
    }

    /// Begins from a state, with the rest of the stored path.
    pub(super) fn begin(&mut self, state: &State, limits: &Limits<'_>) {
        self.root.clone_from(state);
        self.plan = self.plan.as_ref().and_then(|plan| plan.from(state));
        self.passed_over = false;
        self.meanwhile = i32::MIN;
        self.most_plies = limits.depth.unwrap_or(u32::MAX);
        self.cut = None;
        self.hope = None;
        if let Some(greatest) =
            self.relaxation.as_mut().and_then(|relaxation| relaxation.greatest_goal(&state.0))
        {
            self.most = greatest;
        }
    }

    /// Whether no better path is possible.
    pub(super) fn is_done(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.goal >= self.most)
    }

    /// Whether the search proves that the stored path is best, after it has seen all reachable states but skipped ones.
    ///
    /// A skipped state had been seen with more time left, so its descendants were reachable from there too, except ends
    /// made by the clock. These have the goal values of visited states if goal values don't depend on the clock.
    pub(super) fn is_exhausted(&self) -> bool {
        let plan = self.plan.as_ref();
        self.cut.is_none() && (!self.passed_over || plan.is_some_and(|plan| plan.goal >= self.meanwhile))
    }

    /// Includes the clock in the hashes of states from now on. Returns whether it was excluded before.
    pub(super) fn distinguish_clock(&mut self) -> bool {
        self.keys = Keys::new(self.context.machine);
        self.passed_over = false;
        self.clock.take().is_some()
    }

    pub(super) fn expand(
        &mut self,
        limits: ExpansionLimits<'_>,
        state: &State,
        children: &mut Children,
    ) -> Result<(), MachineError> {
        self.expander.expand_within(limits, state, JointMoves::All, ChildFields::SUCCESSORS, children)
    }

    /// Symbols of a state's terms if these can grow; otherwise 0.
    pub(super) fn symbols(&self, state: &State) -> u64 {
        self.context.machine.relational().map_or(0, |rules| rules.symbols(state))
    }

    /// Classifies a child of a state with this hash.
    pub(super) fn classify(&mut self, key: u64, state: &State, children: &Children, child: usize) -> Child {
        let goal = self.context.outcome(children.goals(child, self.context.role));
        self.meanwhile = self.meanwhile.max(goal);
        if children.terminal(child) {
            return Child::End(goal);
        }
        Child::Open(self.keys.update(key, &state.0, children.state(child)))
    }

    /// The estimate of a state, from 0 to 1; none if the relaxation shows that no better end than the known one follows.
    pub(super) fn estimate(&mut self, words: &[u64]) -> Result<Option<f64>, MachineError> {
        match &mut self.relaxation {
            Some(relaxation) => Ok(relaxation.estimate(words, self.plan.as_ref().map(|plan| plan.goal))),
            None => self.leaf.estimate(words).map(Some),
        }
    }

    /// Stores a path to an end if it is better than the known one; returns whether it is.
    pub(super) fn arrive(&mut self, moves: &[MoveId]) -> Result<bool, MachineError> {
        let mut cursor = self.context.machine.cursor();
        cursor.set(&self.root)?;
        let mut states = vec![self.root.clone()];
        for &action in moves {
            cursor.advance(&[action])?;
            states.push(cursor.state().clone());
            if cursor.terminal() {
                break;
            }
        }
        // Hashes exclude the clock, so the path may have been found with another value of it. Then the game can go on
        // here.
        if !cursor.terminal() {
            return Ok(false);
        }
        let goal = self.context.outcome(cursor.goals(self.context.role));
        let moves = moves[..states.len() - 1].to_vec();
        let plan = Plan { states, moves, goal, best: goal >= self.most };
        let better = plan.improves(self.plan.as_ref());
        if better {
            self.plan = Some(plan);
        }
        Ok(better)
    }

    /// Stores the first move of the path to a state if the state has the best estimate so far.
    pub(super) fn hope_for(&mut self, share: f64, first: impl FnOnce() -> Option<MoveId>) {
        if self.hope.is_none_or(|(_, best)| share > best)
            && let Some(action) = first()
        {
            self.hope = Some((action, share));
        }
    }
}

pub(super) fn state_of(children: &Children, child: usize) -> State {
    let mut state = State(Box::default());
    copy(children.state(child), &mut state);
    state
}

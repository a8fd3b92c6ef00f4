//! What all searches for one player share: the game, the way found so far, and what is known of other ends.

use crate::machine::{
    ChildFields, Children, Clock, Expander, JointMoves, MachineError, MoveId, State, Until,
};
use crate::search::context::SearchContext;
use crate::search::hash::Keys;
use crate::search::leaf::{Leaf, copy};
use crate::search::limits::{Limits, Stop};

use super::plan::Plan;

/// A search under way.
pub(super) struct PathSearch<'m> {
    pub(super) context: SearchContext<'m>,
    pub(super) leaf: Leaf<'m>,
    pub(super) expander: Box<dyn Expander + 'm>,
    /// Hashes of states; the clock makes no difference to them, where the game has one.
    pub(super) keys: Keys,
    /// The state that the search began from.
    root: State,
    /// The best way known from the root.
    pub(super) plan: Option<Plan>,
    /// Whether a state was passed over because it had been seen with more time left.
    pub(super) passed_over: bool,
    /// The greatest goal value of a state seen, terminal or not: what it would bring if the time were over there.
    pub(super) meanwhile: i32,
    /// Plies from the root at most.
    pub(super) most_plies: u32,
    /// Why a state was left, where one was: too many plies away, no room.
    pub(super) cut: Option<Stop>,
    /// The clock of the game, where it has one.
    pub(super) clock: Option<Clock>,
    /// The move towards the state that looks best, and how good that is, 0 to 1.
    pub(super) hope: Option<(MoveId, f64)>,
}

pub(super) enum Child {
    End(i32),
    /// A state to go on from, by its hash.
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
            plan: None,
            passed_over: false,
            meanwhile: i32::MIN,
            most_plies: u32::MAX,
            cut: None,
            clock,
            hope: None,
            context,
            leaf,
        }
    }

    /// Begins from a state, with what is left of a way.
    pub(super) fn begin(&mut self, state: &State, limits: &Limits<'_>) {
        self.root.clone_from(state);
        self.plan = self.plan.as_ref().and_then(|plan| plan.from(state));
        self.passed_over = false;
        self.meanwhile = i32::MIN;
        self.most_plies = limits.depth.unwrap_or(u32::MAX);
        self.cut = None;
        self.hope = None;
    }

    /// Whether nothing better can come.
    pub(super) fn is_done(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.goal >= self.context.rewards[1])
    }

    /// All states were seen that can be reached, but those passed over: whether the best way is proved to be that.
    ///
    /// A state was passed over when it had been seen with more time left. What can be reached from it could be reached
    /// then, too, but for ends that the clock makes: these are states that were seen, too, and what they are worth does
    /// not depend on the clock.
    pub(super) fn is_exhausted(&self) -> bool {
        let plan = self.plan.as_ref();
        self.cut.is_none() && (!self.passed_over || plan.is_some_and(|plan| plan.goal >= self.meanwhile))
    }

    /// From now on states that differ in the clock are different ones; whether they were one before.
    pub(super) fn mind_the_clock(&mut self) -> bool {
        self.keys = Keys::new(self.context.machine);
        self.passed_over = false;
        self.clock.take().is_some()
    }

    pub(super) fn expand(
        &mut self,
        until: Until<'_>,
        state: &State,
        children: &mut Children,
    ) -> Result<(), MachineError> {
        self.expander.expand_until(until, state, JointMoves::All, ChildFields::SUCCESSORS, children)
    }

    /// Symbols of a state's terms, if these can grow; else 0.
    pub(super) fn symbols(&self, state: &State) -> u64 {
        self.context.machine.relational().map_or(0, |rules| rules.symbols(state))
    }

    /// Looks at a child of a state of a hash.
    pub(super) fn classify(&mut self, key: u64, state: &State, children: &Children, child: usize) -> Child {
        let goal = self.context.outcome(children.goals(child, self.context.role));
        self.meanwhile = self.meanwhile.max(goal);
        if children.terminal(child) {
            return Child::End(goal);
        }
        Child::Open(self.keys.update(key, &state.0, children.state(child)))
    }

    /// How good a child looks, 0 to 1.
    pub(super) fn estimate(&mut self, words: &[u64]) -> Result<f64, MachineError> {
        self.leaf.estimate(words)
    }

    /// Notes a way to an end, where it is better than the one known; whether it is.
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
        // A state with more time left stood for one of these: what ended by the clock then doesn't end now.
        if !cursor.terminal() {
            return Ok(false);
        }
        let goal = self.context.outcome(cursor.goals(self.context.role));
        let moves = moves[..states.len() - 1].to_vec();
        let plan = Plan { states, moves, goal, best: goal >= self.context.rewards[1] };
        let better = plan.improves(self.plan.as_ref());
        if better {
            self.plan = Some(plan);
        }
        Ok(better)
    }

    /// Notes a state that looks good, by the first move of the way there.
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

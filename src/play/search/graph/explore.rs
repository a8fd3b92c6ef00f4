//! Finds all reachable states, ply by ply.

use std::borrow::Cow;

use crate::machine::{
    ChildFields, Children, Clock, Expander, MAX_JOINT_MOVES, Machine, MachineError, MoveId, State,
};
use crate::search::context::SearchContext;
use crate::search::limits::{Halt, Meter};

use super::classes::Classes;
use super::states::{Id, States};

/// Why the graph can't be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) enum GraphError {
    /// The states need more memory than is available.
    Memory,
    /// The game has no network.
    NoNetwork,
    /// Play can repeat a state.
    Circle,
    /// Goal values are too great.
    Goals,
}

impl GraphError {
    /// The reason as text.
    pub(in crate::search) fn text(self) -> &'static str {
        match self {
            GraphError::Memory => "the states that can be reached take more memory than there is",
            GraphError::NoNetwork => "the rules are played without a network",
            GraphError::Circle => "play can come back to a state",
            GraphError::Goals => "goal values are too far from those of the language, 0 to 100",
        }
    }
}

/// The links between states that are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Links {
    /// For each state the one from which it was first reached.
    Parents,
    /// For each state all its children.
    Children,
}

/// States expanded together.
const BATCH: usize = 2048;
/// Joint moves evaluated together.
const JOINTS: usize = 8192;

/// The states that can be reached from one, without their clock; of each class one state.
pub(in crate::search) struct Graph<'s> {
    classes: Classes<'s>,
    /// For each role its lowest and greatest goal value.
    pub(super) rewards: Vec<[i32; 2]>,
    /// The clock, and the step of the first state.
    pub(super) clock: Option<(Clock, u32)>,
    /// The states; with classes, the words by which a class is found.
    states: States,
    /// With classes, the words of the states themselves. A canonical state may be unreachable.
    originals: Vec<u64>,
    /// The first state of every ply.
    pub(super) plies: Vec<Id>,
    /// For each state the index of its outcome, and whether it is terminal regardless of the clock.
    pub(super) outcomes: Vec<(u16, bool)>,
    /// Combinations of goal values of all roles.
    pub(super) goals: Vec<Box<[i32]>>,
    /// The state from which each was first reached; empty if children are stored.
    pub(super) parents: Vec<Id>,
    /// The children of each state, one list after another; empty for terminal states and if parents are stored.
    pub(super) starts: Vec<u32>,
    pub(super) children: Vec<Id>,
    /// For each state and role the number of its moves.
    pub(super) choices: Vec<u16>,
}

/// A batch of states to be expanded.
struct Batch<'m> {
    links: Links,
    expander: Box<dyn Expander + 'm>,
    seen: Children,
    children: Children,
    states: Vec<State>,
    ids: Vec<Id>,
    joints: Vec<MoveId>,
    /// For each joint move the index of its state.
    from: Vec<u32>,
}

impl<'s> Graph<'s> {
    /// A graph with a single state.
    ///
    /// # Errors
    /// The game has no network.
    pub(super) fn new(
        machine: &dyn Machine,
        state: &State,
        classes: Classes<'s>,
    ) -> Result<Graph<'s>, GraphError> {
        if machine.network().is_none() {
            return Err(GraphError::NoNetwork);
        }
        let roles = machine.description().roles.len();
        Ok(Graph {
            classes,
            rewards: (0..roles).map(|role| SearchContext::alone(machine, role).rewards).collect(),
            clock: machine.clock().and_then(|clock| clock.step(state).map(|step| (clock.clone(), step))),
            states: States::new(state.0.len()),
            originals: Vec::new(),
            plies: Vec::new(),
            outcomes: Vec::new(),
            goals: Vec::new(),
            parents: Vec::new(),
            starts: vec![0],
            children: Vec::new(),
            choices: Vec::new(),
        })
    }

    /// Whether several states can be one state.
    pub(super) fn joins_states(&self) -> bool {
        self.classes.join()
    }

    /// Number of states.
    pub(in crate::search) fn len(&self) -> usize {
        self.states.len()
    }

    /// The children of a state.
    pub(super) fn links(&self, id: Id) -> &[Id] {
        match self.starts.get(id as usize..id as usize + 2) {
            Some(&[start, end]) => &self.children[start as usize..end as usize],
            _ => &[],
        }
    }

    /// The number of each role's moves in a state that has children.
    pub(super) fn choices(&self, id: Id) -> &[u16] {
        let roles = self.rewards.len();
        &self.choices[id as usize * roles..(id as usize + 1) * roles]
    }

    /// Whether two roles have a choice in the same state.
    pub(super) fn both_choose(&self) -> bool {
        let mut states = self.choices.chunks_exact(self.rewards.len());
        states.any(|counts| counts.iter().filter(|&&count| count > 1).count() > 1)
    }

    /// Whether a state, and with it all states first reached at the same ply, can occur at another ply, by turn and other
    /// conditions on steps.
    pub(super) fn can_occur_at(&self, id: Id, ply: usize) -> bool {
        self.clock.as_ref().is_none_or(|(clock, step)| clock.fits(self.words(id), step + ply as u32))
    }

    /// The goal values of a state.
    pub(super) fn goals(&self, id: Id) -> &[i32] {
        &self.goals[self.outcomes[id as usize].0 as usize]
    }

    /// Whether a state is terminal regardless of the clock.
    pub(super) fn is_end(&self, id: Id) -> bool {
        self.outcomes[id as usize].1
    }

    /// The number of plies after which every state is terminal; none without a clock.
    pub(super) fn last_ply(&self) -> Option<usize> {
        self.clock.as_ref().map(|(clock, step)| (clock.last_step() - step) as usize)
    }

    /// The words of a state, without the clock.
    fn words(&self, id: Id) -> &[u64] {
        match self.classes.join() {
            false => self.states.get(id),
            true => self.states.row(&self.originals, id),
        }
    }

    /// The words of a state without the clock, and the words by which it is found.
    fn key<'w>(&self, words: &'w [u64]) -> (Cow<'w, [u64]>, Option<Vec<u64>>) {
        let words = match &self.clock {
            None => Cow::Borrowed(words),
            Some((clock, _)) => {
                words.iter().zip(clock.mask()).map(|(word, mask)| word & !mask).collect::<Vec<u64>>().into()
            }
        };
        let canonical = self.classes.canonical(&words);
        (words, canonical)
    }

    /// The number of a state or of its class, if it was found.
    pub(super) fn find(&self, words: &[u64]) -> Option<Id> {
        let (words, canonical) = self.key(words);
        self.states.find(canonical.as_deref().unwrap_or(&words))
    }

    /// The state after `ply` plies.
    pub(super) fn state(&self, id: Id, ply: usize) -> State {
        let mut words: Box<[u64]> = self.words(id).into();
        if let Some((clock, step)) = &self.clock {
            clock.set(&mut words, step + ply as u32);
        }
        State(words)
    }

    /// The number of a state, and whether it is new.
    fn add(&mut self, words: &[u64], goals: &[i32], end: bool) -> (Id, bool) {
        let (words, canonical) = self.key(words);
        let (id, new) = self.states.add(canonical.as_deref().unwrap_or(&words));
        if new {
            if self.classes.join() {
                self.originals.extend_from_slice(&words);
            }
            let known = self.goals.iter().position(|known| **known == *goals);
            let index = known.unwrap_or_else(|| {
                self.goals.push(goals.into());
                self.goals.len() - 1
            });
            self.outcomes.push((u16::try_from(index).unwrap_or(u16::MAX), end));
        }
        (id, new)
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.states.bytes()
            + self.originals.capacity() * size_of::<u64>()
            // Values, and the order of evaluation.
            + self.states.len() * 3 * size_of::<i32>()
            + self.outcomes.capacity() * size_of::<(u16, bool)>()
            + (self.parents.capacity() + self.starts.capacity() + self.children.capacity()) * size_of::<u32>()
            + self.choices.capacity() * size_of::<u16>()
    }

    /// Finds all states, ply by ply, up to the last step of the clock. `see` receives each new state with its plies; if
    /// it returns false, the search stops.
    pub(super) fn explore(
        &mut self,
        machine: &dyn Machine,
        first: &State,
        (links, memory): (Links, usize),
        meter: &mut Meter<'_>,
        see: &mut dyn FnMut(&Graph<'_>, Id, usize) -> bool,
    ) -> Result<Result<(), GraphError>, Halt> {
        let mut batch = Batch {
            links,
            expander: machine.expander(),
            seen: Children::default(),
            children: Children::default(),
            states: Vec::new(),
            ids: Vec::new(),
            joints: Vec::new(),
            from: Vec::new(),
        };
        batch.expander.evaluate(&[first], ChildFields::ALL, &mut batch.seen)?;
        let goals = self.outcome(&batch.seen, 0);
        self.add(&first.0, &goals, batch.seen.terminal(0));
        if links == Links::Parents {
            self.parents.push(0);
        }
        let (mut from, mut ply) = (0, 0);
        while from < self.states.len() && self.last_ply().is_none_or(|last| ply < last) {
            self.plies.push(from as Id);
            let to = self.states.len();
            for first in (from..to).step_by(BATCH) {
                let last = (first + BATCH).min(to);
                if !self.expand(&mut batch, first as Id..last as Id, ply, meter, see)? {
                    return Ok(Ok(()));
                }
                if self.bytes() > memory || self.states.len() > Id::MAX as usize / 2 {
                    return Ok(Err(GraphError::Memory));
                }
                if self.goals.len() > u16::MAX as usize || self.children.len() > u32::MAX as usize / 2 {
                    return Ok(Err(GraphError::Memory));
                }
            }
            (from, ply) = (to, ply + 1);
        }
        self.plies.push(from as Id);
        Ok(Ok(()))
    }

    fn outcome(&self, children: &Children, child: usize) -> Vec<i32> {
        let goal = |(role, rewards): (usize, &[i32; 2])| {
            children.goals(child, role).first().copied().unwrap_or(rewards[0])
        };
        self.rewards.iter().enumerate().map(goal).collect()
    }

    /// Expands states of one ply; returns whether to continue.
    fn expand(
        &mut self,
        batch: &mut Batch<'_>,
        ids: std::ops::Range<Id>,
        ply: usize,
        meter: &mut Meter<'_>,
        see: &mut dyn FnMut(&Graph<'_>, Id, usize) -> bool,
    ) -> Result<bool, Halt> {
        let roles = self.rewards.len();
        batch.ids.clear();
        batch.ids.extend(ids.clone().filter(|&id| !self.is_end(id)));
        batch.states.clear();
        batch.states.extend(batch.ids.iter().map(|&id| self.state(id, ply)));
        let states: Vec<&State> = batch.states.iter().collect();
        batch.expander.evaluate(
            &states,
            ChildFields { states: false, goals: false, ends: false, legal: true, choices: false },
            &mut batch.seen,
        )?;
        batch.joints.clear();
        batch.from.clear();
        let mut index = 0;
        for id in ids {
            if batch.links == Links::Children {
                let open = batch.ids.get(index) == Some(&id);
                let moves = |role: usize| if open { batch.seen.legal(index, role).len() } else { 0 };
                self.choices.extend((0..roles).map(|role| u16::try_from(moves(role)).unwrap_or(u16::MAX)));
            }
            if batch.ids.get(index) == Some(&id) {
                list_joint_moves(&batch.seen, index, roles, &mut batch.joints)?;
                batch.from.resize(batch.joints.len() / roles, index as u32);
                index += 1;
            }
        }
        // Children come in the order of their parents, so the lists are filled one after another.
        let mut filled = self.starts.len() - 1;
        for (joints, from) in batch.joints.chunks(JOINTS * roles).zip(batch.from.chunks(JOINTS)) {
            let parents: Vec<&State> = from.iter().map(|&index| &batch.states[index as usize]).collect();
            let wanted = ChildFields::SUCCESSORS;
            batch.expander.advance(&parents, joints, wanted, &mut batch.children)?;
            for (child, &index) in from.iter().enumerate() {
                let parent = batch.ids[index as usize];
                let end = batch.children.terminal(child);
                let goals = self.outcome(&batch.children, child);
                // At the last step of the clock every state is terminal, which says nothing about other steps.
                let end = end && self.last_ply() != Some(ply + 1);
                let (id, new) = self.add(batch.children.state(child), &goals, end);
                // A class of states is visited once.
                match self.classes.join() && !new {
                    true => meter.made(1),
                    false => meter.count(1)?,
                }
                match batch.links {
                    Links::Parents if new => self.parents.push(parent),
                    Links::Parents => {}
                    Links::Children => {
                        while filled < parent as usize {
                            self.starts.push(self.children.len() as u32);
                            filled += 1;
                        }
                        self.children.push(id);
                    }
                }
                if new && !see(self, id, ply + 1) {
                    return Ok(false);
                }
            }
        }
        if batch.links == Links::Children {
            let expanded = self.choices.len() / roles;
            self.starts.resize(expanded + 1, self.children.len() as u32);
        }
        Ok(true)
    }
}

/// Calls `see` with the first `most` states that can be reached from a state, without their clock. Returns their number.
pub(in crate::search) fn first_states(
    machine: &dyn Machine,
    state: &State,
    most: usize,
    meter: &mut Meter<'_>,
    see: &mut dyn FnMut(&[u64]),
) -> Result<usize, Halt> {
    let Ok(mut graph) = Graph::new(machine, state, Classes::default()) else { return Ok(0) };
    let explored =
        graph.explore(machine, state, (Links::Parents, usize::MAX), meter, &mut |graph, id, _| {
            see(graph.words(id));
            graph.len() < most
        })?;
    Ok(if explored.is_ok() { graph.len() } else { 0 })
}

/// All joint moves of a state in lexicographic order; the last role's move changes fastest.
pub(in crate::search) fn list_joint_moves(
    seen: &Children,
    index: usize,
    roles: usize,
    out: &mut Vec<MoveId>,
) -> Result<(), MachineError> {
    let counts = (0..roles).map(|role| seen.legal(index, role).len());
    let count = counts.clone().try_fold(1_usize, usize::checked_mul);
    let none = counts.clone().any(|count| count == 0);
    // The number of a role's moves is stored in 16 bits.
    let many = count.is_none_or(|count| count > MAX_JOINT_MOVES) || counts.max() > Some(u16::MAX.into());
    if many && !none {
        return Err(MachineError::TooManyJointMoves { limit: MAX_JOINT_MOVES });
    }
    let start = out.len();
    out.resize(start + count.unwrap_or(0) * roles, MoveId(0));
    let mut each = 1;
    for role in (0..roles).rev() {
        let legal = seen.legal(index, role);
        for (number, joint) in out[start..].chunks_exact_mut(roles).enumerate() {
            joint[role] = legal[number / each % legal.len()];
        }
        each *= legal.len();
    }
    Ok(())
}

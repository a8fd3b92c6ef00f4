//! Finding all states, ply by ply.

use crate::machine::{
    ChildFields, Children, Clock, Expander, MOST_JOINT_MOVES, Machine, MachineError, MoveId, State,
};
use crate::search::context::SearchContext;
use crate::search::limits::{Halt, Meter};

use super::states::{Id, States};

/// Why there is no graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) enum GraphError {
    /// The states take more memory than there is.
    Memory,
    /// The rules are played without a network.
    NoNetwork,
    /// Play can go round in a circle.
    Circle,
}

impl GraphError {
    /// In words.
    pub(in crate::search) fn text(self) -> &'static str {
        match self {
            GraphError::Memory => "the states that can be reached take more memory than there is",
            GraphError::NoNetwork => "the rules are played without a network",
            GraphError::Circle => "play can come back to a state",
        }
    }
}

/// What is kept of links between states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Links {
    /// Of every state the one it was first reached from.
    Parents,
    /// Of every state all its children.
    Children,
}

/// States expanded together.
const BATCH: usize = 2048;
/// Joint moves played together.
const JOINTS: usize = 8192;

/// The states that can be reached from one, without their clock.
pub(in crate::search) struct Graph {
    /// For every role its least and its greatest goal value.
    pub(super) rewards: Vec<[i32; 2]>,
    /// The clock, and the step at which the first state stands.
    pub(super) clock: Option<(Clock, u32)>,
    pub(super) states: States,
    /// The first state of every ply.
    pub(super) plies: Vec<Id>,
    /// For every state the place of its outcome, and whether it is an end by itself.
    pub(super) outcomes: Vec<(u16, bool)>,
    /// Goal values of all roles, as they come together.
    pub(super) goals: Vec<Box<[i32]>>,
    /// The state each was first reached from; empty where children are kept.
    pub(super) parents: Vec<Id>,
    /// The children of each state, one list after the other; they are empty for ends, and where parents are kept.
    pub(super) starts: Vec<u32>,
    pub(super) children: Vec<Id>,
    /// For each state and role the number of its moves.
    pub(super) choices: Vec<u16>,
}

/// A batch of states on their way.
struct Batch<'m> {
    links: Links,
    expander: Box<dyn Expander + 'm>,
    seen: Children,
    children: Children,
    states: Vec<State>,
    ids: Vec<Id>,
    joints: Vec<MoveId>,
    /// For every joint move the state it is made in, by its place.
    from: Vec<u32>,
}

impl Graph {
    /// The graph of one state.
    ///
    /// # Errors
    /// The game has no network.
    pub(super) fn new(machine: &dyn Machine, state: &State) -> Result<Graph, GraphError> {
        if machine.network().is_none() {
            return Err(GraphError::NoNetwork);
        }
        let roles = machine.description().roles.len();
        Ok(Graph {
            rewards: (0..roles).map(|role| SearchContext::alone(machine, role).rewards).collect(),
            clock: machine.clock().and_then(|clock| clock.step(state).map(|step| (clock.clone(), step))),
            states: States::new(state.0.len()),
            plies: Vec::new(),
            outcomes: Vec::new(),
            goals: Vec::new(),
            parents: Vec::new(),
            starts: vec![0],
            children: Vec::new(),
            choices: Vec::new(),
        })
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

    /// How many moves every role has in a state that has children.
    pub(super) fn choices(&self, id: Id) -> &[u16] {
        let roles = self.rewards.len();
        &self.choices[id as usize * roles..(id as usize + 1) * roles]
    }

    /// Whether a state, and with it all first reached at the same ply, can stand at another ply, by whose turn it is and
    /// what else the steps decide.
    pub(super) fn stands_at(&self, id: Id, ply: usize) -> bool {
        self.clock.as_ref().is_none_or(|(clock, step)| clock.fits(self.states.get(id), step + ply as u32))
    }

    /// The goal values of a state.
    pub(super) fn goals(&self, id: Id) -> &[i32] {
        &self.goals[self.outcomes[id as usize].0 as usize]
    }

    /// Whether a state is an end by itself.
    pub(super) fn is_end(&self, id: Id) -> bool {
        self.outcomes[id as usize].1
    }

    /// Steps from the first state on which no state is left that isn't an end; none without a clock.
    pub(super) fn last_ply(&self) -> Option<usize> {
        self.clock.as_ref().map(|(clock, step)| (clock.last_step() - step) as usize)
    }

    /// The state as it stands after so many plies.
    pub(super) fn state(&self, id: Id, ply: usize) -> State {
        let mut words: Box<[u64]> = self.states.get(id).into();
        if let Some((clock, step)) = &self.clock {
            clock.set(&mut words, step + ply as u32);
        }
        State(words)
    }

    /// The number of a state, and whether it is new.
    fn add(&mut self, words: &[u64], goals: &[i32], end: bool) -> (Id, bool) {
        let (id, new) = match &self.clock {
            None => self.states.add(words),
            Some((clock, _)) => {
                let words: Vec<u64> =
                    words.iter().zip(clock.mask()).map(|(word, mask)| word & !mask).collect();
                self.states.add(&words)
            }
        };
        if new {
            let known = self.goals.iter().position(|known| **known == *goals);
            let place = known.unwrap_or_else(|| {
                self.goals.push(goals.into());
                self.goals.len() - 1
            });
            self.outcomes.push((u16::try_from(place).unwrap_or(u16::MAX), end));
        }
        (id, new)
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.states.bytes()
            // Values, and the order in which they are found.
            + self.states.len() * 3 * size_of::<i32>()
            + self.outcomes.capacity() * size_of::<(u16, bool)>()
            + (self.parents.capacity() + self.starts.capacity() + self.children.capacity()) * size_of::<u32>()
            + self.choices.capacity() * size_of::<u16>()
    }

    /// Finds all states, ply by ply, up to the last step of the clock. `see` hears of every new state with its plies;
    /// where it says no, nothing more is looked for.
    pub(super) fn explore(
        &mut self,
        machine: &dyn Machine,
        first: &State,
        (links, memory): (Links, usize),
        meter: &mut Meter<'_>,
        see: &mut dyn FnMut(&Graph, Id, usize) -> bool,
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

    /// Expands states of one ply; whether to go on.
    fn expand(
        &mut self,
        batch: &mut Batch<'_>,
        ids: std::ops::Range<Id>,
        ply: usize,
        meter: &mut Meter<'_>,
        see: &mut dyn FnMut(&Graph, Id, usize) -> bool,
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
        let mut place = 0;
        for id in ids {
            if batch.links == Links::Children {
                let open = batch.ids.get(place) == Some(&id);
                let moves = |role: usize| if open { batch.seen.legal(place, role).len() } else { 0 };
                self.choices.extend((0..roles).map(|role| u16::try_from(moves(role)).unwrap_or(u16::MAX)));
            }
            if batch.ids.get(place) == Some(&id) {
                list_joint_moves(&batch.seen, place, roles, &mut batch.joints)?;
                batch.from.resize(batch.joints.len() / roles, place as u32);
                place += 1;
            }
        }
        // Children come in the order of their parents, so lists are filled one after the other.
        let mut filled = self.starts.len() - 1;
        for (joints, from) in batch.joints.chunks(JOINTS * roles).zip(batch.from.chunks(JOINTS)) {
            let parents: Vec<&State> = from.iter().map(|&place| &batch.states[place as usize]).collect();
            let wanted = ChildFields::SUCCESSORS;
            batch.expander.advance(&parents, joints, wanted, &mut batch.children)?;
            for (child, &place) in from.iter().enumerate() {
                meter.count(1)?;
                let parent = batch.ids[place as usize];
                let end = batch.children.terminal(child);
                let goals = self.outcome(&batch.children, child);
                // At the last step of the clock every state is terminal: it may not be an end by itself.
                let end = end && self.last_ply() != Some(ply + 1);
                let (id, new) = self.add(batch.children.state(child), &goals, end);
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

/// All joint moves of a state, in lexicographic order of the roles' moves, the last role's changing fastest.
fn list_joint_moves(
    seen: &Children,
    place: usize,
    roles: usize,
    out: &mut Vec<MoveId>,
) -> Result<(), MachineError> {
    let counts = (0..roles).map(|role| seen.legal(place, role).len());
    let count = counts.clone().try_fold(1_usize, usize::checked_mul);
    let none = counts.clone().any(|count| count == 0);
    // The number of a role's moves is kept in 16 bits.
    let many = count.is_none_or(|count| count > MOST_JOINT_MOVES) || counts.max() > Some(u16::MAX.into());
    if many && !none {
        return Err(MachineError::TooManyJointMoves { limit: MOST_JOINT_MOVES });
    }
    let start = out.len();
    out.resize(start + count.unwrap_or(0) * roles, MoveId(0));
    let mut each = 1;
    for role in (0..roles).rev() {
        let legal = seen.legal(place, role);
        for (number, joint) in out[start..].chunks_exact_mut(roles).enumerate() {
            joint[role] = legal[number / each % legal.len()];
        }
        each *= legal.len();
    }
    Ok(())
}

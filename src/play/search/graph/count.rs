//! Counts the reachable states by depth, without values.
//!
//! The depth of a state is the least number of steps that lead to it. A step counter is part of a state here, so that the
//! count is that of the rules. All states stay in memory, because a state is new if it differs from all of them.

use indexmap::IndexSet;

use crate::machine::{ChildFields, Children, Expander, Machine, MachineError, MoveId, State};
use crate::search::limits::{Halt, Limits, Meter, Stop};

use super::explore::list_joint_moves;
use super::states::States;

/// States expanded together, and joint moves played together: as many as there are lanes, or few without a network, so
/// that the clock is read often.
const BATCH: usize = 512;
const BATCH_WITHOUT_NETWORK: usize = 16;

/// The states whose least number of steps from the first state is equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DepthCount {
    /// Number of states.
    pub states: u64,
    /// Number of terminal states among them.
    pub terminal: u64,
}

/// The number of reachable states by depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateCount {
    /// For each depth, from 0, the number of states that were found.
    pub depths: Vec<DepthCount>,
    /// Why the count ended.
    pub end: CountEnd,
}

/// Why a count ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CountEnd {
    /// All states were found.
    Complete,
    /// A limit was reached.
    Limit(Stop),
    /// The machine can't evaluate a state.
    Error(MachineError),
}

/// Different states, in the order in which they were found.
enum StateSet {
    /// States of equal width, as a network has them.
    Rows(States),
    /// States of different widths, and their bytes.
    Sets(IndexSet<State, rustc_hash::FxBuildHasher>, usize),
}

impl StateSet {
    fn len(&self) -> usize {
        match self {
            StateSet::Rows(states) => states.len(),
            StateSet::Sets(states, _) => states.len(),
        }
    }

    /// Adds a state; returns whether it is new.
    fn add(&mut self, words: &[u64]) -> bool {
        match self {
            StateSet::Rows(states) => states.add(words).1,
            StateSet::Sets(states, bytes) => {
                let new = states.insert(State(words.into()));
                *bytes += if new { size_of_val(words) } else { 0 };
                new
            }
        }
    }

    fn get(&self, number: usize) -> State {
        match self {
            StateSet::Rows(states) => State(states.get(number as u32).into()),
            StateSet::Sets(states, _) => states.get_index(number).cloned().unwrap_or(State(Box::default())),
        }
    }

    /// Bytes in use.
    fn bytes(&self) -> usize {
        match self {
            StateSet::Rows(states) => states.bytes(),
            // An entry has its hash, and the table an index of it; the allocator adds its own words.
            StateSet::Sets(states, bytes) => {
                states.capacity() * (size_of::<State>() + 2 * size_of::<usize>()) + states.len() * 16 + bytes
            }
        }
    }
}

/// Counts the states that can be reached from a state, itself included, by breadth-first search. `on_depth` receives the
/// complete depths so far.
///
/// `Limits::nodes` limits the number of states, and `memory` their bytes; both end the count with the states found so far.
pub fn count_states(
    machine: &dyn Machine,
    first: &State,
    memory: usize,
    limits: &Limits<'_>,
    on_depth: &mut dyn FnMut(&[DepthCount]),
) -> StateCount {
    let (set, batch) = match machine.network() {
        Some(_) => (StateSet::Rows(States::new(first.0.len())), BATCH),
        None => (StateSet::Sets(IndexSet::default(), 0), BATCH_WITHOUT_NETWORK),
    };
    let mut counter = Counter {
        set,
        batch,
        // `Meter` would count the state after the last one.
        meter: Meter::new(Limits { nodes: None, children: None, ..*limits }),
        most: limits.nodes,
        memory,
        expander: machine.expander(),
        roles: machine.description().roles.len(),
        depths: Vec::new(),
        ends: Vec::new(),
    };
    let run = counter.run(first, on_depth);
    counter.depths.pop_if(|last| last.states == 0);
    let end = match run {
        Ok(()) => CountEnd::Complete,
        Err(Halt::Stop(stop)) => CountEnd::Limit(stop),
        Err(Halt::Error(error)) => CountEnd::Error(error),
    };
    StateCount { depths: counter.depths, end }
}

struct Counter<'m, 'l> {
    set: StateSet,
    batch: usize,
    meter: Meter<'l>,
    /// Limit of states.
    most: Option<u64>,
    memory: usize,
    expander: Box<dyn Expander + 'm>,
    roles: usize,
    depths: Vec<DepthCount>,
    /// For each state of the last depth whether it is terminal.
    ends: Vec<bool>,
}

/// Errors of the machine that concern the rules, unlike time and interrupts.
fn halt(error: MachineError) -> Halt {
    match error {
        MachineError::Stopped { .. } => error.into(),
        error => Halt::Error(error),
    }
}

impl Counter<'_, '_> {
    fn run(&mut self, first: &State, on_depth: &mut dyn FnMut(&[DepthCount])) -> Result<(), Halt> {
        let mut children = Children::default();
        let fields = ChildFields { states: false, goals: false, ends: false, legal: false, choices: false };
        self.expander.evaluate(&[first], fields, &mut children).map_err(halt)?;
        self.depths.push(DepthCount::default());
        self.add(&first.0, children.terminal(0))?;
        let mut from = 0;
        while from < self.set.len() {
            on_depth(&self.depths);
            let to = self.set.len();
            let ends = std::mem::take(&mut self.ends);
            self.depths.push(DepthCount::default());
            for begin in (from..to).step_by(self.batch) {
                let open = (begin..(begin + self.batch).min(to)).filter(|number| !ends[number - from]);
                let states: Vec<State> = open.map(|number| self.set.get(number)).collect();
                self.expand(&states, &mut children)?;
            }
            from = to;
        }
        Ok(())
    }

    /// Adds a state of the last depth.
    fn add(&mut self, words: &[u64], terminal: bool) -> Result<(), Halt> {
        if !self.set.add(words) {
            return Ok(());
        }
        if self.most.is_some_and(|most| self.set.len() as u64 > most) {
            return Err(Stop::Nodes.into());
        }
        // `States` numbers its states with 32 bits.
        if self.set.bytes() > self.memory || self.set.len() > u32::MAX as usize / 2 {
            return Err(Stop::Memory.into());
        }
        self.ends.push(terminal);
        if let Some(last) = self.depths.last_mut() {
            last.states += 1;
            last.terminal += u64::from(terminal);
        }
        Ok(())
    }

    /// Adds the successors of states.
    fn expand(&mut self, states: &[State], children: &mut Children) -> Result<(), Halt> {
        self.meter.glance()?;
        if states.is_empty() {
            return Ok(());
        }
        let all: Vec<&State> = states.iter().collect();
        let legal = ChildFields { states: false, goals: false, ends: false, legal: true, choices: false };
        self.expander.evaluate(&all, legal, children).map_err(halt)?;
        let (mut joints, mut parents): (Vec<MoveId>, Vec<&State>) = (Vec::new(), Vec::new());
        let mut successors = Children::default();
        for (index, state) in states.iter().enumerate() {
            list_joint_moves(children, index, self.roles, &mut joints).map_err(halt)?;
            parents.resize(joints.len() / self.roles, state);
            if parents.len() >= self.batch || index + 1 == states.len() {
                for (joints, parents) in
                    joints.chunks(self.batch * self.roles).zip(parents.chunks(self.batch))
                {
                    self.play(parents, joints, &mut successors)?;
                }
                joints.clear();
                parents.clear();
            }
        }
        Ok(())
    }

    fn play(&mut self, parents: &[&State], joints: &[MoveId], successors: &mut Children) -> Result<(), Halt> {
        self.meter.glance()?;
        let fields = ChildFields { states: true, goals: false, ends: false, legal: false, choices: false };
        self.expander.advance(parents, joints, fields, successors).map_err(halt)?;
        for child in 0..successors.len() {
            self.add(successors.state(child), successors.terminal(child))?;
        }
        Ok(())
    }
}

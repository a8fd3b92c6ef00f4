//! The reachable states of one part of a game (`ground/parts.rs`).

use rustc_hash::FxHashMap;

use crate::ground::network::RoleMove;
use crate::ground::parts::{Owner, Part};
use crate::ground::{Lit, Network};
use crate::machine::{Machine, MoveId, State};
use crate::search::limits::{Halt, Meter, Stop};

use super::outcomes::{Outcomes, holds};

/// The index of a state in [`LocalStates`].
pub(super) type LocalId = u32;

/// The number of states that are expanded between two checks of the memory.
const STATES_PER_CHECK: usize = 1024;

/// The states of a part that can be reached if the other parts never forbid a move.
pub(super) struct LocalStates<'m> {
    machine: &'m dyn Machine,
    network: &'m Network,
    /// The gates that read this part alone, ascending.
    gates: Vec<u32>,
    /// For each move, literals of this part that must be true for the move to be legal.
    moves: Vec<(MoveId, Vec<Lit>)>,
    /// The index of the part.
    number: u32,
    /// The bits of the part.
    bits: &'m [u32],
    /// The words of each state, with the bits of all other parts cleared.
    states: Vec<Box<[u64]>>,
    ids: FxHashMap<Box<[u64]>, LocalId>,
    /// For each state, its class in [`Outcomes`], and whether the game is over in it whatever the other parts' states
    /// are.
    pub(super) classes: Vec<(u32, bool)>,
    /// For each state, its successors; empty if it was not expanded or ends the game.
    next: Vec<Vec<LocalId>>,
    /// The number of all successors.
    links: usize,
    /// With a clock, element `n` has the states that can be reached after `n` steps, ascending. Without a clock, the
    /// only element has all states.
    pub(super) layers: Vec<Vec<LocalId>>,
}

impl<'m> LocalStates<'m> {
    /// `moved` has, for each bit of the network, whether moves change it. None if the part depends on the step, that
    /// is, on a bit that no move changes.
    pub(super) fn new(
        machine: &'m dyn Machine,
        network: &'m Network,
        owners: &[Owner],
        (number, part): (u32, &'m Part),
        moved: &[bool],
    ) -> Option<LocalStates<'m>> {
        let own = Owner::Part(number);
        let first = network.first_gate;
        let gates: Vec<u32> =
            (0..network.gates() as u32).filter(|&gate| owners[(first + gate) as usize] == own).collect();
        let reads_step = |operand: &Lit| operand.node() > 0 && owners[operand.node() as usize] == Owner::None;
        if gates.iter().any(|&gate| network.gate(gate as usize).iter().any(reads_step)) {
            return None;
        }
        let cone = network.cone(part.bits.iter().map(|&bit| network.next[bit as usize]).collect());
        if (0..moved.len()).any(|bit| !moved[bit] && cone[1 + bit]) {
            return None;
        }
        let local_move = |role_move: &RoleMove| {
            let mut read = Vec::new();
            implied_literals(network, role_move.legal, owners, own, &mut read);
            (role_move.legal != Lit::FALSE).then_some((MoveId(role_move.action), read))
        };
        let moves = network.moves[0].iter().filter_map(local_move).collect();
        Some(LocalStates {
            machine,
            network,
            gates,
            moves,
            number,
            bits: &part.bits,
            states: Vec::new(),
            ids: FxHashMap::default(),
            classes: Vec::new(),
            next: Vec::new(),
            links: 0,
            layers: Vec::new(),
        })
    }

    /// Adds the part's state in `first` as the root. Without a clock, also finds all states that can be reached from
    /// it.
    ///
    /// # Errors
    /// The states take more than `memory` bytes, or a limit is reached.
    pub(super) fn begin(
        &mut self,
        first: &State,
        clock: bool,
        outcomes: &mut Outcomes,
        memory: usize,
        meter: &mut Meter<'_>,
    ) -> Result<(), Halt> {
        let root = self.add(self.local(first), outcomes);
        if clock {
            self.layers.push(vec![root]);
            return Ok(());
        }
        let mut at = 0;
        while at < self.states.len() {
            self.expand(at as LocalId, first, outcomes, meter)?;
            self.check_memory(memory)?;
            at += 1;
        }
        self.layers.push((0..self.states.len() as LocalId).collect());
        Ok(())
    }

    /// Finds the states at the next step of the clock.
    ///
    /// # Errors
    /// The states take more than `memory` bytes, or a limit is reached.
    pub(super) fn step(
        &mut self,
        first: &State,
        outcomes: &mut Outcomes,
        memory: usize,
        meter: &mut Meter<'_>,
    ) -> Result<(), Halt> {
        let layer = self.layers[self.layers.len() - 1].clone();
        let mut next = Vec::new();
        for (number, state) in layer.into_iter().enumerate() {
            if number % STATES_PER_CHECK == 0 {
                self.check_memory(memory)?;
            }
            self.expand(state, first, outcomes, meter)?;
            next.extend_from_slice(&self.next[state as usize]);
        }
        next.sort_unstable();
        next.dedup();
        self.layers.push(next);
        self.check_memory(memory)
    }

    fn check_memory(&self, memory: usize) -> Result<(), Halt> {
        if self.bytes() > memory { Err(Stop::Memory.into()) } else { Ok(()) }
    }

    /// An estimate of the memory in use, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let layers: usize = self.layers.iter().map(|layer| layer.len() * size_of::<LocalId>()).sum();
        let words = self.states.first().map_or(0, |words| words.len() * size_of::<u64>());
        self.states.len() * (2 * words + 120) + self.links * size_of::<LocalId>() + layers
    }

    /// The words of a state, with the bits of all other parts cleared.
    pub(super) fn local(&self, state: &State) -> Box<[u64]> {
        let mut words = vec![0; state.0.len()].into_boxed_slice();
        self.write(&state.0, &mut words);
        words
    }

    /// Copies the bits of the part.
    fn write(&self, from: &[u64], to: &mut [u64]) {
        for &bit in self.bits {
            let (word, mask) = (bit as usize / 64, 1 << (bit % 64));
            to[word] = to[word] & !mask | from[word] & mask;
        }
    }

    /// The words of a state.
    pub(super) fn words(&self, id: LocalId) -> &[u64] {
        &self.states[id as usize]
    }

    fn add(&mut self, words: Box<[u64]>, outcomes: &mut Outcomes) -> LocalId {
        if let Some(&id) = self.ids.get(&words) {
            return id;
        }
        let id = self.states.len() as LocalId;
        let values = self.values(&words);
        self.classes.push(outcomes.class(self.number, &values));
        self.ids.insert(words.clone(), id);
        self.states.push(words);
        self.next.push(Vec::new());
        id
    }

    /// The values of all nodes that read this part alone.
    fn values(&self, words: &[u64]) -> Vec<bool> {
        let mut values = vec![false; self.network.nodes as usize];
        for &bit in self.bits {
            values[1 + bit as usize] = words[bit as usize / 64] >> (bit % 64) & 1 == 1;
        }
        for &gate in &self.gates {
            let holds = self.network.gate(gate as usize).iter().all(|&operand| holds(&values, operand));
            values[(self.network.first_gate + gate) as usize] = holds;
        }
        values
    }

    /// Finds the successors of a state, unless it ends the game. The bits of the other parts are those of `first`.
    fn expand(
        &mut self,
        id: LocalId,
        first: &State,
        outcomes: &mut Outcomes,
        meter: &mut Meter<'_>,
    ) -> Result<(), Halt> {
        meter.made(1);
        if self.classes[id as usize].1 || !self.next[id as usize].is_empty() {
            return Ok(meter.count(0)?);
        }
        meter.count(1)?;
        let words = self.states[id as usize].clone();
        let values = self.values(&words);
        let mut state = first.clone();
        self.write(&words, &mut state.0);
        let mut cursor = self.machine.cursor();
        let mut next = Vec::new();
        for index in 0..self.moves.len() {
            let (action, read) = &self.moves[index];
            if read.iter().all(|&literal| holds(&values, literal)) {
                cursor.set(&state)?;
                cursor.advance(&[*action])?;
                let local = self.local(cursor.state());
                next.push(self.add(local, outcomes));
            }
        }
        next.sort_unstable();
        next.dedup();
        self.links += next.len();
        self.next[id as usize] = next;
        Ok(())
    }

    /// The work of [`LocalStates::path_at`] or [`LocalStates::shortest_path`], in visited states as `Meter` counts
    /// them.
    pub(super) fn path_work(&self, step: usize) -> u64 {
        let layers: usize = self.layers.iter().take(step + 1).map(Vec::len).sum();
        (layers.max(self.states.len()) as u64).div_ceil(16)
    }

    /// The classes of the states at a step, without repetition.
    pub(super) fn classes_at(&self, step: usize) -> Vec<u32> {
        let mut classes: Vec<u32> = self.layers[step].iter().map(|&id| self.classes[id as usize].0).collect();
        classes.sort_unstable();
        classes.dedup();
        classes
    }

    /// A path of exactly `step` steps from the root to a state of a class.
    pub(super) fn path_at(&self, class: u32, step: usize) -> Option<Vec<LocalId>> {
        let of_class = |&&id: &&LocalId| self.classes[id as usize].0 == class;
        let mut at = *self.layers[step].iter().find(of_class)?;
        let mut path = vec![at];
        for layer in self.layers[..step].iter().rev() {
            let before = |&&id: &&LocalId| self.next[id as usize].binary_search(&at).is_ok();
            at = *layer.iter().find(before)?;
            path.push(at);
        }
        path.reverse();
        Some(path)
    }

    /// A shortest path from the root to a state of a class.
    pub(super) fn shortest_path(&self, class: u32) -> Option<Vec<LocalId>> {
        let mut parents = vec![LocalId::MAX; self.states.len()];
        parents[0] = 0;
        let (mut order, mut at) = (vec![0], 0);
        while let Some(&id) = order.get(at) {
            if self.classes[id as usize].0 == class {
                let mut path = vec![id];
                while path[path.len() - 1] != 0 {
                    path.push(parents[path[path.len() - 1] as usize]);
                }
                path.reverse();
                return Some(path);
            }
            for &next in &self.next[id as usize] {
                if parents[next as usize] == LocalId::MAX {
                    parents[next as usize] = id;
                    order.push(next);
                }
            }
            at += 1;
        }
        None
    }
}

/// Collects the literals of the part `own` that `literal` implies: itself, or operands of nested conjunctions.
fn implied_literals(network: &Network, literal: Lit, owners: &[Owner], own: Owner, found: &mut Vec<Lit>) {
    let owner = owners[literal.node() as usize];
    if owner == own {
        found.push(literal);
    } else if let (Owner::Several, false, Some(gate)) =
        (owner, literal.negated(), literal.node().checked_sub(network.first_gate))
    {
        network
            .gate(gate as usize)
            .iter()
            .for_each(|&operand| implied_literals(network, operand, owners, own, found));
    }
}

//! The network machine: a state is the bits of the network's fluents; a step evaluates all gates.

use std::sync::Arc;

use super::{Cursor, FluentId, Machine, MachineError, MoveId, State};
use crate::gdl::Description;
use crate::gdl::symbol::Symbol;
use crate::gdl::term::TermId;
use crate::ground::network::Segment;
use crate::ground::{Grounded, Lit, Network};

/// A game that runs on its propositional network.
#[derive(Clone, Debug)]
pub struct NetworkMachine {
    grounded: Arc<Grounded>,
    initial: State,
    /// The fluents that hold in every reachable state.
    constant: Vec<FluentId>,
}

impl NetworkMachine {
    /// A machine over a grounded game.
    pub fn new(grounded: Arc<Grounded>) -> NetworkMachine {
        let network = &grounded.network;
        let mut words = vec![0u64; network.bits.len().div_ceil(64)];
        for (bit, _) in network.initial.iter().enumerate().filter(|(_, holds)| **holds) {
            words[bit / 64] |= 1 << (bit % 64);
        }
        let always = network.fluents.iter().enumerate().filter(|(_, fluent)| fluent.bit.is_none());
        let constant = always.map(|(number, _)| FluentId(number as u32)).collect();
        NetworkMachine { initial: State(words.into()), constant, grounded }
    }

    /// The grounded game.
    pub fn grounded(&self) -> &Arc<Grounded> {
        &self.grounded
    }

    fn network(&self) -> &Network {
        &self.grounded.network
    }

    fn write(&self, functor: Symbol, arguments: &[TermId]) -> String {
        super::application_text(&self.grounded.description.symbols, &self.grounded.terms, functor, arguments)
    }
}

impl Machine for NetworkMachine {
    fn description(&self) -> &Description {
        &self.grounded.description
    }

    fn backend(&self) -> &'static str {
        "network"
    }

    fn initial(&self) -> &State {
        &self.initial
    }

    fn cursor(&self) -> Box<dyn Cursor + '_> {
        Box::new(NetworkCursor::new(self))
    }

    fn fluents(&self, state: &State, out: &mut Vec<FluentId>) {
        let start = out.len();
        for (word, &bits) in state.0.iter().enumerate() {
            let mut left = bits;
            while left != 0 {
                out.push(FluentId(self.network().bits[word * 64 + left.trailing_zeros() as usize]));
                left &= left - 1;
            }
        }
        if !self.constant.is_empty() {
            out.extend_from_slice(&self.constant);
            out[start..].sort_unstable();
        }
    }

    fn fluent(&self, fluent: FluentId) -> (Symbol, Vec<TermId>) {
        let fluent = &self.network().fluents[fluent.0 as usize];
        (fluent.functor, fluent.arguments.clone())
    }

    fn action(&self, action: MoveId) -> (Symbol, Vec<TermId>) {
        let action = &self.network().actions[action.0 as usize];
        (action.functor, action.arguments.clone())
    }

    fn fluent_text(&self, fluent: FluentId) -> String {
        let fluent = &self.network().fluents[fluent.0 as usize];
        self.write(fluent.functor, &fluent.arguments)
    }

    fn move_text(&self, action: MoveId) -> String {
        let action = &self.network().actions[action.0 as usize];
        self.write(action.functor, &action.arguments)
    }

    fn term_text(&self, term: TermId) -> String {
        self.grounded.terms.display(term, &self.grounded.description.symbols)
    }
}

struct NetworkCursor<'a> {
    network: &'a Network,
    state: State,
    /// 1 for every node that is true.
    values: Vec<u8>,
    legal: Vec<Vec<MoveId>>,
    goals: Vec<Vec<i32>>,
    terminal: bool,
    work: u64,
}

fn literal(values: &[u8], literal: Lit) -> bool {
    values[literal.node() as usize] ^ u8::from(literal.negated()) == 1
}

impl<'a> NetworkCursor<'a> {
    fn new(machine: &'a NetworkMachine) -> NetworkCursor<'a> {
        let network = machine.network();
        let roles = network.moves.len();
        let mut cursor = NetworkCursor {
            network,
            state: machine.initial.clone(),
            values: vec![0; network.nodes as usize],
            legal: vec![Vec::new(); roles],
            goals: vec![Vec::new(); roles],
            terminal: false,
            work: 0,
        };
        cursor.enter();
        cursor
    }

    /// Computes all that the state alone decides.
    fn enter(&mut self) {
        let network = self.network;
        for bit in 0..network.bits.len() {
            self.values[1 + bit] = (self.state.0[bit / 64] >> (bit % 64) & 1) as u8;
        }
        self.evaluate(&network.segments[..network.state_segments]);
        for (role, moves) in network.moves.iter().enumerate() {
            let legal = &mut self.legal[role];
            legal.clear();
            legal.extend(moves.iter().filter(|m| literal(&self.values, m.legal)).map(|m| MoveId(m.action)));
        }
        for (role, goals) in network.goals.iter().enumerate() {
            let held = &mut self.goals[role];
            held.clear();
            held.extend(
                goals.iter().filter(|(_, when)| literal(&self.values, *when)).map(|(value, _)| *value),
            );
            held.dedup();
        }
        self.terminal = literal(&self.values, network.terminal);
    }

    fn evaluate(&mut self, segments: &[Segment]) {
        for segment in segments {
            match segment {
                Segment::Straight(gates) => self.gates(gates.start, gates.end),
                Segment::Loop { gates, feedback } => {
                    feedback.iter().for_each(|&(node, _)| self.values[node as usize] = 0);
                    loop {
                        self.gates(gates.start, gates.end);
                        let mut changed = false;
                        for &(node, definition) in feedback {
                            let value = u8::from(literal(&self.values, definition));
                            changed |= std::mem::replace(&mut self.values[node as usize], value) != value;
                        }
                        if !changed {
                            break;
                        }
                    }
                }
            }
        }
    }

    fn gates(&mut self, start: u32, end: u32) {
        let network = self.network;
        let first = network.first_gate as usize;
        for gate in start as usize..end as usize {
            let value = network.gate(gate).iter().all(|&operand| literal(&self.values, operand));
            self.values[first + gate] = u8::from(value);
        }
        self.work += u64::from(end - start);
    }
}

impl Cursor for NetworkCursor<'_> {
    fn set(&mut self, state: &State) -> Result<(), MachineError> {
        self.state.0.copy_from_slice(&state.0);
        self.enter();
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn legal(&self, role: usize) -> &[MoveId] {
        &self.legal[role]
    }

    fn terminal(&self) -> bool {
        self.terminal
    }

    fn goals(&self, role: usize) -> &[i32] {
        &self.goals[role]
    }

    fn advance(&mut self, joint: &[MoveId]) -> Result<(), MachineError> {
        let network = self.network;
        let find = |role: usize, action: MoveId| {
            let moves = &network.moves[role];
            moves.binary_search_by_key(&action.0, |m| m.action).ok().map(|index| moves[index].input as usize)
        };
        for (role, &action) in joint.iter().enumerate() {
            if let Some(input) = find(role, action) {
                self.values[input] = 1;
            }
        }
        self.evaluate(&network.segments[network.state_segments..]);
        self.state.0.fill(0);
        for (bit, &next) in network.next.iter().enumerate() {
            self.state.0[bit / 64] |= u64::from(literal(&self.values, next)) << (bit % 64);
        }
        for (role, &action) in joint.iter().enumerate() {
            if let Some(input) = find(role, action) {
                self.values[input] = 0;
            }
        }
        self.enter();
        Ok(())
    }

    fn work(&self) -> u64 {
        self.work
    }
}

//! Stepping a network by its changes: a move and the fluents it changes touch a small part of the gates.
//!
//! Every gate (a conjunction) counts its false operands; it is true when there is none. A node that changes
//! tells its readers, which count up or down. Counting is commutative, so the order of events does not matter
//! for where they end. A loop is evaluated as a whole when what it reads has settled.

use std::collections::BTreeSet;

use super::wiring::{Told, Wiring};
use crate::ground::network::Segment;
use crate::ground::{Lit, Network};
use crate::machine::{Cursor, MachineError, MoveId, State};

/// The values of all nodes and outputs in one state.
#[derive(Clone, Debug)]
pub(super) struct Signals {
    /// Number of false operands of every gate.
    false_operands: Vec<u32>,
    /// 1 for every node that is true.
    values: Vec<u8>,
    /// The outputs, by the places of the wiring.
    outputs: Vec<u64>,
}

fn holds(values: &[u8], literal: Lit) -> bool {
    values[literal.node() as usize] ^ u8::from(literal.negated()) == 1
}

impl Signals {
    /// The signals of a state with no move made: every gate evaluated once.
    pub(super) fn new(network: &Network, wiring: &Wiring, state: &State) -> Signals {
        let mut values = vec![0; network.nodes as usize];
        for bit in 0..network.bits.len() {
            values[1 + bit] = (state.0[bit / 64] >> (bit % 64) & 1) as u8;
        }
        let first = network.first_gate as usize;
        for segment in &network.segments {
            match segment {
                Segment::Straight(gates) => {
                    for gate in gates.start as usize..gates.end as usize {
                        values[first + gate] =
                            u8::from(network.gate(gate).iter().all(|&o| holds(&values, o)));
                    }
                }
                Segment::Loop { .. } => settle_loop(network, segment, &mut values),
            }
        }
        let count =
            |gate| network.gate(gate).iter().filter(|&&operand| !holds(&values, operand)).count() as u32;
        let false_operands = (0..network.gates()).map(count).collect();
        let mut outputs = vec![0; wiring.places.words];
        for &(literal, bit) in &wiring.outputs {
            outputs[bit as usize / 64] |= u64::from(holds(&values, literal)) << (bit % 64);
        }
        Signals { false_operands, values, outputs }
    }
}

/// The least fixpoint of a loop.
fn settle_loop(network: &Network, segment: &Segment, values: &mut [u8]) {
    let Segment::Loop { gates, feedback } = segment else { return };
    let first = network.first_gate as usize;
    feedback.iter().for_each(|&(node, _)| values[node as usize] = 0);
    loop {
        for gate in gates.start as usize..gates.end as usize {
            values[first + gate] = u8::from(network.gate(gate).iter().all(|&operand| holds(values, operand)));
        }
        let mut changed = false;
        for &(node, definition) in feedback {
            let value = u8::from(holds(values, definition));
            changed |= std::mem::replace(&mut values[node as usize], value) != value;
        }
        if !changed {
            return;
        }
    }
}

/// What a position costs at least, in units of work (about a nanosecond each).
const POSITION: u64 = 400;

/// One thread's view of a network.
pub(super) struct NetworkCursor<'a> {
    network: &'a Network,
    wiring: &'a Wiring,
    signals: Signals,
    state: State,
    /// The input node of each role's last move, or 0.
    made: Vec<u32>,
    /// Changes to tell: `node << 1 | value`, in order.
    queue: Vec<u32>,
    unsettled: BTreeSet<usize>,
    /// The words that `legal` was read from.
    legal_words: Vec<u64>,
    legal: Vec<Vec<MoveId>>,
    goals: Vec<Vec<i32>>,
    work: u64,
}

impl<'a> NetworkCursor<'a> {
    pub(super) fn new(
        network: &'a Network,
        wiring: &'a Wiring,
        signals: &Signals,
        state: State,
    ) -> NetworkCursor<'a> {
        let roles = network.moves.len();
        let mut cursor = NetworkCursor {
            network,
            wiring,
            signals: signals.clone(),
            state,
            made: vec![0; roles],
            queue: Vec::new(),
            unsettled: BTreeSet::new(),
            legal_words: vec![0; wiring.places.words],
            legal: vec![Vec::new(); roles],
            goals: vec![Vec::new(); roles],
            work: 0,
        };
        cursor.read_outputs();
        cursor
    }

    /// Gives an input node a value.
    fn turn(&mut self, node: u32, value: bool) {
        self.signals.values[node as usize] = u8::from(value);
        self.queue.push(node << 1 | u32::from(value));
    }

    /// Tells all changes until nothing changes any more.
    fn settle(&mut self) {
        loop {
            self.tell();
            let Some(number) = self.unsettled.pop_first() else { return };
            self.settle_loop(number);
        }
    }

    fn tell(&mut self) {
        let first = self.network.first_gate;
        let Signals { false_operands, values, outputs } = &mut self.signals;
        let mut next = 0;
        while next < self.queue.len() {
            let event = self.queue[next];
            next += 1;
            for &reader in self.wiring.readers(event >> 1) {
                let gate = reader >> 1;
                let count = &mut false_operands[gate as usize];
                if (reader ^ event) & 1 == 1 {
                    *count = count.wrapping_sub(1);
                    if *count == 0 {
                        values[(first + gate) as usize] = 1;
                        self.queue.push((first + gate) << 1 | 1);
                    }
                } else {
                    if *count == 0 {
                        values[(first + gate) as usize] = 0;
                        self.queue.push((first + gate) << 1);
                    }
                    *count = count.wrapping_add(1);
                }
            }
            for told in self.wiring.told(event >> 1) {
                match told {
                    Told::Bit(bit) => outputs[bit / 64] ^= 1 << (bit % 64),
                    Told::Loop(number) => {
                        self.unsettled.insert(number);
                    }
                }
            }
        }
        self.queue.clear();
    }

    /// The least fixpoint of a loop whose inputs have settled: all its atoms false, then those that follow.
    fn settle_loop(&mut self, number: usize) {
        let Segment::Loop { feedback, .. } = &self.network.segments[self.wiring.loops[number]] else {
            return;
        };
        for &(node, _) in feedback {
            if self.signals.values[node as usize] == 1 {
                self.turn(node, false);
            }
        }
        self.tell();
        loop {
            for &(node, definition) in feedback {
                if self.signals.values[node as usize] == 0 && holds(&self.signals.values, definition) {
                    self.turn(node, true);
                }
            }
            if self.queue.is_empty() {
                return;
            }
            self.tell();
        }
    }

    /// Turns the fluents that differ from `target`, and stands there.
    fn enter(&mut self, target: impl Fn(&NetworkCursor<'a>, usize) -> u64) {
        let words = self.state.0.len();
        for word in 0..words {
            let new = target(self, word);
            let mut changed = self.state.0[word] ^ new;
            self.state.0[word] = new;
            while changed != 0 {
                let bit = changed.trailing_zeros();
                changed &= changed - 1;
                self.turn(1 + word as u32 * 64 + bit, new >> bit & 1 == 1);
            }
        }
        self.settle();
        self.read_outputs();
    }

    /// Lists legal moves and goals anew where they changed.
    fn read_outputs(&mut self) {
        let places = &self.wiring.places;
        let outputs = &self.signals.outputs;
        for (role, moves) in self.network.moves.iter().enumerate() {
            let range = places.legal[role]..places.legal[role] + moves.len().div_ceil(64);
            if self.legal_words[range.clone()] == outputs[range.clone()] && !self.legal[role].is_empty() {
                continue;
            }
            self.legal_words[range.clone()].copy_from_slice(&outputs[range.clone()]);
            let legal = &mut self.legal[role];
            legal.clear();
            for (index, &word) in outputs[range].iter().enumerate() {
                let mut left = word;
                while left != 0 {
                    let number = index * 64 + left.trailing_zeros() as usize;
                    left &= left - 1;
                    legal.push(MoveId(moves[number].action));
                }
            }
        }
        for (role, goals) in self.network.goals.iter().enumerate() {
            let held = &mut self.goals[role];
            held.clear();
            for (number, &(value, _)) in goals.iter().enumerate() {
                if outputs[places.goals[role] + number / 64] >> (number % 64) & 1 == 1 {
                    held.push(value);
                }
            }
            held.dedup();
        }
    }

    /// The work of one position: a quarter of the network, whatever changed, so that it does not depend on
    /// where the cursor stood before, and what a position costs at least, its observers included.
    fn count(&mut self) {
        self.work += POSITION + (self.network.gates() as u64 + self.network.bits.len() as u64) / 4;
    }
}

impl Cursor for NetworkCursor<'_> {
    fn set(&mut self, state: &State) -> Result<(), MachineError> {
        self.enter(|_, word| state.0[word]);
        self.count();
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn legal(&self, role: usize) -> &[MoveId] {
        &self.legal[role]
    }

    fn terminal(&self) -> bool {
        self.signals.outputs[self.wiring.places.terminal] & 1 == 1
    }

    fn goals(&self, role: usize) -> &[i32] {
        &self.goals[role]
    }

    fn advance(&mut self, joint: &[MoveId]) -> Result<(), MachineError> {
        for (role, action) in joint.iter().enumerate() {
            let input = self.wiring.inputs[role][action.0 as usize];
            let before = std::mem::replace(&mut self.made[role], input);
            if before != input {
                if before != 0 {
                    self.turn(before, false);
                }
                if input != 0 {
                    self.turn(input, true);
                }
            }
        }
        self.settle();
        self.enter(|cursor, word| cursor.signals.outputs[word]);
        self.count();
        Ok(())
    }

    fn work(&self) -> u64 {
        self.work
    }
}

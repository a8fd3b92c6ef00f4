//! The values of all nodes and outputs in one state.

use super::evaluate::{evaluate, holds};
use super::wiring::Wiring;
use crate::ground::Network;
use crate::machine::State;

/// The values of all nodes and outputs in one state.
#[derive(Clone, Debug)]
pub(super) struct Signals {
    /// For every gate, by node, the number of false operands without its guard.
    pub(super) false_operands: Vec<u32>,
    /// For every input and every node in a loop, 1 if it is true. Undefined for other gates.
    pub(super) values: Vec<u8>,
    /// For each guard, 1 if it is true.
    pub(super) open: Vec<u8>,
    /// Gates without a false operand other than their guard, in the rows of the guards.
    pub(super) ready: Vec<u64>,
    /// The outputs, in the layout of `Wiring::places`.
    pub(super) outputs: Vec<u64>,
}

impl Signals {
    /// Evaluates a state, with no move made.
    pub(super) fn new(network: &Network, wiring: &Wiring, state: &State) -> Signals {
        let mut values = vec![0; network.nodes as usize];
        for bit in 0..network.bits.len() {
            values[1 + bit] = (state.0[bit / 64] >> (bit % 64) & 1) as u8;
        }
        evaluate(network, &mut values);
        let open: Vec<u8> = wiring.guards.nodes.iter().map(|&node| values[node as usize]).collect();
        let mut ready = vec![0; wiring.guards.words];
        let mut false_operands = vec![0; network.nodes as usize];
        for (gate, node) in (0..network.gates()).zip(network.first_gate..) {
            let guard = wiring.guard(node);
            let counted =
                network.gate(gate).iter().filter(|&&operand| guard.is_none_or(|(g, _)| g != operand));
            let count = counted.filter(|&&operand| !holds(&values, operand)).count() as u32;
            false_operands[node as usize] = count;
            if let (0, Some((_, bit))) = (count, guard) {
                ready[bit as usize / 64] |= 1 << (bit % 64);
            }
        }
        let mut outputs = vec![0; wiring.places.words];
        for &(literal, bit) in &wiring.places.outputs {
            outputs[bit as usize / 64] |= u64::from(holds(&values, literal)) << (bit % 64);
        }
        Signals { false_operands, values, open, ready, outputs }
    }

    /// Copies the signals of the same network.
    pub(super) fn copy_from(&mut self, other: &Signals) {
        self.false_operands.copy_from_slice(&other.false_operands);
        self.values.copy_from_slice(&other.values);
        self.open.copy_from_slice(&other.open);
        self.ready.copy_from_slice(&other.ready);
        self.outputs.copy_from_slice(&other.outputs);
    }

    /// Memory used, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.false_operands.len() * 4
            + self.values.len()
            + self.open.len()
            + (self.ready.len() + self.outputs.len()) * 8
    }
}

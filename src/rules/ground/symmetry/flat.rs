//! The gates of a network in a flat form that depends less on how the rules are written.
//!
//! A line of four cells may be derived cell by cell from one end. Its gates then form a chain, which a reflection does not map
//! to itself. So conjunctions are replaced by their operands wherever they are operands of other conjunctions, equal gates are
//! merged, and gates that no output reads are left out. The values of all outputs stay the same.

use rustc_hash::FxHashMap;

use crate::ground::circuit::Lit;
use crate::ground::network::{Network, Segment};

/// Limit of the operands of all flat gates, as a multiple of those of the network, and in addition to them.
const GROWTH: usize = 4;
const MORE_OPERANDS: usize = 10_000;

/// The gates of a network.
pub(super) struct FlatGates {
    /// For each node the literal that replaces it.
    replacement: Vec<Lit>,
    /// For each gate its operands; empty for gates that were replaced or that no output reads.
    operands: Vec<Vec<Lit>>,
}

impl FlatGates {
    /// The flat gates of a network, or its own gates if the flat ones would be too large.
    pub(super) fn new(network: &Network) -> FlatGates {
        let mut flat = FlatGates::flattened(network).unwrap_or_else(|| FlatGates::own(network));
        flat.remove_unread(network);
        flat
    }

    /// The network's own gates.
    pub(super) fn own(network: &Network) -> FlatGates {
        FlatGates {
            replacement: (0..network.nodes).map(Lit::of).collect(),
            operands: (0..network.gates()).map(|gate| network.gate(gate).to_vec()).collect(),
        }
    }

    fn flattened(network: &Network) -> Option<FlatGates> {
        let most = GROWTH * network.operands.len() + MORE_OPERANDS;
        let mut count = 0;
        let mut flat = FlatGates {
            replacement: (0..network.nodes).map(Lit::of).collect(),
            operands: vec![Vec::new(); network.gates()],
        };
        let mut known: FxHashMap<Vec<Lit>, Lit> = FxHashMap::default();
        for gate in 0..network.gates() {
            let mut operands = Vec::new();
            for &operand in network.gate(gate) {
                let literal = flat.literal(operand);
                match literal.node().checked_sub(network.first_gate).filter(|_| !literal.negated()) {
                    Some(inner) => operands.extend_from_slice(&flat.operands[inner as usize]),
                    None => operands.push(literal),
                }
                if count + operands.len() > most {
                    return None;
                }
            }
            operands.sort_unstable();
            operands.dedup();
            count += operands.len();
            let node = network.first_gate + gate as u32;
            flat.replacement[node as usize] = match operands[..] {
                [only] => only,
                _ => *known.entry(operands.clone()).or_insert(Lit::of(node)),
            };
            if flat.replacement[node as usize] == Lit::of(node) {
                flat.operands[gate] = operands;
            }
        }
        Some(flat)
    }

    /// Removes the operands of gates that no output reads.
    fn remove_unread(&mut self, network: &Network) {
        let mut read = vec![false; self.operands.len()];
        let loops = network.segments.iter().flat_map(|segment| match segment {
            Segment::Loop { feedback, .. } => &feedback[..],
            Segment::Straight(_) => &[],
        });
        let definitions = loops.map(|&(_, definition)| definition);
        let legal = network.moves.iter().flatten().map(|role_move| role_move.legal);
        let goals = network.goals.iter().flatten().map(|&(_, condition)| condition);
        let outputs = network.next.iter().copied().chain([network.terminal]).chain(definitions);
        let mut stack: Vec<Lit> =
            outputs.chain(legal).chain(goals).map(|output| self.literal(output)).collect();
        while let Some(literal) = stack.pop() {
            let Some(gate) = literal.node().checked_sub(network.first_gate) else { continue };
            if !std::mem::replace(&mut read[gate as usize], true) {
                stack.extend_from_slice(&self.operands[gate as usize]);
            }
        }
        for (operands, read) in self.operands.iter_mut().zip(read) {
            if !read {
                operands.clear();
            }
        }
    }

    /// The literal that replaces another one.
    pub(super) fn literal(&self, literal: Lit) -> Lit {
        let replacement = self.replacement[literal.node() as usize];
        if literal.negated() { !replacement } else { replacement }
    }

    /// The operands of a gate.
    pub(super) fn gate(&self, gate: usize) -> &[Lit] {
        &self.operands[gate]
    }
}

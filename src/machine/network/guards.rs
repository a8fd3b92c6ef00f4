//! Guards: operands that very many gates share, and the rows of gates that wait for them.

use super::wiring::{Gate, NONE};
use crate::ground::{Lit, Network};

/// A node that fewer gates read is told to them one by one.
const FEW: u32 = 8;

/// What changes when a guard changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Guard {
    /// Words of outputs, and the word of ready gates that each changes by.
    pub(super) outputs: Vec<(u32, u32)>,
    /// The first word of ready gates that have to tell others.
    pub(super) first: u32,
    /// These gates, in the order of their bits: `gate << 1 | negated`.
    pub(super) gates: Vec<u32>,
}

/// All guards.
#[derive(Clone, Debug, Default)]
pub(super) struct Guards {
    /// The node of every guard.
    pub(super) nodes: Vec<u32>,
    /// What hangs on every guard.
    pub(super) rows: Vec<Guard>,
    /// Number of words of ready gates.
    pub(super) words: usize,
}

/// The guard of every gate: of its operands the one that most gates read, if they are not few.
pub(super) fn guard_gates(network: &Network) -> Vec<Option<Lit>> {
    let mut readers = vec![0u32; network.nodes as usize];
    network.operands.iter().for_each(|operand| readers[operand.node() as usize] += 1);
    let guard = |gate: usize| {
        let count = |operand: &Lit| readers[operand.node() as usize];
        let most = network.gate(gate).iter().copied().max_by_key(|operand| (count(operand), !operand.0));
        most.filter(|operand| count(operand) >= FEW)
    };
    (0..network.gates()).map(guard).collect()
}

impl Guards {
    /// Lays out the rows, and tells every gate its guard and its bit.
    pub(super) fn new(guard_of: &[Option<Lit>], gates: &mut [Gate], nobody: u32) -> Guards {
        let mut guarded: Vec<(u32, u32)> = Vec::new();
        for (gate, guard) in guard_of.iter().enumerate() {
            guarded.extend(guard.map(|guard| (guard.node(), (gate as u32) << 1 | u32::from(guard.negated()))));
        }
        guarded.sort_unstable();
        let mut guards = Guards::default();
        for members in guarded.chunk_by(|a, b| a.0 == b.0) {
            let number = guards.nodes.len() as u32;
            let mut row = Guard::default();
            // Gates that are nothing but an output, in words of outputs.
            let is_leaf = |gate: &Gate| !gate.tells && gate.output != nobody;
            for &(_, member) in members {
                let gate = &mut gates[member as usize >> 1];
                gate.guard = number << 1 | member & 1;
                if is_leaf(gate) {
                    row.outputs.push((gate.output / 64, 0));
                }
            }
            row.outputs.sort_unstable();
            row.outputs.dedup();
            for (_, ready) in &mut row.outputs {
                *ready = guards.words as u32;
                guards.words += 1;
            }
            row.first = guards.words as u32;
            for &(_, member) in members {
                let gate = &mut gates[member as usize >> 1];
                let place = row.outputs.binary_search_by_key(&(gate.output / 64), |&(output, _)| output);
                gate.ready = match place {
                    Ok(place) if is_leaf(gate) => row.outputs[place].1 * 64 + gate.output % 64,
                    _ => {
                        row.gates.push(member);
                        row.first * 64 + row.gates.len() as u32 - 1
                    }
                };
            }
            guards.words += row.gates.len().div_ceil(64);
            guards.nodes.push(members[0].0);
            guards.rows.push(row);
        }
        debug_assert!(gates.iter().all(|gate| (gate.guard == NONE) == (gate.ready == NONE)));
        guards
    }
}

//! Guards: operands shared by very many gates, with rows of the gates that wait for them.

use super::activity::activity;
use crate::ground::{Lit, Network};

/// Means no guard, bit or entry.
pub(super) const NONE: u32 = u32::MAX;

/// A node with fewer readers is not a guard; it notifies its readers one by one.
const MIN_READERS: u32 = 8;

/// Factor by which a guard must change more often than the gate's other operands together.
const MIN_CHANGE_RATIO: u32 = 3;

/// The outputs and gates that depend on a guard.
#[derive(Clone, Debug, Default)]
pub(super) struct Guard {
    /// Output words, each with the word of ready gates that is combined with it.
    pub(super) outputs: Vec<(u32, u32)>,
    /// The first word of ready gates that have readers.
    pub(super) first: u32,
    /// These gates, in the order of their bits: `node << 1 | negated`.
    pub(super) gates: Vec<u32>,
}

/// All guards.
#[derive(Clone, Debug, Default)]
pub(super) struct Guards {
    /// The node of every guard.
    pub(super) nodes: Vec<u32>,
    /// The dependents of every guard.
    pub(super) rows: Vec<Guard>,
    /// Number of words of ready gates.
    pub(super) words: usize,
}

/// For every gate its guard, if any: the operand that changes most often. It must change several times as often as the other
/// operands together, and in at least every sixteenth step. Changes of the other operands cost more in a guarded gate, so
/// gates in a chain of changes have no guard.
pub(super) fn guard_gates(network: &Network) -> Vec<Option<Lit>> {
    let (steps, changes) = activity(network);
    let mut readers = vec![0u32; network.nodes as usize];
    network.operands.iter().for_each(|operand| readers[operand.node() as usize] += 1);
    let guard = |gate: usize| {
        let changes = |operand: &Lit| changes[operand.node() as usize];
        let most = network.gate(gate).iter().copied().max_by_key(|operand| (changes(operand), !operand.0))?;
        let all: u32 = network.gate(gate).iter().map(changes).sum();
        let is_worthwhile = changes(&most) >= MIN_CHANGE_RATIO * (all - changes(&most))
            && changes(&most) as usize * 16 >= steps;
        (is_worthwhile && readers[most.node() as usize] >= MIN_READERS).then_some(most)
    };
    (0..network.gates()).map(guard).collect()
}

impl Guards {
    /// Lays out the rows. Returns for every gate its guard (`number << 1 | negated`) and its bit among the ready gates, or
    /// [`NONE`] twice. `leaves` has the output of gates that are a single output and have no readers.
    pub(super) fn new(
        first_gate: u32,
        guard_of: &[Option<Lit>],
        leaves: &[Option<u32>],
    ) -> (Guards, Vec<(u32, u32)>) {
        let mut by_guard: Vec<(u32, u32)> = Vec::new();
        for (gate, guard) in guard_of.iter().enumerate() {
            by_guard
                .extend(guard.map(|guard| (guard.node(), (gate as u32) << 1 | u32::from(guard.negated()))));
        }
        by_guard.sort_unstable();
        let mut guards = Guards::default();
        let mut guarded = vec![(NONE, NONE); guard_of.len()];
        for members in by_guard.chunk_by(|a, b| a.0 == b.0) {
            let number = guards.nodes.len() as u32;
            let mut row = Guard::default();
            let outputs = members.iter().filter_map(|&(_, member)| leaves[member as usize >> 1]);
            row.outputs = outputs.map(|output| (output / 64, 0)).collect();
            row.outputs.sort_unstable();
            row.outputs.dedup();
            for (_, ready) in &mut row.outputs {
                *ready = guards.words as u32;
                guards.words += 1;
            }
            row.first = guards.words as u32;
            for &(_, member) in members {
                let leaf = leaves[member as usize >> 1].and_then(|output| {
                    let index = row.outputs.binary_search_by_key(&(output / 64), |&(word, _)| word).ok()?;
                    Some(row.outputs[index].1 * 64 + output % 64)
                });
                let ready = leaf.unwrap_or_else(|| {
                    row.gates.push(member + (first_gate << 1));
                    row.first * 64 + row.gates.len() as u32 - 1
                });
                guarded[member as usize >> 1] = (number << 1 | member & 1, ready);
            }
            guards.words += row.gates.len().div_ceil(64);
            guards.nodes.push(members[0].0);
            guards.rows.push(row);
        }
        (guards, guarded)
    }
}

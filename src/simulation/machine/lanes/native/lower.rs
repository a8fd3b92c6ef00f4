//! Replaces three-input gates by and, and-not, or and exclusive or, for processors that have only these.

use std::sync::LazyLock;

use super::super::table::{AND, INPUT, OR, XOR};
use super::values::{ValueGate, Values};

/// `a and not b`, and vice versa.
pub(super) const AND_NOT: u8 = INPUT[0] & !INPUT[1];
pub(super) const NOT_AND: u8 = !INPUT[0] & INPUT[1];

/// Maximum number of operations for a gate of three inputs (Knuth, The Art of Computer Programming 7.1.2).
const LONGEST: usize = 4;

/// An operation on two nodes: 0 to 2 are the gate's inputs, 3 is the first result, and so on.
#[derive(Clone, Copy, Default)]
struct SequenceStep {
    table: u8,
    nodes: [u8; 2],
}

/// The cheapest sequence for a table.
#[derive(Clone, Copy)]
struct Sequence {
    cost: u32,
    length: usize,
    steps: [SequenceStep; LONGEST],
}

/// A sequence for every table that is zero if all inputs are zero, by exhaustive search.
static SEQUENCES: LazyLock<[Sequence; 256]> = LazyLock::new(|| {
    let none = Sequence { cost: u32::MAX, length: 0, steps: [SequenceStep::default(); LONGEST] };
    let mut best = [none; 256];
    let mut nodes = [0; 3 + LONGEST];
    nodes[..3].copy_from_slice(&INPUT);
    extend(&mut best, &mut nodes, &mut [SequenceStep::default(); LONGEST], 0, 0);
    best
});

/// Tries all sequences that extend the first `length` steps, up to [`LONGEST`] steps.
fn extend(
    best: &mut [Sequence; 256],
    nodes: &mut [u8; 3 + LONGEST],
    steps: &mut [SequenceStep; LONGEST],
    length: usize,
    cost: u32,
) {
    for second in 1..3 + length {
        for first in 0..second {
            for table in [AND, OR, XOR, AND_NOT, NOT_AND] {
                let (x, y) = (nodes[first], nodes[second]);
                let (made, step_cost) = match table {
                    AND => (x & y, 8),
                    OR => (x | y, 8),
                    XOR => (x ^ y, 8),
                    // It is not commutative.
                    AND_NOT => (x & !y, 9),
                    _ => (!x & y, 9),
                };
                let cost = cost + step_cost;
                steps[length] = SequenceStep { table, nodes: [first as u8, second as u8] };
                let found = &mut best[made as usize];
                if cost < found.cost {
                    *found = Sequence { cost, length: length + 1, steps: *steps };
                }
                if length + 1 < LONGEST {
                    nodes[3 + length] = made;
                    extend(best, nodes, steps, length + 1, cost);
                }
            }
        }
    }
}

/// Replaces every gate of three inputs by its sequence. Gates must be zero if all inputs are zero.
pub(super) fn lower(values: Values) -> Values {
    let Values { slots, gates: old, finals, unchanged, constants } = values;
    let mut gates: Vec<ValueGate> = Vec::with_capacity(2 * old.len());
    let mut renamed: Vec<u32> = (0..slots).collect();
    for mut gate in old {
        gate.inputs[..gate.arity as usize].iter_mut().for_each(|input| *input = renamed[*input as usize]);
        if gate.arity < 3 {
            gates.push(gate);
        } else {
            let first = slots + gates.len() as u32;
            let sequence = &SEQUENCES[gate.table as usize];
            for step in &sequence.steps[..sequence.length] {
                let [x, y] = step.nodes.map(|node| match node {
                    0..3 => gate.inputs[node as usize],
                    _ => first + u32::from(node) - 3,
                });
                gates.push(ValueGate { inputs: [x, y, u32::MAX], arity: 2, table: step.table });
            }
        }
        renamed.push(slots + gates.len() as u32 - 1);
    }
    let finals = finals.into_iter().map(|(slot, value)| (slot, renamed[value as usize])).collect();
    Values { slots, gates, finals, unchanged, constants }
}

#[cfg(test)]
mod tests {
    use super::super::super::table;
    use super::*;

    #[test]
    fn every_even_table_has_a_sequence_and_it_computes_the_table() {
        let mut lengths = [0; LONGEST + 1];
        for table in (0..=254).step_by(2) {
            let sequence = &SEQUENCES[table];
            assert!(sequence.cost < u32::MAX, "{table:08b}");
            let mut nodes = INPUT.to_vec();
            for step in &sequence.steps[..sequence.length] {
                let [x, y] = step.nodes.map(|node| nodes[node as usize]);
                nodes.push(table::apply(step.table, [x, y, 0]));
            }
            assert_eq!(nodes[nodes.len() - 1] as usize, table);
            lengths[sequence.length] += 1;
        }
        // The three inputs and zero are computed from other nodes here; no gate has their tables.
        assert_eq!(lengths.iter().sum::<usize>(), 128);
        assert!(lengths[1] == 15 && lengths[4] < 20, "{lengths:?}");
    }
}

//! Full evaluation of a network.

use crate::ground::network::Segment;
use crate::ground::{Lit, Network};

/// Whether a literal is true.
pub(super) fn holds(values: &[u8], literal: Lit) -> bool {
    values[literal.node() as usize] ^ u8::from(literal.negated()) == 1
}

/// Evaluates every gate once, from the values of the inputs.
pub(super) fn evaluate(network: &Network, values: &mut [u8]) {
    let first = network.first_gate as usize;
    for segment in &network.segments {
        match segment {
            Segment::Straight(gates) => {
                for gate in gates.start as usize..gates.end as usize {
                    values[first + gate] = u8::from(network.gate(gate).iter().all(|&o| holds(values, o)));
                }
            }
            Segment::Loop { .. } => settle_loop(network, segment, values),
        }
    }
}

/// Computes the least fixpoint of a loop.
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

//! Orders the gates of a circuit for evaluation, in segments: first the gates that depend only on the state, then the
//! others.

use super::circuit::{Circuit, Lit, Node};
use super::network::{Network, Segment};

/// Numbers the gates in evaluation order, the cone of the state first.
pub(super) fn place_gates(
    circuit: &Circuit,
    network: &mut Network,
    number: &mut [Lit],
    mut next_node: u32,
) -> u32 {
    let count = circuit.len() as u32;
    let on_moves = nodes_on_moves(circuit);
    for node in 0..count {
        if matches!(circuit.node(node), Node::Feedback(..)) {
            number[node as usize] = Lit::of(next_node);
            next_node += 1;
        }
    }
    network.first_gate = next_node;
    network.starts.push(0);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); circuit.loops.len()];
    for node in 0..count {
        if let (Some(l), Node::And { .. }) = (circuit.loop_of(node), circuit.node(node)) {
            members[l as usize].push(node);
        }
    }
    for cone in [false, true] {
        let mut run_start = network.gates() as u32;
        let mut placed = vec![false; circuit.loops.len()];
        for node in 0..count {
            if on_moves[node as usize] != cone {
                continue;
            }
            if let (Node::And { .. }, None) = (circuit.node(node), circuit.loop_of(node)) {
                place_gate(circuit, node, network, number, &mut next_node);
            }
            // A loop is placed at its last gate: everything that it reads is placed by then.
            if let Some(l) = circuit.loop_of(node)
                && !placed[l as usize]
                && members[l as usize].last().is_none_or(|&last| last <= node)
                && circuit.loops[l as usize].feedback.iter().all(|&(feedback, _)| feedback <= node)
            {
                placed[l as usize] = true;
                let start = network.gates() as u32;
                if run_start < start {
                    network.segments.push(Segment::Straight(run_start..start));
                }
                for &member in &members[l as usize] {
                    place_gate(circuit, member, network, number, &mut next_node);
                }
                let map = |lit: Lit| number[lit.node() as usize].negate_if(lit.negated());
                let feedback = circuit.loops[l as usize]
                    .feedback
                    .iter()
                    .map(|&(node, definition)| (number[node as usize].node(), map(definition)))
                    .collect();
                run_start = network.gates() as u32;
                network.segments.push(Segment::Loop { gates: start..run_start, feedback });
            }
        }
        let end = network.gates() as u32;
        if run_start < end {
            network.segments.push(Segment::Straight(run_start..end));
        }
        if !cone {
            network.state_segments = network.segments.len();
        }
    }
    next_node
}

/// For each node whether it depends on the moves.
fn nodes_on_moves(circuit: &Circuit) -> Vec<bool> {
    let count = circuit.len() as u32;
    let mut on_moves = vec![false; count as usize];
    for node in 0..count {
        on_moves[node as usize] = match circuit.node(node) {
            Node::Move(_) => true,
            Node::And { .. } => circuit.operands(node).iter().any(|o| on_moves[o.node() as usize]),
            _ => false,
        };
    }
    // If one gate of a loop depends on the moves, so do all of its gates and their readers.
    let mut loop_on_moves = vec![false; circuit.loops.len()];
    loop {
        let mut changed = false;
        for node in 0..count {
            if let Some(l) = circuit.loop_of(node) {
                let here = on_moves[node as usize] || loop_on_moves[l as usize];
                changed |= here != on_moves[node as usize] || here != loop_on_moves[l as usize];
                on_moves[node as usize] = here;
                loop_on_moves[l as usize] = here;
            } else if circuit.operands(node).iter().any(|o| on_moves[o.node() as usize]) {
                changed |= !on_moves[node as usize];
                on_moves[node as usize] = true;
            }
        }
        if !changed {
            break;
        }
    }
    on_moves
}

fn place_gate(circuit: &Circuit, node: u32, network: &mut Network, number: &mut [Lit], next_node: &mut u32) {
    for operand in circuit.operands(node) {
        let image = number[operand.node() as usize];
        network.operands.push(image.negate_if(operand.negated()));
    }
    network.starts.push(network.operands.len() as u32);
    number[node as usize] = Lit::of(*next_node);
    *next_node += 1;
}

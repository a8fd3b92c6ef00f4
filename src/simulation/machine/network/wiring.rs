//! The fan-out of every node: the gates that read it, the outputs that it is, and the loops that it feeds.
//!
//! In a profile of breakthrough nine tenths of the time went into notifying gates. Most of these gates read the fluent that
//! says whose turn it is. It changes in every step and is an operand of every legal move, most of which the rest of the
//! position forbids. So a gate may have a *guard*, an operand that changes more often than the others. A guard does not
//! notify the gates that it guards. Instead, a row of bits per guard has the *ready* gates (those whose other operands are
//! all true), and only these change with the guard. If such a gate is only an output, such as a legal move, its bit has the
//! same position in the row as among the outputs. A word of outputs then changes at once. This reduced the notified gates of
//! breakthrough from over 400 per step to 40, and tripled its speed. Reversi has long chains of single changes (1,000 per
//! step, each with two readers); there a *plain* gate, which only notifies its readers, avoids the lookup of guards and
//! outputs.

use super::guards::{Guards, NONE, guard_gates};
use super::places::Places;
use crate::ground::network::Segment;
use crate::ground::{Lit, Network};

/// Marks an entry of [`Wiring::listeners`] as a loop that reads the node.
pub(super) const LOOP: u32 = 1 << 31;

/// The start of a node's readers; they end where those of the next node start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Node {
    pub(super) readers: u32,
    /// Index in [`Wiring::specials`], or [`NONE`] for a plain node.
    pub(super) special: u32,
}

/// What a node does when it changes, besides notifying the gates that count it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpecialNode {
    /// The gate's guard, `number << 1 | negated`, or [`NONE`].
    pub(super) guard: u32,
    /// The gate's bit among the ready gates.
    pub(super) ready: u32,
    /// An output that the node is; a spare bit if it is none.
    pub(super) output: u32,
    /// The start of its other outputs and of its loops in [`Wiring::listeners`]; they end where those of the next special
    /// node start.
    pub(super) listeners: u32,
    /// Its number among the guards, or [`NONE`].
    pub(super) row: u32,
    /// Whether [`Signals::values`](super::signals::Signals::values) has its value.
    pub(super) kept: bool,
}

/// The fan-out of every node.
#[derive(Clone, Debug, Default)]
pub(super) struct Wiring {
    /// The nodes, and a sentinel.
    pub(super) nodes: Vec<Node>,
    /// Gates that count the node: `node << 1 | negated`.
    pub(super) readers: Vec<u32>,
    /// The nodes that are not plain, and a sentinel.
    pub(super) specials: Vec<SpecialNode>,
    /// Outputs as bit indices, and loops marked [`LOOP`].
    pub(super) listeners: Vec<u32>,
    pub(super) guards: Guards,
    /// The loops, as indices of segments.
    pub(super) loops: Vec<usize>,
    /// The layout of the outputs.
    pub(super) places: Places,
    /// For each role and move, the input node, or 0 if there is none.
    pub(super) inputs: Vec<Vec<u32>>,
}

impl Wiring {
    pub(super) fn new(network: &Network) -> Wiring {
        let places = Places::new(network);
        let (loops, mut entries, kept) = loop_entries(network);
        entries.extend(places.outputs.iter().map(|&(literal, bit)| (literal.node(), bit)));
        entries.sort_unstable();
        entries.dedup();

        let guard_of = guard_gates(network);
        let mut read = vec![false; network.nodes as usize];
        let mut readers: Vec<(u32, u32)> = Vec::with_capacity(network.operands.len());
        for (gate, (&guard, node)) in guard_of.iter().zip(network.first_gate..).enumerate() {
            for &operand in network.gate(gate) {
                read[operand.node() as usize] = true;
                if guard != Some(operand) {
                    readers.push((operand.node(), node << 1 | u32::from(operand.negated())));
                }
            }
        }
        let (starts, readers) = group(network.nodes, &readers);

        // Gates that are a single output and have no readers.
        let (listener_starts, listeners) = group(network.nodes, &entries);
        let listeners =
            |node: usize| &listeners[listener_starts[node] as usize..listener_starts[node + 1] as usize];
        let leaf = |gate: usize| {
            let node = network.first_gate as usize + gate;
            if let &[bit] = listeners(node) {
                (bit & LOOP == 0 && !read[node] && !kept[node]).then_some(bit)
            } else {
                None
            }
        };
        let leaves: Vec<Option<u32>> = (0..network.gates()).map(leaf).collect();
        let (guards, guarded) = Guards::new(network.first_gate, &guard_of, &leaves);
        let mut rows = vec![NONE; network.nodes as usize];
        guards.nodes.iter().enumerate().for_each(|(number, &node)| rows[node as usize] = number as u32);

        let mut wiring = Wiring { readers, guards, loops, ..Wiring::default() };
        for node in 0..network.nodes as usize {
            let gate = node.checked_sub(network.first_gate as usize);
            let (guard, ready) = gate.map_or((NONE, NONE), |gate| guarded[gate]);
            let (outputs, others): (Vec<u32>, Vec<u32>) =
                listeners(node).iter().partition(|&entry| entry & LOOP == 0);
            let plain = listeners(node).is_empty() && guard == NONE && rows[node] == NONE && !kept[node];
            let special = if plain { NONE } else { wiring.specials.len() as u32 };
            wiring.nodes.push(Node { readers: starts[node], special });
            if !plain {
                wiring.specials.push(SpecialNode {
                    guard,
                    ready,
                    output: outputs.first().copied().unwrap_or(places.spare()),
                    listeners: wiring.listeners.len() as u32,
                    row: rows[node],
                    kept: kept[node],
                });
                wiring.listeners.extend(outputs.iter().skip(1).chain(&others));
            }
        }
        wiring.nodes.push(Node { readers: wiring.readers.len() as u32, special: NONE });
        let (none, listeners) = (NONE, wiring.listeners.len() as u32);
        wiring.specials.push(SpecialNode {
            guard: none,
            ready: none,
            output: none,
            listeners,
            row: none,
            kept: false,
        });
        wiring.inputs = network
            .moves
            .iter()
            .map(|moves| {
                let mut inputs = vec![0; network.actions.len()];
                moves.iter().for_each(|m| inputs[m.action as usize] = m.input);
                inputs
            })
            .collect();
        wiring.places = places;
        wiring
    }

    /// The guard of a gate, and the gate's bit among the ready gates.
    pub(super) fn guard(&self, node: u32) -> Option<(Lit, u32)> {
        let special = self.specials.get(self.nodes[node as usize].special as usize)?;
        let guard = *self.guards.nodes.get(special.guard as usize >> 1)?;
        Some((Lit::of(guard).negate_if(special.guard & 1 == 1), special.ready))
    }
}

/// The loops as indices of segments, the nodes that feed each loop from outside, and whether each node is in a loop.
fn loop_entries(network: &Network) -> (Vec<usize>, Vec<(u32, u32)>, Vec<bool>) {
    let mut loop_of = vec![None; network.nodes as usize];
    let mut loops = Vec::new();
    for (number, segment) in network.segments.iter().enumerate() {
        if let Segment::Loop { gates, feedback } = segment {
            let gates = network.first_gate + gates.start..network.first_gate + gates.end;
            for node in feedback.iter().map(|&(node, _)| node).chain(gates) {
                loop_of[node as usize] = Some(loops.len() as u32);
            }
            loops.push(number);
        }
    }
    let mut entries = Vec::new();
    for (number, &segment) in loops.iter().enumerate() {
        let Segment::Loop { gates, feedback } = &network.segments[segment] else { continue };
        let operands = gates.clone().flat_map(|gate| network.gate(gate as usize));
        for literal in operands.chain(feedback.iter().map(|(_, definition)| definition)) {
            if loop_of[literal.node() as usize] != Some(number as u32) {
                entries.push((literal.node(), LOOP | number as u32));
            }
        }
    }
    (loops, entries, loop_of.iter().map(Option::is_some).collect())
}

/// Groups entries by node: the start of each node's entries (and the end of the last), and all entries.
fn group(nodes: u32, entries: &[(u32, u32)]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; nodes as usize + 1];
    entries.iter().for_each(|&(node, _)| starts[node as usize + 1] += 1);
    for node in 0..nodes as usize {
        starts[node + 1] += starts[node];
    }
    let mut fill = starts.clone();
    let mut grouped = vec![0; entries.len()];
    for &(node, entry) in entries {
        grouped[fill[node as usize] as usize] = entry;
        fill[node as usize] += 1;
    }
    (starts, grouped)
}

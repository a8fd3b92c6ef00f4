//! Who has to be told when a node of a network changes: the gates that read it, the outputs it is, the loops it
//! feeds.
//!
//! A profile of breakthrough showed nine tenths of the time in telling gates, and most of those gates read the
//! fluent that says whose turn it is: it changes in every step and takes part in every legal move, few of
//! which the rest of the position allows. So a gate may have a *guard*: the operand of its that most gates
//! read. A guard's change is not told to the gates it guards; they keep, in one row of bits for each guard,
//! which of them are *ready* (all other operands true), and only these change with it. Where such a gate is
//! nothing but one output, say a legal move, its bit stands in the row where it stands in the outputs, and a
//! word of them changes at once.

use super::guards::{Guard, Guards, guard_gates};
use super::places::Places;
use crate::ground::Network;
use crate::ground::network::Segment;

/// Marks an entry of [`Wiring::told`] as a loop that reads the node.
pub(super) const LOOP: u32 = 1 << 31;

/// Stands for no guard, gate or bit.
pub(super) const NONE: u32 = u32::MAX;

/// Added to the count of false operands of a gate without guard and output, outside all loops: it need only tell
/// its readers.
pub(super) const PLAIN: u32 = 1 << 31;

/// Where the lists of a node start; those of the next node start where they end.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    readers: u32,
    told: u32,
    /// The node's number among guards, or [`NONE`].
    guard: u32,
}

/// What happens when the operands of a gate that are counted become true, or one of them false.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gate {
    /// The guard, `number << 1 | negated`, or [`NONE`].
    pub(super) guard: u32,
    /// The gate's bit among the ready.
    pub(super) ready: u32,
    /// The one output that the gate is; a bit that nobody reads if it is none or several.
    pub(super) output: u32,
    /// Whether anything else has to be told of a change.
    pub(super) tells: bool,
    /// [`PLAIN`] or 0.
    pub(super) plain: u32,
}

/// The readers of every node.
#[derive(Clone, Debug, Default)]
pub(super) struct Wiring {
    nodes: Vec<Node>,
    /// Gates that count the node, by number from 0: `gate << 1 | negated`.
    readers: Vec<u32>,
    /// Outputs that a node is, as bits, and loops it feeds, marked [`LOOP`].
    told: Vec<u32>,
    /// The gates.
    pub(super) gates: Vec<Gate>,
    /// The guards.
    pub(super) guards: Guards,
    /// The loops, as numbers of segments.
    pub(super) loops: Vec<usize>,
    /// The outputs' places.
    pub(super) places: Places,
    /// For each role, by move number, the input node, or 0.
    pub(super) inputs: Vec<Vec<u32>>,
}

impl Wiring {
    pub(super) fn new(network: &Network) -> Wiring {
        let places = Places::new(network);
        let (loops, mut entries, inside) = loop_entries(network);
        entries.extend(places.outputs.iter().map(|&(literal, bit)| (literal.node(), bit)));
        entries.sort_unstable();
        entries.dedup();

        let guard_of = guard_gates(network);
        let mut readers: Vec<(u32, u32)> = Vec::with_capacity(network.operands.len());
        for gate in 0..network.gates() {
            let counted = network.gate(gate).iter().filter(|&&operand| guard_of[gate] != Some(operand));
            readers.extend(counted.map(|o| (o.node(), (gate as u32) << 1 | u32::from(o.negated()))));
        }
        let (reader_starts, readers) = group(network.nodes, &readers);

        // A gate with one output and nothing else to tell has that output at hand.
        let (told_starts, told) = group(network.nodes, &entries);
        let mut read = vec![false; network.nodes as usize];
        network.operands.iter().for_each(|operand| read[operand.node() as usize] = true);
        let nobody = places.spare();
        let mut gates: Vec<Gate> = (0..network.gates())
            .map(|gate| {
                let node = network.first_gate as usize + gate;
                let told = &told[told_starts[node] as usize..told_starts[node + 1] as usize];
                let (output, rest) = match told {
                    &[bit] if bit & LOOP == 0 => (bit, 0),
                    _ => (nobody, told.len()),
                };
                let tells = rest > 0 || read[node] || inside[node];
                Gate { guard: NONE, ready: NONE, output, tells, plain: 0 }
            })
            .collect();
        entries.retain(|&(node, bit)| {
            node < network.first_gate || gates[(node - network.first_gate) as usize].output != bit
        });
        let (told_starts, told) = group(network.nodes, &entries);

        let guards = Guards::new(&guard_of, &mut gates, nobody);
        for (number, gate) in gates.iter_mut().enumerate() {
            let in_loop = inside[network.first_gate as usize + number];
            if gate.guard == NONE && gate.output == nobody && !in_loop {
                gate.plain = PLAIN;
            }
        }
        let mut nodes: Vec<Node> = reader_starts
            .iter()
            .zip(&told_starts)
            .map(|(&readers, &told)| Node { readers, told, guard: NONE })
            .collect();
        guards.nodes.iter().enumerate().for_each(|(number, &node)| nodes[node as usize].guard = number as u32);
        let inputs = network
            .moves
            .iter()
            .map(|moves| {
                let mut inputs = vec![0; network.actions.len()];
                moves.iter().for_each(|m| inputs[m.action as usize] = m.input);
                inputs
            })
            .collect();
        Wiring { nodes, readers, told, gates, guards, loops, places, inputs }
    }

    /// The gates that count a node (`gate << 1 | negated`), the outputs and loops that it feeds, and the guard
    /// it is.
    pub(super) fn of(&self, node: u32) -> (&[u32], &[u32], Option<(usize, &Guard)>) {
        let (here, next) = (self.nodes[node as usize], self.nodes[node as usize + 1]);
        (
            &self.readers[here.readers as usize..next.readers as usize],
            &self.told[here.told as usize..next.told as usize],
            self.guards.rows.get(here.guard as usize).map(|guard| (here.guard as usize, guard)),
        )
    }
}

/// The loops as numbers of segments, which nodes feed which of them from outside, and which nodes are in one.
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

/// Entries by node: where each node's start (and a last one, where all end), and all of them.
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

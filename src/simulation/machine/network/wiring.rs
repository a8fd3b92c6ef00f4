//! Who has to be told when a node of a network changes: the gates that read it, the outputs it is, the loops it
//! feeds.
//!
//! A profile of breakthrough showed nine tenths of the time in telling gates, and most of those gates read the
//! fluent that says whose turn it is: it changes in every step and takes part in every legal move, few of
//! which the rest of the position allows. So a gate may have a *guard*, an operand that changes more often than
//! the others. A guard's change is not told to the gates it guards; they keep, in one row of bits for each guard,
//! which of them are *ready* (all other operands true), and only these change with it. Where such a gate is
//! nothing but one output, say a legal move, its bit stands in the row where it stands in the outputs, and a
//! word of them changes at once. Breakthrough went from over 400 gates told in a step to 40, and is three times
//! as fast. In reversi chains of single changes are left (1,000 a step, two gates told each): there a gate that
//! need only tell its readers (a *plain* one) costs no look at a guard or an output.

use super::guards::{Guards, NONE, guard_gates};
use super::places::Places;
use crate::ground::network::Segment;
use crate::ground::{Lit, Network};

/// Marks an entry of [`Wiring::told`] as a loop that reads the node.
pub(super) const LOOP: u32 = 1 << 31;

/// Where the readers of a node start; those of the next node start where they end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Node {
    pub(super) readers: u32,
    /// Where it stands among the special ones, or [`NONE`] if it need only tell its readers.
    pub(super) special: u32,
}

/// What a node does when it changes, besides telling the gates that count it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Special {
    /// The gate's guard, `number << 1 | negated`, or [`NONE`].
    pub(super) guard: u32,
    /// The gate's bit among the ready.
    pub(super) ready: u32,
    /// An output that the node is; a bit that nobody reads if it is none.
    pub(super) output: u32,
    /// The first of the other outputs it is, and of the loops it feeds; those of the next one start where they
    /// end.
    pub(super) told: u32,
    /// Its number among the guards, or [`NONE`].
    pub(super) row: u32,
    /// Whether its value is kept.
    pub(super) kept: bool,
}

/// The readers of every node.
#[derive(Clone, Debug, Default)]
pub(super) struct Wiring {
    /// The nodes, and one more.
    pub(super) nodes: Vec<Node>,
    /// Gates that count the node: `node << 1 | negated`.
    pub(super) readers: Vec<u32>,
    /// Nodes that are not plain, and one more.
    pub(super) specials: Vec<Special>,
    /// Outputs as bits, and loops, marked [`LOOP`].
    pub(super) told: Vec<u32>,
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

        // Gates that are one output and nothing else.
        let (told_starts, told) = group(network.nodes, &entries);
        let told = |node: usize| &told[told_starts[node] as usize..told_starts[node + 1] as usize];
        let leaf = |gate: usize| {
            let node = network.first_gate as usize + gate;
            if let &[bit] = told(node) {
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
                told(node).iter().partition(|&entry| entry & LOOP == 0);
            let plain = told(node).is_empty() && guard == NONE && rows[node] == NONE && !kept[node];
            let special = if plain { NONE } else { wiring.specials.len() as u32 };
            wiring.nodes.push(Node { readers: starts[node], special });
            if !plain {
                wiring.specials.push(Special {
                    guard,
                    ready,
                    output: outputs.first().copied().unwrap_or(places.spare()),
                    told: wiring.told.len() as u32,
                    row: rows[node],
                    kept: kept[node],
                });
                wiring.told.extend(outputs.iter().skip(1).chain(&others));
            }
        }
        wiring.nodes.push(Node { readers: wiring.readers.len() as u32, special: NONE });
        let (none, told) = (NONE, wiring.told.len() as u32);
        wiring.specials.push(Special {
            guard: none,
            ready: none,
            output: none,
            told,
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

    /// The guard of a gate, by the number of its node, and the gate's bit among the ready.
    pub(super) fn guard(&self, node: u32) -> Option<(Lit, u32)> {
        let special = self.specials.get(self.nodes[node as usize].special as usize)?;
        let guard = *self.guards.nodes.get(special.guard as usize >> 1)?;
        Some((Lit::of(guard).negate_if(special.guard & 1 == 1), special.ready))
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

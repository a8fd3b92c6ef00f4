//! Who has to be told when a node of a network changes: the gates that read it, the outputs it is, the loops it
//! feeds.

use crate::ground::network::Segment;
use crate::ground::{Lit, Network};

/// Marks an entry of [`Wiring::outputs`] as a loop that reads the node.
const LOOP: u32 = 1 << 31;

/// Where the outputs of a network stand in one row of bits; each group starts a new word.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// First word of each role's legal moves; the successor's bits come before them.
    pub(super) legal: Vec<usize>,
    /// First word of each role's goals.
    pub(super) goals: Vec<usize>,
    /// The word whose first bit says whether the state is terminal.
    pub(super) terminal: usize,
    /// Number of words.
    pub(super) words: usize,
}

/// The readers of every node.
#[derive(Clone, Debug, Default)]
pub(super) struct Wiring {
    /// For every node where its readers start; one more entry than nodes.
    starts: Vec<u32>,
    /// Gates that read the node, by number from 0: `gate << 1 | negated`.
    readers: Vec<u32>,
    output_starts: Vec<u32>,
    output_entries: Vec<u32>,
    /// The loops, as numbers of segments.
    pub(super) loops: Vec<usize>,
    /// The outputs' places.
    pub(super) places: Places,
    /// For each role, by move number, the input node, or 0.
    pub(super) inputs: Vec<Vec<u32>>,
    /// All output literals with their bits.
    pub(super) outputs: Vec<(Lit, u32)>,
}

/// What an entry of a node's outputs tells.
pub(super) enum Told {
    /// A bit of the outputs changes.
    Bit(usize),
    /// A loop has to be evaluated.
    Loop(usize),
}

impl Wiring {
    pub(super) fn new(network: &Network) -> Wiring {
        let (places, outputs) = place(network);
        // The loop whose gate or feedback a node is.
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
        let mut readers: Vec<(u32, u32)> = Vec::with_capacity(network.operands.len());
        let mut entries: Vec<(u32, u32)> = Vec::new();
        for gate in 0..network.gates() {
            let inside = loop_of[network.first_gate as usize + gate];
            for operand in network.gate(gate) {
                readers.push((operand.node(), (gate as u32) << 1 | u32::from(operand.negated())));
                if let Some(number) = inside
                    && loop_of[operand.node() as usize] != inside
                {
                    entries.push((operand.node(), LOOP | number));
                }
            }
        }
        for (number, &segment) in loops.iter().enumerate() {
            if let Segment::Loop { feedback, .. } = &network.segments[segment] {
                for (_, definition) in feedback {
                    if loop_of[definition.node() as usize] != Some(number as u32) {
                        entries.push((definition.node(), LOOP | number as u32));
                    }
                }
            }
        }
        entries.extend(outputs.iter().map(|&(literal, bit)| (literal.node(), bit)));
        entries.sort_unstable();
        entries.dedup();
        let (starts, readers) = group(network.nodes, &readers);
        let (output_starts, output_entries) = group(network.nodes, &entries);
        let inputs = network
            .moves
            .iter()
            .map(|moves| {
                let mut inputs = vec![0; network.actions.len()];
                moves.iter().for_each(|m| inputs[m.action as usize] = m.input);
                inputs
            })
            .collect();
        Wiring { starts, readers, output_starts, output_entries, loops, places, inputs, outputs }
    }

    /// The gates that read a node: `gate << 1 | negated`.
    pub(super) fn readers(&self, node: u32) -> &[u32] {
        &self.readers[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// The outputs and loops that a node feeds.
    pub(super) fn told(&self, node: u32) -> impl Iterator<Item = Told> + '_ {
        let range =
            self.output_starts[node as usize] as usize..self.output_starts[node as usize + 1] as usize;
        self.output_entries[range].iter().map(|&entry| {
            if entry & LOOP == 0 { Told::Bit(entry as usize) } else { Told::Loop((entry & !LOOP) as usize) }
        })
    }
}

fn place(network: &Network) -> (Places, Vec<(Lit, u32)>) {
    let mut places = Places::default();
    let mut outputs = Vec::new();
    let mut word = 0;
    let mut add = |literals: &mut dyn Iterator<Item = Lit>| {
        let start = word;
        let mut bit = 0usize;
        for literal in literals {
            outputs.push((literal, (start * 64 + bit) as u32));
            bit += 1;
        }
        word += bit.div_ceil(64);
        start
    };
    add(&mut network.next.iter().copied());
    places.legal = network.moves.iter().map(|moves| add(&mut moves.iter().map(|m| m.legal))).collect();
    places.goals = network.goals.iter().map(|goals| add(&mut goals.iter().map(|&(_, when)| when))).collect();
    places.terminal = add(&mut std::iter::once(network.terminal));
    places.words = word;
    (places, outputs)
}

/// Entries by node: where each node's start, and all of them.
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

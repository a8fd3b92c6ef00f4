//! The values of gates in many states at once.

use rustc_hash::FxHashMap;

use super::state_set::StateSet;
use super::states::StateTable;
use crate::ground::network::Segment;
use crate::ground::{Lit, Network};

/// The most words that hold values.
const MAX_WORDS: usize = 6_000_000;

/// The values of all gates on which some literals depend, in the states of a table.
pub(super) struct GateValues {
    /// For each node its position among the words.
    slot: FxHashMap<u32, usize>,
    words: Vec<u64>,
    stride: usize,
    states: usize,
}

impl GateValues {
    /// Evaluates the gates on which `outputs` depend; none if there are too many.
    pub(super) fn new(network: &Network, outputs: &[Lit], table: &StateTable<'_>) -> Option<GateValues> {
        let definitions: FxHashMap<u32, Lit> = (network.segments.iter())
            .flat_map(|segment| match segment {
                Segment::Loop { feedback, .. } => &feedback[..],
                Segment::Straight(_) => &[],
            })
            .copied()
            .collect();
        let mut cone = vec![false; network.nodes as usize];
        let mut queue: Vec<Lit> = outputs.to_vec();
        while let Some(literal) = queue.pop() {
            if !std::mem::replace(&mut cone[literal.node() as usize], true) {
                queue.extend(definitions.get(&literal.node()));
                if let Some(gate) = literal.node().checked_sub(network.first_gate) {
                    queue.extend(network.gate(gate as usize));
                }
            }
        }
        let nodes: Vec<u32> = (0..network.nodes).filter(|&node| cone[node as usize]).collect();
        let states = table.len();
        let stride = states.div_ceil(64);
        if nodes.len() * stride > MAX_WORDS {
            return None;
        }
        let slot = nodes.iter().enumerate().map(|(position, &node)| (node, position)).collect();
        let mut values = GateValues { slot, words: vec![0; nodes.len() * stride], stride, states };
        for &node in &nodes {
            if let Some(fact) = super::cubes::fact_of(network, node) {
                let start = values.slot[&node] * stride;
                values.words[start..start + stride].copy_from_slice(table.holds(fact).words());
            }
        }
        for segment in &network.segments[..network.state_segments] {
            match segment {
                Segment::Straight(gates) => values.evaluate(network, gates.clone()),
                Segment::Loop { gates, feedback } => loop {
                    values.evaluate(network, gates.clone());
                    let mut changed = false;
                    for (node, definition) in feedback {
                        if let Some(&slot) = values.slot.get(node) {
                            let value = values.value_words(*definition);
                            let own = &mut values.words[slot * stride..(slot + 1) * stride];
                            changed |= *own != value[..];
                            own.copy_from_slice(&value);
                        }
                    }
                    if !changed {
                        break;
                    }
                },
            }
        }
        Some(values)
    }

    fn evaluate(&mut self, network: &Network, gates: std::ops::Range<u32>) {
        for gate in gates {
            let Some(&slot) = self.slot.get(&(network.first_gate + gate)) else { continue };
            let mut value = vec![u64::MAX; self.stride];
            for &operand in network.gate(gate as usize) {
                let flip = if operand.negated() { u64::MAX } else { 0 };
                let start = self.slot[&operand.node()] * self.stride;
                for (word, own) in value.iter_mut().zip(&self.words[start..]) {
                    *word &= own ^ flip;
                }
            }
            self.words[slot * self.stride..(slot + 1) * self.stride].copy_from_slice(&value);
        }
    }

    fn value_words(&self, literal: Lit) -> Vec<u64> {
        let flip = if literal.negated() { u64::MAX } else { 0 };
        let start = self.slot[&literal.node()] * self.stride;
        self.words[start..start + self.stride].iter().map(|word| word ^ flip).collect()
    }

    /// The states in which a literal is true.
    pub(super) fn states(&self, literal: Lit) -> StateSet {
        StateSet::of_words(self.states, &self.value_words(literal))
    }
}

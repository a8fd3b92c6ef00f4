//! Candidates for automata: sets of state bits whose next values depend on each other.

use super::Automaton;
use crate::ground::network::Segment;
use crate::ground::{Lit, Network};
use crate::machine::lanes::phases::Evaluation;

/// What a node depends on, if a next value needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dependence {
    /// Its value is known, or no next value needs it.
    Nothing,
    /// Only moves.
    Moves,
    /// The state, and possibly moves.
    State,
}

/// What each node depends on in a phase.
pub(super) fn reads(network: &Network, values: &Evaluation<'_>) -> Vec<Dependence> {
    let unknown = |literal: Lit| values.value(literal).is_none();
    let mut needed = vec![false; network.nodes as usize];
    network.next.iter().for_each(|next| needed[next.node() as usize] = true);
    let node = |gate: usize| network.first_gate as usize + gate;
    for gate in (0..network.gates()).rev() {
        if needed[node(gate)] && unknown(Lit::of(node(gate) as u32)) {
            network.gate(gate).iter().for_each(|operand| needed[operand.node() as usize] = true);
        }
    }
    let mut reads = vec![Dependence::State; network.first_gate as usize];
    reads.resize(network.nodes as usize, Dependence::Moves);
    network.moves.iter().flatten().for_each(|m| reads[m.input as usize] = Dependence::Moves);
    for number in 0..network.nodes {
        if !needed[number as usize] || !unknown(Lit::of(number)) {
            reads[number as usize] = Dependence::Nothing;
        } else if let Some(gate) = number.checked_sub(network.first_gate)
            && network
                .gate(gate as usize)
                .iter()
                .any(|operand| reads[operand.node() as usize] == Dependence::State)
        {
            reads[number as usize] = Dependence::State;
        }
    }
    reads
}

/// A disjoint-set forest of nodes.
struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    fn find(&mut self, mut node: u32) -> u32 {
        while self.parent[node as usize] != node {
            let above = self.parent[self.parent[node as usize] as usize];
            self.parent[node as usize] = above;
            node = above;
        }
        node
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}

/// The smallest sets of bits that are closed under the dependences of their next values in all phases. At most one bit of a
/// set holds initially, no recursive atom is read, and the next values have at least `least` two-input gates.
pub(super) fn candidates(network: &Network, phases: &[Vec<Dependence>], least: usize) -> Vec<Automaton> {
    let mut sets = DisjointSets { parent: (0..network.nodes).collect() };
    // A set that contains node 0 is not a candidate.
    for segment in &network.segments {
        if let Segment::Loop { feedback, .. } = segment {
            feedback.iter().for_each(|&(node, _)| sets.join(0, node));
        }
    }
    for reads in phases {
        let state = |literal: &Lit| reads[literal.node() as usize] == Dependence::State;
        for gate in 0..network.gates() {
            let node = network.first_gate + gate as u32;
            if reads[node as usize] == Dependence::State {
                network.gate(gate).iter().filter(|o| state(o)).for_each(|o| sets.join(node, o.node()));
            }
        }
        for (bit, next) in network.next.iter().enumerate().filter(|(_, next)| state(next)) {
            sets.join(1 + bit as u32, next.node());
        }
    }
    let mut gates = vec![0usize; network.nodes as usize];
    for gate in 0..network.gates() {
        let node = network.first_gate + gate as u32;
        if phases.iter().any(|reads| reads[node as usize] == Dependence::State) {
            gates[sets.find(node) as usize] += network.gate(gate).len().saturating_sub(1);
        }
    }
    let mut indices = vec![usize::MAX; network.nodes as usize];
    let mut automata: Vec<Automaton> = Vec::new();
    let nothing = sets.find(0);
    for bit in 0..network.next.len() as u32 {
        let root = sets.find(1 + bit);
        if root == nothing || gates[root as usize] < least.max(1) {
            continue;
        }
        let index = &mut indices[root as usize];
        if *index == usize::MAX {
            *index = automata.len();
            automata.push(Automaton { bits: Vec::new(), initial: u32::MAX, transitions: Vec::new() });
        }
        automata[*index].bits.push(bit);
    }
    automata.retain_mut(|automaton| {
        let initial = |&index: &usize| network.initial[automaton.bits[index] as usize];
        let mut initially = (0..automaton.bits.len()).filter(initial);
        automaton.initial = initially.next().unwrap_or(automaton.bits.len()) as u32;
        initially.next().is_none() && automaton.bits.len() > 1
    });
    automata
}

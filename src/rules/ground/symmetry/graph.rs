//! A network as a graph with labelled edges, for the search for automorphisms.

use crate::ground::circuit::Lit;
use crate::ground::network::{Network, Segment};

use super::flat::FlatGates;

/// A labelled graph. Its vertices are the nodes of the network, then the end of the game, then the roles.
pub(super) struct Graph {
    /// For each vertex a code of its kind and degree.
    pub(super) kinds: Vec<u64>,
    /// For each vertex the start of its edges, and one more entry.
    starts: Vec<u32>,
    /// Edges: the other vertex, and a code of label and direction.
    edges: Vec<(u32, u64)>,
    pub(super) first_role: usize,
}

/// Amount of work between two checks whether the search must stop.
pub(super) const STRIDE: u64 = 20_000;

/// What an edge represents in the network.
#[derive(Clone, Copy)]
enum Label {
    Operand,
    Next,
    Legal,
    Goal(i32),
    Terminal,
    Definition,
    Owns,
}

/// A pseudorandom number for each label, sign and direction. Different multisets of edges almost never have
/// the same sum of these numbers.
fn code(label: Label, negated: bool, backwards: bool) -> u64 {
    let number = match label {
        Label::Operand => 0,
        Label::Next => 1,
        Label::Legal => 2,
        Label::Terminal => 3,
        Label::Definition => 4,
        Label::Owns => 5,
        Label::Goal(value) => 6 + u64::from(value as u32),
    };
    mix(number << 2 | u64::from(negated) << 1 | u64::from(backwards))
}

/// SplitMix64 (Steele, Lea and Flood 2014).
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

impl Graph {
    /// Builds the graph of a network. `roles` has a kind for each role; an automorphism maps roles to roles
    /// of the same kind.
    pub(super) fn new(network: &Network, gates: &FlatGates, roles: &[u32]) -> Graph {
        let nodes = network.nodes;
        let (end, first_role) = (nodes, nodes + 1);
        let mut kinds = vec![4_u64; nodes as usize];
        kinds[0] = 0;
        kinds[1..=network.next.len()].fill(1);
        let mut all: Vec<(u32, u32, Label, bool)> = Vec::new();
        let mut add = |from: u32, to: Lit, label| {
            let to = gates.literal(to);
            all.push((from, to.node(), label, to.negated()));
        };
        for (bit, &next) in (0..).zip(&network.next) {
            add(1 + bit, next, Label::Next);
        }
        for (role, (moves, goals)) in (first_role..).zip(network.moves.iter().zip(&network.goals)) {
            for role_move in moves {
                kinds[role_move.input as usize] = 2;
                add(role, Lit::of(role_move.input), Label::Owns);
                add(role_move.input, role_move.legal, Label::Legal);
            }
            goals.iter().for_each(|&(value, condition)| add(role, condition, Label::Goal(value)));
        }
        add(end, network.terminal, Label::Terminal);
        for segment in &network.segments {
            if let Segment::Loop { feedback, .. } = segment {
                for &(node, definition) in feedback {
                    kinds[node as usize] = 3;
                    add(node, definition, Label::Definition);
                }
            }
        }
        for gate in 0..network.gates() {
            for &operand in gates.gate(gate) {
                add(network.first_gate + gate as u32, operand, Label::Operand);
            }
        }
        kinds.push(5);
        kinds.extend(roles.iter().map(|&kind| 6 + u64::from(kind)));
        let mut starts = vec![0_u32; kinds.len() + 1];
        for &(from, to, ..) in &all {
            starts[from as usize + 1] += 1;
            starts[to as usize + 1] += 1;
        }
        for vertex in 0..kinds.len() {
            starts[vertex + 1] += starts[vertex];
        }
        for (kind, range) in kinds.iter_mut().zip(starts.windows(2)) {
            *kind = *kind << 32 | u64::from(range[1] - range[0]);
        }
        let mut fill = starts.clone();
        let mut edges = vec![(0, 0); 2 * all.len()];
        let mut put = |at: u32, edge| {
            edges[fill[at as usize] as usize] = edge;
            fill[at as usize] += 1;
        };
        for (from, to, label, negated) in all {
            put(from, (to, code(label, negated, false)));
            put(to, (from, code(label, negated, true)));
        }
        Graph { kinds, starts, edges, first_role: first_role as usize }
    }

    /// Number of vertices.
    pub(super) fn vertices(&self) -> usize {
        self.kinds.len()
    }

    /// The edges of a vertex, in both directions.
    pub(super) fn edges(&self, vertex: u32) -> &[(u32, u64)] {
        &self.edges[self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize]
    }

    /// Whether a map of the vertices is an automorphism: a permutation that keeps the kind of every vertex
    /// and the label of every edge. `None` if `spend` stops the search.
    pub(super) fn is_automorphism(&self, map: &[u32], spend: &mut dyn FnMut(u64) -> bool) -> Option<bool> {
        let mut seen = vec![false; map.len()];
        if map.iter().any(|&image| std::mem::replace(&mut seen[image as usize], true)) {
            return Some(false);
        }
        let (mut here, mut there) = (Vec::new(), Vec::new());
        let mut work = 0;
        for (vertex, &image) in (0..).zip(map) {
            here.clear();
            here.extend(self.edges(vertex).iter().map(|&(other, code)| (map[other as usize], code)));
            there.clear();
            there.extend_from_slice(self.edges(image));
            here.sort_unstable();
            there.sort_unstable();
            if self.kinds[vertex as usize] != self.kinds[image as usize] || here != there {
                return Some(false);
            }
            work += 1 + 4 * here.len() as u64;
            if work > STRIDE && !spend(std::mem::take(&mut work)) {
                return None;
            }
        }
        spend(work).then_some(true)
    }
}

//! Divides the fluents and moves of a game into parts, from what the rules read.

use crate::ground::network::RoleMove;
use crate::ground::parts::{Owner, owners};
use crate::ground::{Lit, Network};

use super::budget::{Budget, Failure, ensure};

/// The most rounds to find the fluents that moves change.
const ROUNDS: usize = 64;

/// The number of no part, and of no fluent.
pub(super) const NONE: u32 = u32::MAX;

/// The division of bits and moves among parts.
pub(super) struct Division {
    pub(super) parts: Vec<Vec<u32>>,
    /// The bits of no part that matter.
    pub(super) turn: Vec<u32>,
    /// For each role the part of each of its moves, or [`NONE`].
    pub(super) part_of_move: Vec<Vec<u32>>,
    /// For each role the number of its moves in parts.
    pub(super) moves_in_parts: Vec<usize>,
    /// For each input node its role and part.
    pub(super) inputs: Vec<(u8, u32)>,
}

impl Division {
    pub(super) fn new(
        network: &Network,
        noops: [RoleMove; 2],
        budget: &mut Budget<'_, '_>,
    ) -> Result<Division, Failure> {
        let bits = network.next.len();
        let read = relevant(network);
        let changed = changed_bits(network, budget)?;
        let of_noops = network.cone(noops.iter().map(|of| of.legal).collect());
        let in_part = |bit: usize| read[1 + bit] && changed[bit] && !of_noops[1 + bit];
        let legal = || network.moves.iter().flatten().map(|of| of.legal);
        let next = (0..bits).filter(|&bit| in_part(bit)).map(|bit| network.next[bit]);
        let cone = network.cone(next.chain(legal()).collect());
        // For each node one of the bits that it reads; all of them are in one set.
        let mut of_node = vec![NONE; network.nodes as usize];
        let mut sets = Sets((0..bits as u32).collect());
        (0..bits).filter(|&bit| in_part(bit)).for_each(|bit| of_node[1 + bit] = bit as u32);
        for gate in 0..network.gates() {
            let node = network.first_gate as usize + gate;
            for operand in network.gate(gate).iter().filter(|_| cone[node]) {
                of_node[node] = sets.join(of_node[node], of_node[operand.node() as usize]);
            }
        }
        for bit in (0..bits).filter(|&bit| in_part(bit)) {
            sets.join(bit as u32, of_node[network.next[bit].node() as usize]);
        }
        let mut has_moves = vec![false; bits];
        for bit in legal().map(|of| of_node[of.node() as usize]).filter(|&bit| bit != NONE) {
            has_moves[sets.find(bit) as usize] = true;
        }
        let mut numbers = vec![NONE; bits];
        let (mut parts, mut turn): (Vec<Vec<u32>>, _) = (Vec::new(), Vec::new());
        for bit in (0..bits as u32).filter(|&bit| read[1 + bit as usize]) {
            let root = sets.find(bit) as usize;
            if !in_part(bit as usize) || !has_moves[root] {
                turn.push(bit);
                continue;
            }
            if numbers[root] == NONE {
                numbers[root] = parts.len() as u32;
                parts.push(Vec::new());
            }
            parts[numbers[root] as usize].push(bit);
        }
        ensure(parts.len() >= 2)?;
        let mut inputs = vec![(0, NONE); network.first_gate as usize];
        let mut part_of_move = Vec::new();
        for (role, moves) in (0..).zip(&network.moves) {
            let part = |of: &RoleMove| match of_node[of.legal.node() as usize] {
                NONE => NONE,
                bit => numbers[sets.find(bit) as usize],
            };
            let parts: Vec<u32> = moves.iter().map(part).collect();
            moves.iter().zip(&parts).for_each(|(of, &part)| inputs[of.input as usize] = (role, part));
            part_of_move.push(parts);
        }
        let count = |parts: &Vec<u32>| parts.iter().filter(|&&part| part != NONE).count();
        let moves_in_parts = part_of_move.iter().map(count).collect();
        Ok(Division { parts, turn, part_of_move, moves_in_parts, inputs })
    }

    /// The owner of each node. The turn belongs to no part.
    pub(super) fn owners(&self, network: &Network) -> Vec<Owner> {
        let mut of_bits = vec![Owner::Several; network.next.len()];
        self.turn.iter().for_each(|&bit| of_bits[bit as usize] = Owner::None);
        for (number, part) in (0..).zip(&self.parts) {
            part.iter().for_each(|&bit| of_bits[bit as usize] = Owner::Part(number));
        }
        owners(network, of_bits.into_iter())
    }
}

/// Disjoint sets, each as a tree of parents.
struct Sets(Vec<u32>);

impl Sets {
    fn find(&self, mut at: u32) -> u32 {
        while self.0[at as usize] != at {
            at = self.0[at as usize];
        }
        at
    }

    /// Joins two sets, unless one is [`NONE`]; returns a member. The least member is the root.
    fn join(&mut self, one: u32, other: u32) -> u32 {
        if one == NONE || other == NONE {
            return one.min(other);
        }
        let (one_root, other_root) = (self.find(one), self.find(other));
        let root = one_root.min(other_root);
        for (mut at, end) in [(one, one_root), (other, other_root)] {
            while at != end {
                at = std::mem::replace(&mut self.0[at as usize], root);
            }
            self.0[end as usize] = root;
        }
        root
    }
}

/// For each node whether `terminal`, `goal` or `legal` depends on it, now or later.
fn relevant(network: &Network) -> Vec<bool> {
    let goals = network.goals.iter().flatten().map(|&(_, goal)| goal);
    let legal = network.moves.iter().flatten().map(|of| of.legal);
    let mut open: Vec<Lit> = goals.chain(legal).chain([network.terminal]).collect();
    let mut seen = vec![false; network.nodes as usize];
    while let Some(literal) = open.pop() {
        let node = literal.node() as usize;
        if !std::mem::replace(&mut seen[node], true) {
            if node >= network.first_gate as usize {
                open.extend(network.gate(node - network.first_gate as usize));
            } else if (1..=network.next.len()).contains(&node) {
                open.push(network.next[node - 1]);
            }
        }
    }
    seen
}

/// For each bit whether moves change it, directly or by other bits.
fn changed_bits(network: &Network, budget: &mut Budget<'_, '_>) -> Result<Vec<bool>, Failure> {
    let bits = network.next.len();
    let mut by_moves = vec![false; network.nodes as usize];
    by_moves[1 + bits..network.first_gate as usize].fill(true);
    for _ in 0..ROUNDS {
        budget.spend(network.operands.len())?;
        for gate in 0..network.gates() {
            by_moves[network.first_gate as usize + gate] =
                network.gate(gate).iter().any(|of| by_moves[of.node() as usize]);
        }
        let new = (0..bits).filter(|&bit| !by_moves[1 + bit] && by_moves[network.next[bit].node() as usize]);
        let new: Vec<usize> = new.collect();
        if new.is_empty() {
            return Ok(by_moves[1..=bits].to_vec());
        }
        new.into_iter().for_each(|bit| by_moves[1 + bit] = true);
    }
    Err(Failure::NotProved)
}

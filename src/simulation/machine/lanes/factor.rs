//! Simplifies a network's gates: folds known values and extracts conjunctions that several gates share.
//!
//! While two operands occur together in at least two gates, the pair that occurs in most of them becomes a gate. This is the
//! greedy extraction of common cubes of multi-level logic (Brayton and McMullen 1982), with cubes of two literals only.

use std::collections::BinaryHeap;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::ground::{Interrupt, Interrupted, Lit, Network};

/// Maximum number of operands of a gate whose pairs are considered.
const MAX_OPERANDS: usize = 24;
/// Maximum number of pairs in all.
const MAX_PAIRS: usize = 4_000_000;

/// The simplified gates of a network.
pub(super) struct FactoredNetwork {
    /// The operands of every gate; literals from `nodes` on are pairs.
    pub(super) gates: Vec<Vec<Lit>>,
    pub(super) pairs: Vec<[Lit; 2]>,
    /// Number of nodes of the network, which is also the first pair's node.
    pub(super) nodes: u32,
}

/// Simplifies a network, with the known values of state bits and gate literals that are false. Gates that are unused, or
/// used only for next values of bits that are left out, get no operands.
///
/// # Errors
/// The interrupt ended it.
pub(super) fn factor(
    network: &Network,
    known: &[Option<bool>],
    impossible: &[Lit],
    left_out: &[bool],
    interrupt: &Interrupt,
) -> Result<FactoredNetwork, Interrupted> {
    let any_left_out = !left_out.is_empty();
    let left_out = |bit: usize| left_out.get(bit) == Some(&true);
    let needed = any_left_out.then(|| network.cone(network.outputs(left_out)));
    let mut gates = fold(network, known, impossible, needed.as_deref());
    interrupt.check()?;
    drop_unused(network, network.outputs(left_out), &mut gates);
    let mut sharing = PairExtraction::new(gates, network.nodes, interrupt)?;
    sharing.run(interrupt)?;
    Ok(FactoredNetwork { gates: sharing.gates, pairs: sharing.pairs, nodes: network.nodes })
}

/// The operands of every gate without known values. A gate that is false has only `Lit::FALSE`, a gate that is true has
/// none. Operands that are gates with one operand are replaced by that operand.
fn fold(
    network: &Network,
    known: &[Option<bool>],
    impossible: &[Lit],
    needed: Option<&[bool]>,
) -> Vec<Vec<Lit>> {
    let mut alias: Vec<Lit> = (0..network.nodes).map(Lit::of).collect();
    for (bit, value) in known.iter().enumerate() {
        if let Some(value) = value {
            alias[1 + bit] = Lit::FALSE.negate_if(*value);
        }
    }
    let mut gates = Vec::with_capacity(network.gates());
    for gate in 0..network.gates() {
        if needed.is_some_and(|needed| !needed[network.first_gate as usize + gate]) {
            gates.push(Vec::new());
            continue;
        }
        let image = |operand: &Lit| alias[operand.node() as usize].negate_if(operand.negated());
        let mut operands: Vec<Lit> = network.gate(gate).iter().map(image).collect();
        operands.sort_unstable();
        operands.dedup();
        operands.retain(|&operand| operand != Lit::TRUE);
        if operands.contains(&Lit::FALSE) || operands.windows(2).any(|pair| pair[0] == !pair[1]) {
            operands = vec![Lit::FALSE];
        }
        let node = network.first_gate as usize + gate;
        let literal = Lit::of(node as u32);
        if impossible.binary_search(&literal).is_ok() {
            operands = vec![Lit::FALSE];
        } else if impossible.binary_search(&!literal).is_ok() {
            operands.clear();
        }
        match operands[..] {
            [] => alias[node] = Lit::TRUE,
            [one] => alias[node] = one,
            _ => {}
        }
        gates.push(operands);
    }
    gates
}

/// Removes the operands of gates that no output needs.
fn drop_unused(network: &Network, outputs: Vec<Lit>, gates: &mut [Vec<Lit>]) {
    let mut used = vec![false; network.nodes as usize];
    let mut stack = outputs;
    while let Some(literal) = stack.pop() {
        if std::mem::replace(&mut used[literal.node() as usize], true) {
            continue;
        }
        if let Some(gate) = literal.node().checked_sub(network.first_gate) {
            stack.extend(&gates[gate as usize]);
        }
    }
    for (gate, operands) in gates.iter_mut().enumerate() {
        if !used[network.first_gate as usize + gate] {
            operands.clear();
        }
    }
}

struct PairExtraction {
    gates: Vec<Vec<Lit>>,
    pairs: Vec<[Lit; 2]>,
    nodes: u32,
    /// For every pair, the gates that have had it.
    places: FxHashMap<[Lit; 2], Vec<u32>>,
    /// Pairs by their last known number of gates; the first pair comes first.
    queue: BinaryHeap<(u32, std::cmp::Reverse<[Lit; 2]>)>,
}

impl PairExtraction {
    fn new(gates: Vec<Vec<Lit>>, nodes: u32, interrupt: &Interrupt) -> Result<PairExtraction, Interrupted> {
        let wide = |gate: &Vec<Lit>| gate.len() > MAX_OPERANDS;
        let count =
            |gate: &Vec<Lit>| if wide(gate) { 0 } else { gate.len() * gate.len().saturating_sub(1) / 2 };
        let mut sharing = PairExtraction {
            places: FxHashMap::default(),
            queue: BinaryHeap::new(),
            pairs: Vec::new(),
            gates,
            nodes,
        };
        if sharing.gates.iter().map(count).sum::<usize>() > MAX_PAIRS {
            return Ok(sharing);
        }
        for gate in 0..sharing.gates.len() {
            interrupt.check()?;
            let operands = &sharing.gates[gate];
            if wide(operands) {
                continue;
            }
            for (index, &second) in operands.iter().enumerate() {
                for &first in &operands[..index] {
                    sharing.places.entry([first, second]).or_default().push(gate as u32);
                }
            }
        }
        let counted = sharing.places.iter().filter(|(_, gates)| gates.len() > 1);
        sharing.queue = counted.map(|(&pair, gates)| (gates.len() as u32, std::cmp::Reverse(pair))).collect();
        Ok(sharing)
    }

    fn run(&mut self, interrupt: &Interrupt) -> Result<(), Interrupted> {
        while let Some((count, std::cmp::Reverse(pair))) = self.queue.pop() {
            interrupt.check()?;
            let Some(mut places) = self.places.remove(&pair) else { continue };
            places.retain(|&gate| {
                let operands = &self.gates[gate as usize];
                pair.iter().all(|operand| operands.binary_search(operand).is_ok())
            });
            places.dedup();
            let now = places.len() as u32;
            if now < count {
                if now > 1 {
                    self.queue.push((now, std::cmp::Reverse(pair)));
                    self.places.insert(pair, places);
                }
                continue;
            }
            self.extract(pair, &places);
        }
        Ok(())
    }

    /// Makes a pair a gate, and replaces its two operands by it.
    fn extract(&mut self, pair: [Lit; 2], places: &[u32]) {
        let new = Lit::of(self.nodes + self.pairs.len() as u32);
        self.pairs.push(pair);
        let mut gates_of: IndexMap<Lit, Vec<u32>> = IndexMap::new();
        for &gate in places {
            let operands = &mut self.gates[gate as usize];
            operands.retain(|operand| !pair.contains(operand));
            operands.iter().for_each(|&operand| gates_of.entry(operand).or_default().push(gate));
            operands.push(new);
        }
        for (operand, gates) in gates_of {
            if gates.len() > 1 {
                self.queue.push((gates.len() as u32, std::cmp::Reverse([operand, new])));
                self.places.insert([operand, new], gates);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_pairs_become_gates() {
        let lit = Lit::of;
        let gates = vec![
            vec![lit(1), lit(2), lit(3)],
            vec![lit(1), lit(2), lit(4)],
            vec![lit(1), lit(2), lit(3), lit(5)],
            vec![lit(6), !lit(2)],
        ];
        let free = Interrupt::default();
        let mut sharing = PairExtraction::new(gates, 10, &free).expect("nothing interrupts");
        sharing.run(&free).expect("nothing interrupts");
        assert_eq!(sharing.pairs, [[lit(1), lit(2)], [lit(3), lit(10)]]);
        let expected = [vec![lit(11)], vec![lit(4), lit(10)], vec![lit(5), lit(11)], vec![lit(6), !lit(2)]];
        // Operands stay ascending.
        assert_eq!(sharing.gates[1..], expected[1..]);
        assert_eq!(sharing.gates[0], expected[0]);
    }
}

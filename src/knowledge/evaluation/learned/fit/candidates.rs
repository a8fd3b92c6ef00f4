//! Candidate conjunctions that are parts of the goal and terminal conditions.
//!
//! A single disc says little about four in a row: the number of discs in one row matters. The rules show which
//! facts form a row: goal conditions and the terminal condition depend on gates of the network that are conjunctions.
//! Two or three facts of a conjunction are a part of it.

use std::collections::{BTreeMap, BTreeSet};

use crate::ground::{Lit, Network};

use super::super::model::conjunctions::{Bits, MOST_BITS};

/// Limit of the facts of a conjunction. Longer conjunctions have too many parts, and each part covers too little of
/// them.
const FACTS: usize = 8;

/// The most gates that are examined, and the most parts that are counted.
const GATES: usize = 1_000_000;
const PARTS: usize = 500_000;

/// The most facts that may be missing in an open part.
const MISSING: usize = 2;

/// The conjunctions that goal and terminal conditions depend on.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    /// The facts of each, as bits of a state, ascending.
    pub(super) conjunctions: Vec<Vec<u32>>,
    /// For each fact, the bit that is set if the fact's place is free.
    free_bits: BTreeMap<u32, u32>,
}

impl Candidates {
    /// The conjunctions of a game; `free_bits` has for a fact the bit that is set if its place is free.
    pub(crate) fn new(network: &Network, free_bits: BTreeMap<u32, u32>) -> Candidates {
        Candidates { conjunctions: goal_conjunctions(network), free_bits }
    }

    /// The pairs and triples of facts of these conjunctions, ordered by the number of conjunctions that contain them,
    /// the most first. Only facts of `bits`, which are ascending, are used.
    pub(super) fn parts(&self, bits: &[u32]) -> [Vec<Bits>; 2] {
        let mut counts = [BTreeMap::<Bits, u32>::new(), BTreeMap::new()];
        let mut parts = 0;
        for facts in &self.conjunctions {
            let facts: Vec<u32> =
                facts.iter().copied().filter(|bit| bits.binary_search(bit).is_ok()).collect();
            if parts > PARTS {
                break;
            }
            for (index, &one) in facts.iter().enumerate() {
                for (next, &two) in facts.iter().enumerate().skip(index + 1) {
                    *counts[0].entry(Bits::from([one, two])).or_default() += 1;
                    for &three in &facts[next + 1..] {
                        *counts[1].entry(Bits::from([one, two, three])).or_default() += 1;
                        parts += 1;
                    }
                    parts += 1;
                }
            }
        }
        counts.map(|counts| {
            let mut parts: Vec<(Bits, u32)> = counts.into_iter().collect();
            parts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
            parts.into_iter().map(|(part, _)| part).collect()
        })
    }

    /// The open parts of conjunctions of three to six facts: one or two facts are missing, and their places are free.
    /// Parts that miss one fact come first. `bits` are those that vary, ascending.
    pub(super) fn open_parts(&self, bits: &[u32]) -> Vec<Bits> {
        let varies = |bit: &u32| bits.binary_search(bit).is_ok();
        let mut parts: Vec<Bits> = Vec::new();
        for missing in 1..=MISSING {
            for facts in self.conjunctions.iter().filter(|facts| (3..MOST_BITS).contains(&facts.len())) {
                if parts.len() > PARTS {
                    break;
                }
                for left_out in subsets(facts.len(), missing) {
                    let part =
                        facts.iter().enumerate().map(|(index, fact)| match left_out.contains(&index) {
                            true => self.free_bits.get(fact).copied().filter(varies),
                            false => Some(*fact).filter(varies),
                        });
                    let Some(mut part) = part.collect::<Option<Vec<u32>>>() else { continue };
                    part.sort_unstable();
                    part.dedup();
                    parts.push(part.into());
                }
            }
        }
        let mut seen = BTreeSet::new();
        parts.retain(|part| seen.insert(part.clone()));
        parts
    }
}

/// All subsets of one or two of the first numbers.
fn subsets(count: usize, size: usize) -> Vec<Vec<usize>> {
    match size {
        1 => (0..count).map(|one| vec![one]).collect(),
        _ => (0..count).flat_map(|one| (one + 1..count).map(move |two| vec![one, two])).collect(),
    }
}

/// The facts, as bits of a state, of every conjunction of two to eight facts that goals and the terminal condition
/// depend on, each ascending. A conjunction of conjunctions counts as one conjunction; conjunctions inside larger ones
/// are left out. Negated facts are ignored.
fn goal_conjunctions(network: &Network) -> Vec<Vec<u32>> {
    let gates = network.gates();
    let gate_of = |operand: Lit| (operand.node() as usize).checked_sub(network.first_gate as usize);
    let bits = network.next.len() as u32;
    if gates > GATES {
        return Vec::new();
    }
    // First from the conditions to the leaves: the gates that they depend on.
    let mut needed = vec![false; gates];
    let conditions = network.goals.iter().flatten().map(|&(_, condition)| condition);
    for gate in conditions.chain([network.terminal]).filter_map(gate_of) {
        needed[gate] = true;
    }
    for gate in (0..gates).rev() {
        if needed[gate] {
            network.gate(gate).iter().copied().filter_map(gate_of).for_each(|below| needed[below] = true);
        }
    }
    // Then from the facts to the conditions: the facts of each gate; none if there are too many.
    let mut facts: Vec<Vec<u32>> = vec![Vec::new(); gates];
    let mut is_part = vec![false; gates];
    for gate in (0..gates).filter(|&gate| needed[gate]) {
        let operands = || network.gate(gate).iter().copied().filter(|operand| !operand.negated());
        let mut own = Vec::new();
        for operand in operands() {
            match gate_of(operand) {
                Some(below) => own.extend_from_slice(&facts[below]),
                None => own.extend(operand.node().checked_sub(1).filter(|&bit| bit < bits)),
            }
        }
        own.sort_unstable();
        own.dedup();
        if own.len() <= FACTS {
            operands().filter_map(gate_of).for_each(|below| is_part[below] = facts[below].len() > 1);
            facts[gate] = own;
        }
    }
    let is_whole = |gate: &usize| needed[*gate] && !is_part[*gate] && facts[*gate].len() > 1;
    (0..gates).filter(is_whole).map(|gate| facts[gate].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gdl::{Source, read};
    use crate::ground::{Limits, ground};

    /// Three in a line of five places, by either of two.
    const LINE: &str = "
(role one) (role two)
(init (turn one)) (other one two) (other two one)
(place 1) (place 2) (place 3) (place 4) (place 5)
(after 1 2) (after 2 3) (after 3 4) (after 4 5)
(<= (taken ?p) (true (at ?p ?r)))
(<= (legal ?r (take ?p)) (true (turn ?r)) (place ?p) (not (taken ?p)))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (next (turn ?q)) (true (turn ?r)) (other ?r ?q))
(<= (next (at ?p ?r)) (does ?r (take ?p)))
(<= (next (at ?p ?r)) (true (at ?p ?r)))
(<= (three ?r) (true (at ?a ?r)) (after ?a ?b) (true (at ?b ?r)) (after ?b ?c) (true (at ?c ?r)))
(<= open (place ?p) (not (taken ?p)))
(<= terminal (three ?r)) (<= terminal (not open))
(<= (goal ?r 100) (role ?r) (three ?r))
(<= (goal ?r 0) (role ?r) (not (three ?r)))";

    #[test]
    fn parts_of_lines_are_found_in_the_rules() {
        let description = read(&Source::from_text("line", LINE)).description.unwrap();
        let grounded = ground(&std::sync::Arc::new(description), &Limits::default()).unwrap();
        let network = &grounded.network;
        let bits: Vec<u32> = (0..network.next.len() as u32).collect();
        let candidates = Candidates::new(network, BTreeMap::new());
        let [pairs, triples] = candidates.parts(&bits);
        // Lines from 1, 2 and 3 on, for two roles; their pairs are 12, 13, 23, 24, 34, 35, 45.
        assert_eq!((triples.len(), pairs.len()), (6, 14), "{triples:?} {pairs:?}");
        let mut most: Vec<&Bits> = pairs[..4].iter().collect();
        most.sort();
        // 23 and 34 are in two lines each.
        let in_lines =
            |pair: &Bits| triples.iter().filter(|three| pair.iter().all(|bit| three.contains(bit))).count();
        assert!(most.iter().all(|pair| in_lines(pair) == 2));
        assert!(candidates.parts(&bits[..1]).iter().all(Vec::is_empty));
    }

    #[test]
    fn open_parts_have_free_places() {
        // Two rows of three: the facts 0, 1, 2 of one player and 8, 9, 10 of another one, in the same places.
        let conjunctions = vec![vec![0, 1, 2], vec![8, 9, 10], vec![0, 3]];
        let free = |index: u32| 64 + index;
        let free_bits = (0..3).flat_map(|index| [(index, free(index)), (index + 8, free(index))]).collect();
        let bits: Vec<u32> = (0..67).collect();
        let candidates = Candidates { conjunctions, free_bits };
        let parts = candidates.open_parts(&bits);
        assert_eq!(parts.len(), 12);
        assert_eq!(parts[0], Bits::from([1, 2, free(0)]), "parts that miss one fact come first");
        assert!(parts.contains(&Bits::from([9, free(0), free(2)])));
        // A place that is never free is in no open part.
        let parts = candidates.open_parts(&bits[..66]);
        assert!(parts.iter().flatten().all(|&bit| bit != free(2)), "{parts:?}");
    }
}

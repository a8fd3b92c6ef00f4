//! Conjunctions of facts that goals and ends ask for, and their parts.
//!
//! Four in a row says nothing that a single disc does: what counts is how much of a row there is. Which facts make up such
//! a whole stands in the rules, so it needn't be found out from play: the network's gates that goal conditions and the
//! terminal one rest on are conjunctions, and two or three facts of one of them are a part of it.

use std::collections::BTreeMap;

use crate::ground::Network;

use super::conjunctions::{Bits, MOST_BITS};

/// Facts of a conjunction at most: of longer ones there are too many parts, which say too little.
const FACTS: usize = 8;

/// Gates looked at, and parts noted, at most.
const GATES: usize = 1_000_000;
const PARTS: usize = 500_000;

/// The parts of two and of three facts of conjunctions that the goals of a game and its end rest on, those first that
/// most of these conjunctions have. Facts are bits of a state, and have to be among `bits`, which ascend. What a negation
/// forbids is not asked.
pub(super) fn goal_parts(wholes: &[Vec<u32>], bits: &[u32]) -> [Vec<Bits>; 2] {
    let mut counts = [BTreeMap::<Bits, u32>::new(), BTreeMap::new()];
    let mut noted = 0;
    for whole in wholes {
        let whole: Vec<u32> = whole.iter().copied().filter(|bit| bits.binary_search(bit).is_ok()).collect();
        if noted > PARTS {
            break;
        }
        for (place, &one) in whole.iter().enumerate() {
            for (next, &two) in whole.iter().enumerate().skip(place + 1) {
                *counts[0].entry(Bits::from([one, two])).or_default() += 1;
                for &three in &whole[next + 1..] {
                    *counts[1].entry(Bits::from([one, two, three])).or_default() += 1;
                    noted += 1;
                }
                noted += 1;
            }
        }
    }
    counts.map(|counts| {
        let mut parts: Vec<(Bits, u32)> = counts.into_iter().collect();
        parts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        parts.into_iter().map(|(part, _)| part).collect()
    })
}

/// Facts of a conjunction that may be missing in an open part of it.
const MISSING: usize = 2;

/// Parts of conjunctions of three to six facts that are open: all but one or two of the facts hold, and where these would
/// stand there is nothing. `free` has for each fact the bit that says so, `bits` are those that vary, ascending. Those first that
/// miss least.
pub(super) fn open_parts(wholes: &[Vec<u32>], free: &BTreeMap<u32, u32>, bits: &[u32]) -> Vec<Bits> {
    let varies = |bit: &u32| bits.binary_search(bit).is_ok();
    let mut parts: Vec<Bits> = Vec::new();
    for missing in 1..=MISSING {
        for whole in wholes.iter().filter(|whole| (3..MOST_BITS).contains(&whole.len())) {
            if parts.len() > PARTS {
                break;
            }
            for left_out in subsets(whole.len(), missing) {
                let part = whole.iter().enumerate().map(|(place, fact)| match left_out.contains(&place) {
                    true => free.get(fact).copied().filter(varies),
                    false => Some(*fact).filter(varies),
                });
                let Some(mut part) = part.collect::<Option<Vec<u32>>>() else { continue };
                part.sort_unstable();
                part.dedup();
                parts.push(part.into());
            }
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    parts.retain(|part| seen.insert(part.clone()));
    parts
}

/// All subsets of one or two of the first numbers.
fn subsets(of: usize, size: usize) -> Vec<Vec<usize>> {
    match size {
        1 => (0..of).map(|one| vec![one]).collect(),
        _ => (0..of).flat_map(|one| (one + 1..of).map(move |two| vec![one, two])).collect(),
    }
}

/// The facts, as bits of a state, of every conjunction of two to eight that the goals and the terminal condition rest on,
/// each ascending. Conjunctions of conjunctions are taken together; what is only a part of another one is left out.
pub(super) fn wholes(network: &Network) -> Vec<Vec<u32>> {
    let gates = network.gates();
    let first = network.first_gate as usize;
    let bits = network.next.len();
    if gates > GATES {
        return Vec::new();
    }
    // From the conditions down: which gates they rest on.
    let mut wanted = vec![false; gates];
    let conditions = network.goals.iter().flatten().map(|&(_, condition)| condition);
    for condition in conditions.chain([network.terminal]) {
        if let Some(gate) = (condition.node() as usize).checked_sub(first) {
            wanted[gate] = true;
        }
    }
    for gate in (0..gates).rev() {
        if wanted[gate] {
            for operand in network.gate(gate) {
                if let Some(below) = (operand.node() as usize).checked_sub(first) {
                    wanted[below] = true;
                }
            }
        }
    }
    // From the facts up: what each gate asks for. One that asks for too much is as good as one that asks for nothing.
    let mut asks: Vec<Vec<u32>> = vec![Vec::new(); gates];
    let mut part = vec![false; gates];
    for gate in (0..gates).filter(|&gate| wanted[gate]) {
        let mut own = Vec::new();
        for operand in network.gate(gate).iter().filter(|operand| !operand.negated()) {
            let node = operand.node() as usize;
            if (1..=bits).contains(&node) {
                own.push(node as u32 - 1);
            } else if let Some(below) = node.checked_sub(first) {
                own.extend_from_slice(&asks[below]);
            }
        }
        own.sort_unstable();
        own.dedup();
        if own.len() <= FACTS {
            for operand in network.gate(gate).iter().filter(|operand| !operand.negated()) {
                if let Some(below) = (operand.node() as usize).checked_sub(first) {
                    part[below] = asks[below].len() > 1;
                }
            }
            asks[gate] = own;
        }
    }
    let whole = |gate: &usize| wanted[*gate] && !part[*gate] && asks[*gate].len() > 1;
    (0..gates).filter(whole).map(|gate| asks[gate].clone()).collect()
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
    fn parts_of_lines_stand_in_the_rules() {
        let description = read(&Source::from_text("line", LINE)).description.unwrap();
        let grounded = ground(&std::sync::Arc::new(description), &Limits::default()).unwrap();
        let network = &grounded.network;
        let bits: Vec<u32> = (0..network.next.len() as u32).collect();
        let [pairs, threes] = goal_parts(&wholes(network), &bits);
        // Lines from 1, 2 and 3 on, for two roles; their pairs are 12, 13, 23, 24, 34, 35, 45.
        assert_eq!((threes.len(), pairs.len()), (6, 14), "{threes:?} {pairs:?}");
        let mut most: Vec<&Bits> = pairs[..4].iter().collect();
        most.sort();
        // 23 and 34 are in two lines each.
        let in_lines =
            |pair: &Bits| threes.iter().filter(|three| pair.iter().all(|bit| three.contains(bit))).count();
        assert!(most.iter().all(|pair| in_lines(pair) == 2));
        assert!(goal_parts(&wholes(network), &bits[..1]).iter().all(Vec::is_empty));
    }

    #[test]
    fn open_parts_have_free_places() {
        // Two rows of three; the places 0, 1, 2 belong to one player, 8, 9, 10 to another, and place 3 to nobody.
        let wholes = [vec![0, 1, 2], vec![8, 9, 10], vec![0, 3]];
        let free = |place: u32| 64 + place;
        let places = (0..3).flat_map(|place| [(place, free(place)), (place + 8, free(place))]).collect();
        let bits: Vec<u32> = (0..67).collect();
        let parts = open_parts(&wholes, &places, &bits);
        assert_eq!(parts.len(), 12);
        assert_eq!(parts[0], Bits::from([1, 2, free(0)]), "what misses one first");
        assert!(parts.contains(&Bits::from([9, free(0), free(2)])));
        // A place that is never free opens nothing.
        let parts = open_parts(&wholes, &places, &bits[..66]);
        assert!(parts.iter().flatten().all(|&bit| bit != free(2)), "{parts:?}");
    }
}

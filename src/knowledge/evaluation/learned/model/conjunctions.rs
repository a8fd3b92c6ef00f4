//! Conjunctions of bits of a state, and an index that finds the conjunctions that are true in a state.

use crate::machine::CompressedRows;

/// The most bits of a conjunction: six facts, and one bit that says that none of a group of facts holds.
pub(crate) const MOST_BITS: usize = 7;

/// A conjunction: one to seven bits, ascending.
pub(crate) type Bits = Box<[u32]>;

/// Conjunctions, numbered in their order. A conjunction of several bits is examined only if its rarest bit is set.
/// After a change of the state, only conjunctions that have a changed bit are examined.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Conjunctions {
    list: Vec<Bits>,
    /// For each bit the conjunctions in which it is the rarest.
    by_rarest: Index,
    /// For each bit all its conjunctions.
    by_bit: Index,
}

/// For each bit some of its conjunctions, by the number of their other bits.
#[derive(Clone, Debug, Default, PartialEq)]
struct Index {
    /// Numbers of conjunctions of the bit alone.
    single: CompressedRows<u32>,
    /// Numbers of pairs and triples, each followed by the other bits, the rarest first.
    pairs: CompressedRows<[u32; 2]>,
    triples: CompressedRows<[u32; 3]>,
    /// Longer conjunctions: number, and row of `others` with the other bits.
    longer: CompressedRows<[u32; 2]>,
    others: CompressedRows<u32>,
}

/// Additional cost of examining a conjunction of four bits or more, in units of a pair's cost (an estimate).
const LONGER: u32 = 2;

impl Index {
    /// An index of conjunctions by number; `numbers` has a list for each bit.
    fn new(conjunctions: &[Bits], support: &[u64], numbers: &[Vec<u32>]) -> Index {
        let mut index = Index::default();
        for (bit, numbers) in (0..).zip(numbers) {
            for &number in numbers {
                let mut others: Vec<u32> = conjunctions[number as usize].to_vec();
                others.retain(|&other| other != bit);
                others.sort_by_key(|&other| (support[other as usize], other));
                match others[..] {
                    [] => index.single.items_mut().push(number),
                    [one] => index.pairs.items_mut().push([number, one]),
                    [one, two] => index.triples.items_mut().push([number, one, two]),
                    _ => {
                        index.longer.items_mut().push([number, index.others.len() as u32]);
                        index.others.push(others);
                    }
                }
            }
            index.single.end_row();
            index.pairs.end_row();
            index.triples.end_row();
            index.longer.end_row();
        }
        index
    }

    /// The cost of examining a bit's conjunctions, in units of a pair's cost.
    fn cost(&self, bit: u32) -> u32 {
        let bit = bit as usize;
        let few = self.single.range(bit).len() + self.pairs.range(bit).len() + self.triples.range(bit).len();
        few as u32 + (1 + LONGER) * self.longer.range(bit).len() as u32
    }

    /// Appends the numbers of a bit's conjunctions whose other bits are set. For pairs and triples there is no branch
    /// on the result, because processors could not predict it.
    #[inline]
    fn push_true(&self, bit: u32, words: &[u64], out: &mut Vec<u32>) {
        let bit = bit as usize;
        out.extend_from_slice(self.single.row(bit));
        let (pairs, triples) = (self.pairs.row(bit), self.triples.row(bit));
        let mut end = out.len();
        out.resize(end + pairs.len() + triples.len(), 0);
        for &[number, one] in pairs {
            out[end] = number;
            end += usize::from(has(words, one));
        }
        for &[number, one, two] in triples {
            out[end] = number;
            end += usize::from(has(words, one) & has(words, two));
        }
        out.truncate(end);
        for &[number, others] in self.longer.row(bit) {
            if self.others.row(others as usize).iter().all(|&other| has(words, other)) {
                out.push(number);
            }
        }
    }
}

impl Conjunctions {
    /// Conjunctions of a state's bits; `support` is the number of states in which each bit is set.
    pub(crate) fn new(list: Vec<Bits>, support: &[u64]) -> Conjunctions {
        let mut rarest: Vec<Vec<u32>> = vec![Vec::new(); support.len()];
        let mut all = rarest.clone();
        for (number, bits) in (0..).zip(&list) {
            bits.iter().for_each(|&bit| all[bit as usize].push(number));
            if let Some(&bit) = bits.iter().min_by_key(|&&bit| (support[bit as usize], bit)) {
                rarest[bit as usize].push(number);
            }
        }
        let [by_rarest, by_bit] = [rarest, all].map(|numbers| Index::new(&list, support, &numbers));
        Conjunctions { list, by_rarest, by_bit }
    }

    pub(crate) fn list(&self) -> &[Bits] {
        &self.list
    }

    /// Appends the numbers of the conjunctions that are true in a state.
    pub(crate) fn push_true(&self, words: &[u64], out: &mut Vec<u32>) {
        for bit in bits_of(words) {
            self.by_rarest.push_true(bit, words, out);
        }
    }

    /// Calls `visit` with the number of every conjunction that is true in a state.
    #[inline]
    pub(crate) fn for_each_true(&self, words: &[u64], visit: impl FnMut(u32)) {
        let mut found = Vec::with_capacity(256);
        self.push_true(words, &mut found);
        found.into_iter().for_each(visit);
    }

    /// The cost of finding all true conjunctions of a state.
    pub(crate) fn cost(&self, words: &[u64]) -> u32 {
        bits_of(words).map(|bit| self.by_rarest.cost(bit)).sum()
    }

    /// The cost of finding the conjunctions that changed between two states.
    pub(crate) fn cost_of_change(&self, before: &[u64], after: &[u64]) -> u32 {
        let changed = (0_u32..).zip(before.iter().zip(after));
        let of_word = |(index, (before, after)): (u32, (&u64, &u64))| {
            bits_of(&[before ^ after]).map(|bit| self.by_bit.cost(index * 64 + bit)).sum::<u32>()
        };
        changed.map(of_word).sum()
    }

    /// Calls `visit` with the number of every conjunction that is true in the second state and not in the first.
    #[inline]
    pub(crate) fn for_each_new(&self, before: &[u64], after: &[u64], mut visit: impl FnMut(u32)) {
        let mut found = Vec::new();
        for (index, (&before_word, &after_word)) in (0_u32..).zip(before.iter().zip(after)) {
            let mut left = after_word & !before_word;
            while left != 0 {
                let bit = index * 64 + left.trailing_zeros();
                left &= left - 1;
                found.clear();
                self.by_bit.push_true(bit, after, &mut found);
                for &number in &found {
                    // A conjunction with several new bits is reported for the first of them.
                    let others = &self.list[number as usize];
                    if !others.iter().any(|&other| other < bit && !has(before, other)) {
                        visit(number);
                    }
                }
            }
        }
    }
}

/// Whether a bit is set.
#[inline]
pub(crate) fn has(words: &[u64], bit: u32) -> bool {
    words[bit as usize / 64] >> (bit % 64) & 1 == 1
}

/// The bits that are set, ascending.
pub(crate) fn bits_of(words: &[u64]) -> impl Iterator<Item = u32> {
    (0..).zip(words).flat_map(|(index, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| index * 64 + left.trailing_zeros());
            left &= left.wrapping_sub(1);
            bit
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bits_are_ascending() {
        assert_eq!(bits_of(&[0b101, 0, 1 << 63]).collect::<Vec<_>>(), [0, 2, 191]);
        assert_eq!(bits_of(&[0, 0]).count(), 0);
    }

    proptest! {
        #[test]
        fn true_conjunctions_are_found_for_any_support(
            words in proptest::collection::vec(any::<u64>(), 2),
            lists in proptest::collection::vec(proptest::collection::btree_set(0_u32..128, 1..=7), 0..60),
            support in proptest::collection::vec(0_u64..5, 128),
        ) {
            let list: Vec<Bits> = lists.iter().map(|bits| bits.iter().copied().collect()).collect();
            let holds = |bits: &Bits| bits.iter().all(|&bit| has(&words, bit));
            let expected: Vec<u32> = (0..).zip(&list).filter(|(_, bits)| holds(bits)).map(|(n, _)| n).collect();
            let mut found = Vec::new();
            Conjunctions::new(list.clone(), &support).for_each_true(&words, |number| found.push(number));
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn new_conjunctions_are_found(
            before in proptest::collection::vec(any::<u64>(), 2),
            after in proptest::collection::vec(any::<u64>(), 2),
            lists in proptest::collection::vec(proptest::collection::btree_set(0_u32..128, 1..=7), 0..60),
        ) {
            let list: Vec<Bits> = lists.iter().map(|bits| bits.iter().copied().collect()).collect();
            let conjunctions = Conjunctions::new(list, &[0; 128]);
            let all_true = |words: &[u64]| {
                let mut found = std::collections::BTreeSet::new();
                conjunctions.for_each_true(words, |number| assert!(found.insert(number)));
                found
            };
            let mut found = Vec::new();
            conjunctions.for_each_new(&before, &after, |number| found.push(number));
            found.sort_unstable();
            let expected: Vec<u32> = all_true(&after).difference(&all_true(&before)).copied().collect();
            prop_assert_eq!(found, expected);
        }
    }
}

//! Conjunctions of a few bits of a state, and how those that hold are found.

use crate::machine::CompressedRows;

/// Bits that a conjunction has at most: six facts, and that none of some others holds.
pub(super) const MOST_BITS: usize = 7;

/// A conjunction: one to seven bits, ascending.
pub(super) type Bits = Box<[u32]>;

/// Conjunctions, numbered in their order. To find those that hold, one of several bits is looked at only where its rarest bit
/// holds; to find those that changed, all that have a bit that changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Conjunctions {
    list: Vec<Bits>,
    /// For each bit the conjunctions of which it is the rarest.
    rarest: Lists,
    /// For each bit all its conjunctions.
    all: Lists,
}

/// For each bit some of its conjunctions, by how many other bits they have.
#[derive(Clone, Debug, Default, PartialEq)]
struct Lists {
    /// Numbers of those that are the bit alone.
    single: CompressedRows<u32>,
    /// Numbers with one other bit, and with two, the rarest first.
    pairs: CompressedRows<[u32; 2]>,
    threes: CompressedRows<[u32; 3]>,
    /// Those of more: their numbers, and which row of `others` has their other bits.
    longer: CompressedRows<[u32; 2]>,
    others: CompressedRows<u32>,
}

/// Looks at pairs that take as long as one more at a conjunction of four bits and above, about.
const LONGER: u32 = 2;

impl Lists {
    /// Lists of conjunctions by number, one for each bit.
    fn new(conjunctions: &[Bits], support: &[u64], numbers: &[Vec<u32>]) -> Lists {
        let mut lists = Lists::default();
        for (bit, numbers) in (0..).zip(numbers) {
            for &number in numbers {
                let mut others: Vec<u32> = conjunctions[number as usize].to_vec();
                others.retain(|&other| other != bit);
                others.sort_by_key(|&other| (support[other as usize], other));
                match others[..] {
                    [] => lists.single.items_mut().push(number),
                    [one] => lists.pairs.items_mut().push([number, one]),
                    [one, two] => lists.threes.items_mut().push([number, one, two]),
                    _ => {
                        lists.longer.items_mut().push([number, lists.others.len() as u32]);
                        lists.others.push(others);
                    }
                }
            }
            lists.single.end_row();
            lists.pairs.end_row();
            lists.threes.end_row();
            lists.longer.end_row();
        }
        lists
    }

    /// How many conjunctions a bit has, those counted more than once that take longer to look at.
    fn effort(&self, bit: u32) -> u32 {
        let bit = bit as usize;
        let few = self.single.range(bit).len() + self.pairs.range(bit).len() + self.threes.range(bit).len();
        few as u32 + (1 + LONGER) * self.longer.range(bit).len() as u32
    }

    /// Appends the numbers of a bit's conjunctions whose other bits hold in a state. Whether a pair or three does is as good
    /// as random, so there is no branch on it.
    #[inline]
    fn holding(&self, bit: u32, words: &[u64], out: &mut Vec<u32>) {
        let bit = bit as usize;
        out.extend_from_slice(self.single.row(bit));
        let (pairs, threes) = (self.pairs.row(bit), self.threes.row(bit));
        let mut end = out.len();
        out.resize(end + pairs.len() + threes.len(), 0);
        for &[number, one] in pairs {
            out[end] = number;
            end += usize::from(has(words, one));
        }
        for &[number, one, two] in threes {
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

/// Whether a bit is set.
#[inline]
pub(super) fn has(words: &[u64], bit: u32) -> bool {
    words[bit as usize / 64] >> (bit % 64) & 1 == 1
}

impl Conjunctions {
    /// Conjunctions of a state's bits; `support` says how often each bit holds.
    pub(super) fn new(list: Vec<Bits>, support: &[u64]) -> Conjunctions {
        let mut rarest: Vec<Vec<u32>> = vec![Vec::new(); support.len()];
        let mut all = rarest.clone();
        for (number, bits) in (0..).zip(&list) {
            bits.iter().for_each(|&bit| all[bit as usize].push(number));
            if let Some(&bit) = bits.iter().min_by_key(|&&bit| (support[bit as usize], bit)) {
                rarest[bit as usize].push(number);
            }
        }
        let [rarest, all] = [rarest, all].map(|numbers| Lists::new(&list, support, &numbers));
        Conjunctions { list, rarest, all }
    }

    /// Number of conjunctions.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The conjunctions.
    pub(super) fn list(&self) -> &[Bits] {
        &self.list
    }

    /// Appends the number of every conjunction that holds in a state.
    pub(super) fn holding(&self, words: &[u64], out: &mut Vec<u32>) {
        for bit in bits_of(words) {
            self.rarest.holding(bit, words, out);
        }
    }

    /// Calls `visit` with the number of every conjunction that holds in a state.
    #[inline]
    pub(super) fn each(&self, words: &[u64], visit: impl FnMut(u32)) {
        let mut holding = Vec::with_capacity(256);
        self.holding(words, &mut holding);
        holding.into_iter().for_each(visit);
    }

    /// What it takes to find all that hold in a state.
    pub(super) fn effort(&self, words: &[u64]) -> u32 {
        bits_of(words).map(|bit| self.rarest.effort(bit)).sum()
    }

    /// What it takes to find those that came or went between two states.
    pub(super) fn effort_between(&self, before: &[u64], after: &[u64]) -> u32 {
        let changed = (0_u32..).zip(before.iter().zip(after));
        let of_word = |(index, (before, after)): (u32, (&u64, &u64))| {
            bits_of(&[before ^ after]).map(|bit| self.all.effort(index * 64 + bit)).sum::<u32>()
        };
        changed.map(of_word).sum()
    }

    /// Calls `visit` with the number of every conjunction that holds in the second state and not in the first.
    #[inline]
    pub(super) fn each_new(&self, before: &[u64], after: &[u64], mut visit: impl FnMut(u32)) {
        let mut holding = Vec::new();
        for (index, (&before_word, &after_word)) in (0_u32..).zip(before.iter().zip(after)) {
            let mut left = after_word & !before_word;
            while left != 0 {
                let bit = index * 64 + left.trailing_zeros();
                left &= left - 1;
                holding.clear();
                self.all.holding(bit, after, &mut holding);
                for &number in &holding {
                    // Where several bits are new, the first of them tells of the conjunction.
                    let others = &self.list[number as usize];
                    if !others.iter().any(|&other| other < bit && !has(before, other)) {
                        visit(number);
                    }
                }
            }
        }
    }
}

/// The bits that are set, ascending.
pub(super) fn bits_of(words: &[u64]) -> impl Iterator<Item = u32> {
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
        fn those_that_hold_are_found_whatever_is_rare(
            words in proptest::collection::vec(any::<u64>(), 2),
            lists in proptest::collection::vec(proptest::collection::btree_set(0_u32..128, 1..=7), 0..60),
            support in proptest::collection::vec(0_u64..5, 128),
        ) {
            let list: Vec<Bits> = lists.iter().map(|bits| bits.iter().copied().collect()).collect();
            let holds = |bits: &Bits| bits.iter().all(|&bit| words[bit as usize / 64] >> (bit % 64) & 1 == 1);
            let wanted: Vec<u32> = (0..).zip(&list).filter(|(_, bits)| holds(bits)).map(|(n, _)| n).collect();
            let mut found = Vec::new();
            Conjunctions::new(list.clone(), &support).each(&words, |number| found.push(number));
            found.sort_unstable();
            prop_assert_eq!(found, wanted);
        }

        #[test]
        fn those_that_changed_are_found(
            before in proptest::collection::vec(any::<u64>(), 2),
            after in proptest::collection::vec(any::<u64>(), 2),
            lists in proptest::collection::vec(proptest::collection::btree_set(0_u32..128, 1..=7), 0..60),
        ) {
            let list: Vec<Bits> = lists.iter().map(|bits| bits.iter().copied().collect()).collect();
            let conjunctions = Conjunctions::new(list, &[0; 128]);
            let holding = |words: &[u64]| {
                let mut found = std::collections::BTreeSet::new();
                conjunctions.each(words, |number| assert!(found.insert(number)));
                found
            };
            let mut found = Vec::new();
            conjunctions.each_new(&before, &after, |number| found.push(number));
            found.sort_unstable();
            let wanted: Vec<u32> = holding(&after).difference(&holding(&before)).copied().collect();
            prop_assert_eq!(found, wanted);
        }
    }
}

//! Conjunctions of a few bits of a state, and how those that hold are found.

/// A conjunction: one to three bits, ascending.
pub(super) type Bits = Box<[u32]>;

/// In place of a bit that there is not.
const NONE: u32 = u32::MAX;

/// Conjunctions, numbered in their order. To find those that hold, one of several bits is looked at only where its rarest bit
/// holds; to find those that changed, all that have a bit that changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Conjunctions {
    list: Vec<Bits>,
    /// For each bit the conjunctions of which it is the rarest.
    rarest: Vec<Vec<Entry>>,
    /// For each bit all its conjunctions.
    all: Vec<Vec<Entry>>,
}

/// A conjunction of a bit and of others.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    number: u32,
    others: [u32; 2],
}

impl Entry {
    fn new(number: u32, bits: &[u32], bit: u32) -> Entry {
        let mut others = bits.iter().copied().filter(|&other| other != bit);
        Entry { number, others: std::array::from_fn(|_| others.next().unwrap_or(NONE)) }
    }

    /// Whether the other bits hold.
    #[inline]
    fn holds(&self, words: &[u64]) -> bool {
        self.others.iter().all(|&other| other == NONE || has(words, other))
    }
}

/// Whether a bit is set.
#[inline]
fn has(words: &[u64], bit: u32) -> bool {
    words[bit as usize / 64] >> (bit % 64) & 1 == 1
}

impl Conjunctions {
    /// Conjunctions of a state's bits; `support` says how often each bit holds.
    pub(super) fn new(list: Vec<Bits>, support: &[u64]) -> Conjunctions {
        let mut rarest: Vec<Vec<Entry>> = vec![Vec::new(); support.len()];
        let mut all = rarest.clone();
        for (number, bits) in (0..).zip(&list) {
            for &bit in bits {
                all[bit as usize].push(Entry::new(number, bits, bit));
            }
            if let Some(&bit) = bits.iter().min_by_key(|&&bit| (support[bit as usize], bit)) {
                rarest[bit as usize].push(Entry::new(number, bits, bit));
            }
        }
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

    /// Calls `visit` with the number of every conjunction that holds in a state.
    #[inline]
    pub(super) fn each(&self, words: &[u64], mut visit: impl FnMut(u32)) {
        for bit in bits_of(words) {
            for entry in &self.rarest[bit as usize] {
                if entry.holds(words) {
                    visit(entry.number);
                }
            }
        }
    }

    /// Calls `visit` with the number of every conjunction that holds in the second state and not in the first.
    #[inline]
    pub(super) fn each_new(&self, before: &[u64], after: &[u64], mut visit: impl FnMut(u32)) {
        for (index, (&before_word, &after_word)) in (0_u32..).zip(before.iter().zip(after)) {
            let mut left = after_word & !before_word;
            while left != 0 {
                let bit = index * 64 + left.trailing_zeros();
                left &= left - 1;
                for entry in &self.all[bit as usize] {
                    // Where several bits are new, the first of them tells of the conjunction.
                    let told = |&other: &u32| other < bit && !has(before, other);
                    if entry.holds(after) && !entry.others.iter().any(told) {
                        visit(entry.number);
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
            lists in proptest::collection::vec(proptest::collection::btree_set(0_u32..128, 1..=3), 0..60),
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
            lists in proptest::collection::vec(proptest::collection::btree_set(0_u32..128, 1..=3), 0..60),
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

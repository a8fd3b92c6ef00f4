//! Weighted sums of states that come one after the other: by what changed since the last one.
//!
//! A search values a state's children in a row, and these differ in a few facts, so that few conjunctions come and go. Weights
//! are multiples of a power of two, so that sums are exact and the same whatever they are told by.

use super::conjunctions::Conjunctions;

/// The share of what a whole sum takes up to which it is told by what changed.
const WORTHWHILE: f64 = 0.7;

/// The state that was valued last, with its sums: by the weights of both sides, as the next state may be of the other one.
#[derive(Clone, Debug, Default)]
pub(super) struct Nearby {
    words: Vec<u64>,
    sums: [f64; 2],
    /// What finding all conjunctions that hold took when it was done last; nothing before.
    effort: Option<u32>,
}

impl Nearby {
    /// Forgets the state, as weights have changed.
    pub(super) fn forget(&mut self) {
        self.effort = None;
    }

    /// The sums of the weights of all conjunctions that hold in a state.
    pub(super) fn sums(
        &mut self,
        conjunctions: &Conjunctions,
        weights: &[[f64; 2]],
        words: &[u64],
    ) -> [f64; 2] {
        let Nearby { words: last, sums, effort } = self;
        let worthwhile =
            |whole: u32| f64::from(conjunctions.effort_between(last, words)) <= WORTHWHILE * f64::from(whole);
        let of = |number: u32| weights[number as usize];
        if effort.is_some_and(worthwhile) {
            conjunctions.each_new(last, words, |number| {
                sums.iter_mut().zip(of(number)).for_each(|(sum, weight)| *sum += weight);
            });
            conjunctions.each_new(words, last, |number| {
                sums.iter_mut().zip(of(number)).for_each(|(sum, weight)| *sum -= weight);
            });
        } else {
            *sums = [0.0; 2];
            conjunctions.each(words, |number| {
                sums.iter_mut().zip(of(number)).for_each(|(sum, weight)| *sum += weight);
            });
            *effort = Some(conjunctions.effort(words));
        }
        last.clear();
        last.extend_from_slice(words);
        *sums
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::conjunctions::Bits;
    use super::*;

    proptest! {
        #[test]
        fn sums_are_the_same_whatever_came_before(
            lists in proptest::collection::vec(proptest::collection::btree_set(0_u32..128, 1..=7), 1..60),
            changes in proptest::collection::vec(proptest::collection::vec(0_u32..128, 0..9), 1..20),
            mut words in proptest::collection::vec(any::<u64>(), 2),
        ) {
            let list: Vec<Bits> = lists.iter().map(|bits| bits.iter().copied().collect()).collect();
            let conjunctions = Conjunctions::new(list, &[1; 128]);
            let weights: Vec<[f64; 2]> =
                (0..conjunctions.len()).map(|number| [number as f64 + 0.25, 2.0 - number as f64 / 8.0]).collect();
            let mut nearby = Nearby::default();
            for changed in changes {
                changed.iter().for_each(|bit| words[*bit as usize / 64] ^= 1 << (bit % 64));
                let wanted = Nearby::default().sums(&conjunctions, &weights, &words);
                prop_assert_eq!(nearby.sums(&conjunctions, &weights, &words), wanted);
            }
        }
    }
}

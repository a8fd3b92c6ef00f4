//! Incremental weighted sums: the sum of a state is updated from the sum of the state valued before.
//!
//! A search values the children of a state one after the other. They differ in a few facts, so few conjunctions change.
//! Weights are multiples of a power of two, so sums are exact and don't depend on how they were computed.

use super::conjunctions::Conjunctions;

/// Use the incremental update only if it costs at most this share of a full recomputation.
const WORTHWHILE: f64 = 0.7;

/// The state that was valued last, with its sums by the weights of both sides: the next state may belong to the other side.
#[derive(Clone, Debug, Default)]
pub(crate) struct IncrementalSum {
    words: Vec<u64>,
    sums: [f64; 2],
    /// The cost of the last full recomputation; none before the first.
    full_cost: Option<u32>,
}

impl IncrementalSum {
    /// Forgets the state. Call it after a change of weights.
    pub(crate) fn reset(&mut self) {
        self.full_cost = None;
    }

    /// The sums of the weights of all conjunctions that are true in a state.
    pub(crate) fn sums(
        &mut self,
        conjunctions: &Conjunctions,
        weights: &[[f64; 2]],
        words: &[u64],
    ) -> [f64; 2] {
        let IncrementalSum { words: last, sums, full_cost } = self;
        let worthwhile = |full_cost: u32| {
            f64::from(conjunctions.cost_of_change(last, words)) <= WORTHWHILE * f64::from(full_cost)
        };
        let weights_of = |number: u32| weights[number as usize];
        if full_cost.is_some_and(worthwhile) {
            conjunctions.for_each_new(last, words, |number| {
                sums.iter_mut().zip(weights_of(number)).for_each(|(sum, weight)| *sum += weight);
            });
            conjunctions.for_each_new(words, last, |number| {
                sums.iter_mut().zip(weights_of(number)).for_each(|(sum, weight)| *sum -= weight);
            });
        } else {
            *sums = [0.0; 2];
            conjunctions.for_each_true(words, |number| {
                sums.iter_mut().zip(weights_of(number)).for_each(|(sum, weight)| *sum += weight);
            });
            *full_cost = Some(conjunctions.cost(words));
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
        fn incremental_sums_equal_full_sums(
            lists in proptest::collection::vec(proptest::collection::btree_set(0_u32..128, 1..=7), 1..60),
            changes in proptest::collection::vec(proptest::collection::vec(0_u32..128, 0..9), 1..20),
            mut words in proptest::collection::vec(any::<u64>(), 2),
        ) {
            let list: Vec<Bits> = lists.iter().map(|bits| bits.iter().copied().collect()).collect();
            let conjunctions = Conjunctions::new(list, &[1; 128]);
            let weights: Vec<[f64; 2]> =
                (0..conjunctions.list().len()).map(|number| [number as f64 + 0.25, 2.0 - number as f64 / 8.0]).collect();
            let mut incremental = IncrementalSum::default();
            for changed in changes {
                changed.iter().for_each(|bit| words[*bit as usize / 64] ^= 1 << (bit % 64));
                let expected = IncrementalSum::default().sums(&conjunctions, &weights, &words);
                prop_assert_eq!(incremental.sums(&conjunctions, &weights, &words), expected);
            }
        }
    }
}

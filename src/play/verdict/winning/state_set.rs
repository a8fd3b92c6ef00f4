//! Sets of states, as bits.

/// A set of states of a [`StateTable`](super::states::StateTable), by their index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct StateSet {
    words: Vec<u64>,
    /// The number of states of the table.
    states: usize,
}

impl StateSet {
    /// The empty set.
    pub(super) fn empty(states: usize) -> StateSet {
        StateSet { words: vec![0; states.div_ceil(64)], states }
    }

    /// The set of all states.
    pub(super) fn full(states: usize) -> StateSet {
        StateSet::empty(states).complement()
    }

    /// The states for which `member` is true.
    pub(super) fn of(states: usize, mut member: impl FnMut(usize) -> bool) -> StateSet {
        let mut set = StateSet::empty(states);
        (0..states).filter(|&state| member(state)).for_each(|state| set.insert(state));
        set
    }

    /// The set with these words.
    pub(super) fn of_words(states: usize, words: &[u64]) -> StateSet {
        let mut set = StateSet { words: words.to_vec(), states };
        set.clear_padding();
        set
    }

    fn clear_padding(&mut self) {
        if !self.states.is_multiple_of(64)
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1 << (self.states % 64)) - 1;
        }
    }

    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    pub(super) fn insert(&mut self, state: usize) {
        self.words[state / 64] |= 1 << (state % 64);
    }

    pub(super) fn contains(&self, state: usize) -> bool {
        self.words[state / 64] >> (state % 64) & 1 == 1
    }

    pub(super) fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(super) fn complement(&self) -> StateSet {
        let words = self.words.iter().map(|word| !word).collect();
        let mut set = StateSet { words, states: self.states };
        set.clear_padding();
        set
    }

    pub(super) fn intersection(&self, other: &StateSet) -> StateSet {
        let words = self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect();
        StateSet { words, states: self.states }
    }

    pub(super) fn union(&self, other: &StateSet) -> StateSet {
        let words = self.words.iter().zip(&other.words).map(|(a, b)| a | b).collect();
        StateSet { words, states: self.states }
    }

    /// Whether the sets have the same members among `states`.
    pub(super) fn agrees(&self, other: &StateSet, states: &StateSet) -> bool {
        let words = self.words.iter().zip(&other.words).zip(&states.words);
        words.into_iter().all(|((a, b), among)| (a ^ b) & among == 0)
    }

    /// The members in ascending order.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        (0..self.states).filter(|&state| self.contains(state))
    }
}

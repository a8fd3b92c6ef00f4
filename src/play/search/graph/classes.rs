//! Classes of states that count as one state.

use crate::search::parts::Equivalence;
use crate::search::symmetry::Symmetries;

/// What makes different states one state. The default makes none.
#[derive(Clone, Copy, Default)]
pub(in crate::search) struct Classes<'s> {
    /// Images of a state are one state.
    pub(in crate::search) symmetries: Option<&'s Symmetries>,
    /// States with equivalent parts are one state.
    pub(in crate::search) equivalence: Option<&'s Equivalence>,
}

impl Classes<'_> {
    /// Whether a class can have several states.
    pub(in crate::search) fn join(&self) -> bool {
        self.symmetries.is_some() || self.equivalence.is_some()
    }

    /// The words by which the class of a state is found; none if each state is its own class.
    pub(super) fn canonical(&self, words: &[u64]) -> Option<Vec<u64>> {
        let Some(equivalence) = self.equivalence else {
            return self.symmetries.map(|symmetries| symmetries.canonical(words).words);
        };
        let mut words = words.to_vec();
        equivalence.replace(&mut words);
        Some(self.symmetries.map_or_else(|| words.clone(), |symmetries| symmetries.canonical(&words).words))
    }
}

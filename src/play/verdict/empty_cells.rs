//! Objects that mark an empty cell.

use rustc_hash::FxHashSet;

use super::board_facts::BoardFact;

/// For each board the object that marks an empty cell, if there is one.
#[derive(Clone, Debug, Default)]
pub(super) struct EmptyObjects {
    objects: FxHashSet<usize>,
}

impl EmptyObjects {
    /// Whether the cell of a fact is empty.
    pub(super) fn contains(&self, fact: BoardFact) -> bool {
        self.objects.contains(&fact.object)
    }
}

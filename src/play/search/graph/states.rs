//! States as rows of words, without duplicates.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// The index of a state, in the order in which states were added.
pub(super) type Id = u32;

/// States of equal width.
pub(super) struct States {
    width: usize,
    words: Vec<u64>,
    table: HashTable<Id>,
}

fn hash(words: &[u64]) -> u64 {
    FxBuildHasher.hash_one(words)
}

impl States {
    pub(super) fn new(width: usize) -> States {
        States { width, words: Vec::new(), table: HashTable::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    /// The words of a state.
    pub(super) fn get(&self, id: Id) -> &[u64] {
        self.row(&self.words, id)
    }

    /// The row of a state in a list of rows.
    pub(super) fn row<'w>(&self, rows: &'w [u64], id: Id) -> &'w [u64] {
        &rows[id as usize * self.width..(id as usize + 1) * self.width]
    }

    /// The id of a state, if it was added.
    pub(super) fn find(&self, words: &[u64]) -> Option<Id> {
        self.table.find(hash(words), |&id| self.get(id) == words).copied()
    }

    /// Adds a state unless it was added before. Returns its id, and whether it is new.
    pub(super) fn add(&mut self, words: &[u64]) -> (Id, bool) {
        let (width, rows) = (self.width, &self.words);
        let row = |id: Id| &rows[id as usize * width..(id as usize + 1) * width];
        let hash_of = hash(words);
        if let Some(&id) = self.table.find(hash_of, |&id| row(id) == words) {
            return (id, false);
        }
        let id = self.table.len() as Id;
        self.table.insert_unique(hash_of, id, |&id| hash(row(id)));
        self.words.extend_from_slice(words);
        (id, true)
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>() + self.table.allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_is_stored_once() {
        let mut states = States::new(2);
        assert_eq!(states.add(&[1, 2]), (0, true));
        assert_eq!(states.add(&[2, 1]), (1, true));
        assert_eq!(states.add(&[1, 2]), (0, false));
        assert_eq!((states.len(), states.get(1)), (2, &[2, 1][..]));
    }
}

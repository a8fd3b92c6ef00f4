//! Entries of a transposition table that several threads read and write without locks.
//!
//! An entry is two words. The first is stored as its exclusive or with the second. If two threads write an entry at the
//! same time, its hash is wrong, so that the entry matches no state (Hyatt and Mann, A lock-less transposition table
//! implementation for parallel search, 2002).

use std::sync::atomic::{AtomicU64, Ordering};

/// Entries of all threads.
pub(super) struct SharedEntries(Vec<[AtomicU64; 2]>);

impl SharedEntries {
    /// `count` empty entries.
    pub(super) fn new(count: usize) -> SharedEntries {
        SharedEntries((0..count).map(|_| [const { AtomicU64::new(0) }; 2]).collect())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, index: usize) -> [u64; 2] {
        let [first, second] = &self.0[index];
        let second = second.load(Ordering::Relaxed);
        [first.load(Ordering::Relaxed) ^ second, second]
    }

    pub(super) fn set(&self, index: usize, entry: [u64; 2]) {
        let [first, second] = &self.0[index];
        first.store(entry[0] ^ entry[1], Ordering::Relaxed);
        second.store(entry[1], Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_complete_or_absent() {
        let entries = SharedEntries::new(1);
        let written = |number: u64| [number.wrapping_mul(0x9e37_79b9_7f4a_7c15), number << 7];
        std::thread::scope(|scope| {
            for writer in 0..2 {
                let entries = &entries;
                scope.spawn(move || {
                    (1..20_000).for_each(|number| entries.set(0, written(2 * number + writer)))
                });
            }
            let all: std::collections::BTreeSet<u64> = (0..40_002).map(|number| written(number)[0]).collect();
            for _ in 0..20_000 {
                let found = entries.get(0);
                // Halves that don't belong together give a first word that no thread wrote.
                assert!(!all.contains(&found[0]) || found == written(found[1] >> 7));
            }
        });
    }
}

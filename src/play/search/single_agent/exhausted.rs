//! States from which everything was tried, in bounded memory.

/// The hash of a state and the plies at which it was exhausted, + 1; 0 for an empty entry.
type Entry = (u64, u32);

/// States from which all paths were tried. If two states have the same index, the later one is stored.
pub(super) struct Exhausted {
    entries: Vec<Entry>,
}

impl Exhausted {
    /// Bytes of an entry.
    const ENTRY: usize = size_of::<Entry>();

    /// A table of at most `bytes` bytes.
    pub(super) fn new(bytes: usize) -> Exhausted {
        Exhausted { entries: vec![(0, 0); (bytes / Exhausted::ENTRY).max(1)] }
    }

    fn place(&self, key: u64) -> usize {
        ((u128::from(key) * self.entries.len() as u128) >> 64) as usize
    }

    /// The least plies at which a state was exhausted.
    pub(super) fn plies(&self, key: u64) -> Option<u32> {
        let (known, plies) = self.entries[self.place(key)];
        plies.checked_sub(1).filter(|_| known == key)
    }

    /// Records that a state `plies` plies away was exhausted.
    pub(super) fn add(&mut self, key: u64, plies: u32) {
        let index = self.place(key);
        let least = self.plies(key).map_or(plies, |known| known.min(plies));
        self.entries[index] = (key, least + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_plies_are_kept_and_new_states_replace_old_ones() {
        let mut exhausted = Exhausted::new(Exhausted::ENTRY);
        assert_eq!(exhausted.plies(7), None);
        exhausted.add(7, 5);
        exhausted.add(7, 9);
        assert_eq!(exhausted.plies(7), Some(5));
        exhausted.add(8, 0);
        assert_eq!((exhausted.plies(7), exhausted.plies(8)), (None, Some(0)));
    }
}

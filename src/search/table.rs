//! The transposition table: what is known of states that were searched, in bounded memory.

/// What a value says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// It is the value.
    Exact,
    /// The value is at least this.
    AtLeast,
    /// The value is at most this.
    AtMost,
}

/// What is known of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TableEntry {
    /// Its value for the role of the search, proved wins and losses counted from this state.
    pub(super) score: i32,
    /// What the value says.
    pub(super) bound: Bound,
    /// Plies it was searched.
    pub(super) depth: u8,
    /// Whether no estimate went into it.
    pub(super) proved: bool,
    /// The child that was best, by its number; none where it isn't known.
    pub(super) best: Option<u16>,
}

/// The hash of a state, and what is known of it: from bit 0 on the value, the best child + 1 (0 for none), the depth,
/// the bound (0 for an empty entry), whether it is proved, and the age.
type Entry = [u64; 2];

const BEST: u32 = 32;
const DEPTH: u32 = 48;
const BOUND: u32 = 56;
const PROVED: u32 = 58;
const AGE: u32 = 59;

fn pack(known: TableEntry, age: u8) -> u64 {
    let bound = match known.bound {
        Bound::Exact => 1,
        Bound::AtLeast => 2,
        Bound::AtMost => 3,
    };
    let best = known.best.and_then(|best| best.checked_add(1)).unwrap_or(0);
    u64::from(known.score as u32)
        | u64::from(best) << BEST
        | u64::from(known.depth) << DEPTH
        | bound << BOUND
        | u64::from(known.proved) << PROVED
        | u64::from(age) << AGE
}

fn unpack(word: u64) -> Option<TableEntry> {
    let bound = match word >> BOUND & 3 {
        0 => return None,
        1 => Bound::Exact,
        2 => Bound::AtLeast,
        _ => Bound::AtMost,
    };
    Some(TableEntry {
        score: word as u32 as i32,
        bound,
        depth: (word >> DEPTH) as u8,
        proved: word >> PROVED & 1 == 1,
        best: ((word >> BEST) as u16).checked_sub(1),
    })
}

/// Entries that share a place.
const BUCKET: usize = 4;

/// The age counts to this, then from 0 again.
const AGES: u8 = 32;

/// A table. Of entries that share a place, those are replaced first that were searched least deep, or long ago.
pub(super) struct Table {
    entries: Vec<Entry>,
    age: u8,
}

impl Table {
    /// A table of at most so many bytes; none below 64.
    pub(super) fn new(bytes: usize) -> Table {
        let buckets = bytes / (BUCKET * size_of::<Entry>());
        // Zeros cost nothing until they are written to.
        Table { entries: vec![[0; 2]; buckets * BUCKET], age: 0 }
    }

    /// Begins another search: what is there now is older than what comes.
    pub(super) fn grow_old(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    /// Where a state's entries begin.
    fn place(&self, key: u64) -> usize {
        let buckets = (self.entries.len() / BUCKET) as u128;
        ((u128::from(key) * buckets) >> 64) as usize * BUCKET
    }

    pub(super) fn get(&self, key: u64) -> Option<TableEntry> {
        if self.entries.is_empty() {
            return None;
        }
        let start = self.place(key);
        let found = self.entries[start..start + BUCKET].iter().filter(|entry| entry[0] == key);
        found.filter_map(|entry| unpack(entry[1])).next()
    }

    pub(super) fn put(&mut self, key: u64, known: TableEntry) {
        if self.entries.is_empty() {
            return;
        }
        let (start, age) = (self.place(key), self.age);
        let bucket = &mut self.entries[start..start + BUCKET];
        let worth = |entry: &Entry| {
            let Some(known) = unpack(entry[1]) else { return i32::MIN };
            let old = (AGES + age - (entry[1] >> AGE) as u8) % AGES;
            i32::from(known.depth) + 4 * i32::from(known.proved) - 8 * i32::from(old)
        };
        let same = bucket.iter().find(|entry| entry[0] == key).and_then(|entry| unpack(entry[1]));
        let place = match same {
            Some(_) => bucket.iter().position(|entry| entry[0] == key && entry[1] != 0),
            None => (0..BUCKET).min_by_key(|&place| worth(&bucket[place])),
        };
        let best = known.best.or(same.and_then(|same| same.best));
        bucket[place.unwrap_or(0)] = [key, pack(TableEntry { best, ..known }, age)];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(depth: u8) -> TableEntry {
        TableEntry { score: i32::from(depth), bound: Bound::AtLeast, depth, proved: false, best: Some(3) }
    }

    #[test]
    fn what_is_put_is_found() {
        let mut table = Table::new(1 << 12);
        assert_eq!(table.get(77), None);
        table.put(77, known(5));
        assert_eq!(table.get(77), Some(known(5)));
        table.put(77, TableEntry { best: None, ..known(6) });
        assert_eq!(table.get(77), Some(known(6)), "the best move known is kept");
    }

    #[test]
    fn the_least_deep_and_the_old_are_replaced() {
        let mut table = Table::new(64);
        (1..=4).for_each(|key| table.put(key, known(10 + key as u8)));
        table.put(5, known(1));
        assert_eq!(table.get(1), None);
        assert!(table.get(5).is_some() && table.get(4).is_some());
        table.grow_old();
        table.grow_old();
        (6..=9).for_each(|key| table.put(key, known(1)));
        assert_eq!(table.get(4), None);
        assert!((6..=9).all(|key| table.get(key).is_some()));
    }

    #[test]
    fn no_memory_is_no_table() {
        let mut table = Table::new(0);
        table.put(1, known(1));
        assert_eq!(table.get(1), None);
    }
}

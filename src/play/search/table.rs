//! The transposition table: results of searched states, in bounded memory.

use std::sync::Arc;

use super::bucket_pages::BucketPages;
use super::clock_keys::Reach;
use super::shared_table::SharedEntries;

/// How a stored value bounds the exact one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// The value is exact.
    Exact,
    /// The exact value is at least this.
    AtLeast,
    /// The exact value is at most this.
    AtMost,
}

impl Bound {
    /// The bound from the other side's point of view.
    pub(super) fn reversed(self) -> Bound {
        match self {
            Bound::AtLeast => Bound::AtMost,
            Bound::AtMost => Bound::AtLeast,
            Bound::Exact => Bound::Exact,
        }
    }
}

/// The stored result of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TableEntry {
    /// Its value for the role of the search; proved wins and losses are counted from this state.
    pub(super) score: i32,
    /// How the value bounds the exact one.
    pub(super) bound: Bound,
    /// Search depth in plies.
    pub(super) depth: u8,
    /// Whether no estimate went into it.
    pub(super) proved: bool,
    /// The number of the best child; none if unknown.
    pub(super) best: Option<u16>,
    /// The number of plies after the state that the value depends on.
    pub(super) reach: Reach,
}

/// First word: the hash of a state, with the reach in its highest bits. Second word, from bit 0 on: the value, the best
/// child + 1 (0 for none), the depth, the bound (0 for an empty entry), whether it is proved, and the age.
///
/// The highest bits of a hash, together with its lowest ones, determine the bucket. With 256 buckets or more, no
/// information is lost.
type Entry = [u64; 2];

const REACH: u32 = 56;

/// Whether an entry belongs to a hash.
fn is_of(entry: &Entry, key: u64) -> bool {
    (entry[0] ^ key) << (64 - REACH) == 0
}

/// The bits that determine a hash's bucket, the first ones lowest: the highest bits, which entries don't store, then the
/// lowest.
fn spread(key: u64) -> usize {
    key.rotate_left(64 - REACH) as usize
}

const BEST: u32 = 32;
const DEPTH: u32 = 48;
const BOUND: u32 = 56;
const PROVED: u32 = 58;
const AGE: u32 = 59;

fn pack(key: u64, known: TableEntry, age: u8) -> Entry {
    let bound = match known.bound {
        Bound::Exact => 1,
        Bound::AtLeast => 2,
        Bound::AtMost => 3,
    };
    let best = known.best.and_then(|best| best.checked_add(1)).unwrap_or(0);
    let word = u64::from(known.score as u32)
        | u64::from(best) << BEST
        | u64::from(known.depth) << DEPTH
        | bound << BOUND
        | u64::from(known.proved) << PROVED
        | u64::from(age) << AGE;
    [key << (64 - REACH) >> (64 - REACH) | u64::from(known.reach) << REACH, word]
}

fn unpack(&[key, word]: &Entry) -> Option<TableEntry> {
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
        reach: (key >> REACH) as Reach,
    })
}

/// Entries of a bucket.
const BUCKET: usize = 4;

/// Buckets of a page of memory: 64 KiB.
const PAGE: usize = 1 << 10;

/// Ages are counted modulo this number.
const AGES: u8 = 32;

/// Buckets of a new table, a power of two: one for each value of the hash bits that entries don't store.
const FIRST: usize = 1 << (64 - REACH);

/// Buckets that are split for each entry added while the table grows, so that it has grown before many more are added.
const PARTED: usize = 8;

/// The number of buckets in at most `bytes` bytes: a power of two, or 0.
fn buckets(bytes: usize) -> usize {
    match bytes / (BUCKET * size_of::<Entry>()) {
        0 => 0,
        buckets => 1 << buckets.ilog2(),
    }
}

/// A transposition table. In a full bucket, entries of low depth or old searches are replaced first.
///
/// The table grows with its content, because touching new memory would cost more than the rest of a short search. It
/// grows bucket by bucket (linear hashing, Litwin 1980): copying tens of megabytes at once would make a move late.
pub(super) struct Table {
    /// The entries, up to the greatest size.
    entries: BucketPages<Entry>,
    /// The entries used instead of `entries` if several threads share the table.
    shared: Option<Arc<SharedEntries>>,
    age: u8,
    /// Number of used entries.
    used: usize,
    /// Buckets in use, a power of two, and how many of them have been split since the table began to double.
    buckets: usize,
    parted: usize,
}

impl Table {
    /// A table of at most `bytes` bytes; empty below 64.
    pub(super) fn new(bytes: usize) -> Table {
        let most = buckets(bytes);
        Table {
            entries: BucketPages::new(most, BUCKET, PAGE),
            shared: None,
            age: 0,
            used: 0,
            buckets: most.min(FIRST),
            parted: 0,
        }
    }

    /// Entries that tables of several threads can share, in at most `bytes` bytes. They don't grow.
    pub(super) fn shared_entries(bytes: usize) -> Arc<SharedEntries> {
        Arc::new(SharedEntries::new(buckets(bytes).max(FIRST) * BUCKET))
    }

    /// Uses shared entries from now on.
    pub(super) fn share(&mut self, entries: &Arc<SharedEntries>) {
        self.entries = BucketPages::new(0, BUCKET, PAGE);
        self.shared = Some(Arc::clone(entries));
    }

    /// The greatest number of buckets.
    fn len(&self) -> usize {
        self.shared.as_ref().map_or(self.entries.len(), |shared| shared.len() / BUCKET)
    }

    /// The entries of a bucket; all empty without a table.
    fn bucket(&self, number: usize) -> [Entry; BUCKET] {
        match &self.shared {
            Some(shared) => std::array::from_fn(|index| shared.get(number * BUCKET + index)),
            None => self.entries.get(number).first_chunk().copied().unwrap_or_default(),
        }
    }

    /// Splits the next bucket: the next bit of an entry's key selects one of the two.
    fn part(&mut self) {
        let both = self.bucket(self.parted);
        let (mut kept, mut moved) = ([[0; 2]; BUCKET], [[0; 2]; BUCKET]);
        let (mut first, mut second) = (kept.iter_mut(), moved.iter_mut());
        for entry in both.into_iter().filter(|entry| unpack(entry).is_some()) {
            let to = if spread(entry[0]) & self.buckets == 0 { &mut first } else { &mut second };
            *to.next().expect("as many as there were") = entry;
        }
        self.entries.get_mut(self.parted).copy_from_slice(&kept);
        self.entries.get_mut(self.parted + self.buckets).copy_from_slice(&moved);
        self.parted += 1;
        if self.parted == self.buckets {
            (self.buckets, self.parted) = (2 * self.buckets, 0);
        }
    }

    /// Grows the table if more than half is used.
    fn grow(&mut self) {
        let doubles = self.used > self.buckets * BUCKET / 2 && self.buckets < self.entries.len();
        if doubles || self.parted > 0 {
            for _ in 0..PARTED {
                self.part();
                if self.parted == 0 {
                    break;
                }
            }
        }
    }

    /// Begins another search; all entries become older.
    pub(super) fn start_generation(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    /// Removes all entries.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        if let Some(shared) = &self.shared {
            (0..shared.len()).for_each(|index| shared.set(index, [0; 2]));
        }
        self.used = 0;
    }

    /// The bucket of a state's entries.
    fn place(&self, key: u64) -> usize {
        let number = spread(key);
        if let Some(shared) = &self.shared {
            return number & (shared.len() / BUCKET - 1);
        }
        // Their number is a power of two; of split buckets there are twice as many.
        match self.buckets {
            0 => 0,
            all if number & (all - 1) < self.parted => number & (2 * all - 1),
            all => number & (all - 1),
        }
    }

    pub(super) fn get(&self, key: u64) -> Option<TableEntry> {
        self.all(key).map(|(known, _)| known).next()
    }

    /// All entries of a state, one for each depth if stored so, and whether each is of an earlier search.
    pub(super) fn all(&self, key: u64) -> impl Iterator<Item = (TableEntry, bool)> {
        let own = self.bucket(self.place(key)).into_iter().filter(move |entry| is_of(entry, key));
        own.filter_map(|entry| Some((unpack(&entry)?, (entry[1] >> AGE) as u8 != self.age)))
    }

    /// Stores a state's result; it replaces the state's entry.
    pub(super) fn put(&mut self, key: u64, known: TableEntry) {
        self.put_for(key, known, |_| true);
    }

    /// Stores a state's result at its depth; entries of other depths stay.
    pub(super) fn put_depth(&mut self, key: u64, known: TableEntry) {
        self.put_for(key, known, |before| before.depth == known.depth);
    }

    /// Stores a state's result; it replaces the state's entry for which `replaces` holds.
    fn put_for(&mut self, key: u64, known: TableEntry, replaces: impl Fn(&TableEntry) -> bool) {
        if self.len() == 0 {
            return;
        }
        if self.shared.is_none() {
            self.grow();
        }
        let (number, age) = (self.place(key), self.age);
        let bucket = self.bucket(number);
        let worth = |entry: &Entry| {
            let Some(known) = unpack(entry) else { return i32::MIN };
            let old = (AGES + age - (entry[1] >> AGE) as u8) % AGES;
            i32::from(known.depth) + 4 * i32::from(known.proved) - 8 * i32::from(old)
        };
        let before = |entry: &Entry| unpack(entry).filter(|before| is_of(entry, key) && replaces(before));
        let same = bucket.iter().enumerate().find_map(|(index, entry)| Some((index, before(entry)?)));
        let (index, best) = match same {
            Some((index, before)) => (index, before.best),
            None => ((0..BUCKET).min_by_key(|&index| worth(&bucket[index])).unwrap_or(0), None),
        };
        self.used += usize::from(unpack(&bucket[index]).is_none());
        let entry = pack(key, TableEntry { best: known.best.or(best), ..known }, age);
        match &self.shared {
            Some(shared) => shared.set(number * BUCKET + index, entry),
            None => self.entries.get_mut(number)[index] = entry,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(depth: u8) -> TableEntry {
        TableEntry {
            score: i32::from(depth),
            bound: Bound::AtLeast,
            depth,
            proved: false,
            best: Some(3),
            reach: depth,
        }
    }

    #[test]
    fn stored_entries_are_found() {
        let mut table = Table::new(1 << 12);
        assert_eq!(table.get(77), None);
        table.put(77, known(5));
        assert_eq!(table.get(77), Some(known(5)));
        table.put(77, TableEntry { best: None, ..known(6) });
        assert_eq!(table.get(77), Some(known(6)), "the best move known is kept");
    }

    #[test]
    fn shallow_and_old_entries_are_replaced() {
        let mut table = Table::new(64);
        (1..=4).for_each(|key| table.put(key, known(10 + key as u8)));
        table.put(5, known(1));
        assert_eq!(table.get(1), None);
        assert!(table.get(5).is_some() && table.get(4).is_some());
        table.start_generation();
        table.start_generation();
        (6..=9).for_each(|key| table.put(key, known(1)));
        assert_eq!(table.get(4), None);
        assert!((6..=9).all(|key| table.get(key).is_some()));
    }

    #[test]
    fn growth_keeps_all_entries() {
        let mut table = Table::new(1 << 22);
        let key = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // A quarter of the capacity: hardly any bucket is full.
        let all = 1..1 << 14;
        all.clone().for_each(|number| table.put(key(number), known((number % 200) as u8)));
        assert!(table.buckets > FIRST);
        let kept = all.filter(|&number| table.get(key(number)) == Some(known((number % 200) as u8))).count();
        assert!(kept > (1 << 14) * 99 / 100, "{kept}");
        assert!(table.buckets < table.entries.len());
        table.clear();
        assert!((0..table.buckets).all(|bucket| table.bucket(bucket) == [[0; 2]; BUCKET]));
    }

    #[test]
    fn depths_of_a_state_are_separate_entries() {
        let mut table = Table::new(1 << 16);
        let key = u64::MAX / 3;
        (5..=6).for_each(|depth| table.put_depth(key, known(depth)));
        table.put_depth(key, TableEntry { reach: 2, ..known(5) });
        let mut entries: Vec<(u8, u8)> =
            table.all(key).map(|(known, _)| (known.depth, known.reach)).collect();
        entries.sort_unstable();
        assert_eq!(entries, [(5, 2), (6, 6)]);
        assert!(table.all(key).all(|(_, old)| !old));
        table.start_generation();
        assert!(table.all(key).all(|(_, old)| old));
        assert_eq!(table.all(key ^ 1).count(), 0, "hashes that differ in the last bit are two");
    }

    #[test]
    fn a_table_without_memory_stores_nothing() {
        let mut table = Table::new(0);
        table.put(1, known(1));
        assert_eq!(table.get(1), None);
    }
}

//! Bounds of proved values, in bounded memory.
//!
//! The table grows bucket by bucket (linear hashing, Litwin 1980), so that a short search touches little memory. In a full
//! bucket, the entry whose proof took the least work is replaced.

use crate::search::bucket_pages::BucketPages;

use super::bounds::Bounds;

/// The bounds of a state's value, with the work of the proof as a logarithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct BoundsEntry {
    key: u64,
    low: i16,
    high: i16,
    /// Identifies the child that was best, by bits of its key.
    best: u16,
    /// 0 for an empty entry.
    work: u16,
}

/// Entries of a bucket: a cache line.
const BUCKET: usize = 4;

/// Buckets of a page of memory: 256 KiB.
const PAGE: usize = 1 << 12;

/// Buckets of a new table, a power of two.
const FIRST: usize = 1 << 10;

/// Average number of entries per bucket above which the table grows.
const LOAD: usize = 2;

/// A transposition table of bounds.
pub(super) struct BoundsTable {
    pages: BucketPages<BoundsEntry>,
    /// Buckets in use: those of the last doubling, a power of two, and those split since.
    level: usize,
    split: usize,
    /// Number of used entries.
    used: usize,
}

impl BoundsTable {
    /// A table of at most `bytes` bytes.
    pub(super) fn new(bytes: usize) -> BoundsTable {
        let buckets = bytes / (BUCKET * size_of::<BoundsEntry>());
        let level = FIRST.min(buckets.checked_ilog2().map_or(0, |log| 1 << log));
        BoundsTable { pages: BucketPages::new(buckets, BUCKET, PAGE), level, split: 0, used: 0 }
    }

    /// The bucket of a key.
    fn place(&self, key: u64) -> usize {
        // The bits of a Zobrist key are independent of each other.
        let hash = key as usize;
        match hash & (self.level - 1) {
            bucket if bucket < self.split => hash & (2 * self.level - 1),
            bucket => bucket,
        }
    }

    /// The bounds of a state and its best child, if they are stored.
    pub(super) fn get(&self, key: u64) -> Option<(Bounds, u16)> {
        if self.level == 0 {
            return None;
        }
        let entries = self.pages.get(self.place(key));
        let entry = entries.iter().find(|entry| entry.key == key && entry.work > 0)?;
        Some((Bounds { low: entry.low.into(), high: entry.high.into() }, entry.best))
    }

    /// Stores the bounds of a state; they are added to those stored before.
    pub(super) fn put(&mut self, key: u64, bounds: Bounds, best: u16, work: u64) {
        if self.level == 0 {
            return;
        }
        self.grow();
        let place = self.place(key);
        let bucket = self.pages.get_mut(place);
        let work = 1 + work.max(1).ilog2() as u16;
        let (low, high) = (bounds.low as i16, bounds.high as i16);
        if let Some(entry) = bucket.iter_mut().find(|entry| entry.key == key && entry.work > 0) {
            (entry.low, entry.high) = (entry.low.max(low), entry.high.min(high));
            (entry.best, entry.work) = (best, entry.work.max(work));
        } else if let Some(entry) = bucket.iter_mut().min_by_key(|entry| entry.work) {
            self.used += usize::from(entry.work == 0);
            *entry = BoundsEntry { key, low, high, best, work };
        }
    }

    /// Splits a bucket if the table is loaded and may grow.
    fn grow(&mut self) {
        let buckets = self.level + self.split;
        if self.used <= buckets * LOAD || buckets >= self.pages.len() {
            return;
        }
        let mut old = [BoundsEntry::default(); BUCKET];
        old.copy_from_slice(self.pages.get_mut(self.split));
        let (mut kept, mut moved) = ([BoundsEntry::default(); BUCKET], [BoundsEntry::default(); BUCKET]);
        for (index, entry) in old.into_iter().enumerate() {
            let moves = entry.key as usize & self.level != 0;
            (if moves { &mut moved } else { &mut kept })[index] = entry;
        }
        self.pages.get_mut(self.split).copy_from_slice(&kept);
        self.pages.get_mut(buckets).copy_from_slice(&moved);
        self.split += 1;
        if self.split == self.level {
            (self.level, self.split) = (2 * self.level, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> u64 {
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
    }

    #[test]
    fn growth_keeps_entries_and_bounds_are_added() {
        let mut table = BoundsTable::new(1 << 22);
        let all = 1..60_000;
        for number in all.clone() {
            table.put(key(number), Bounds { low: 0, high: number as i32 % 100 }, 7, number);
        }
        assert!(table.level > FIRST);
        let kept = all.filter(|&number| {
            table.get(key(number)) == Some((Bounds { low: 0, high: number as i32 % 100 }, 7))
        });
        assert!(kept.count() > 54_000);
        let last = key(59_999);
        table.put(last, Bounds { low: 50, high: 100 }, 8, 1);
        assert_eq!(table.get(last), Some((Bounds { low: 50, high: 99 }, 8)));
    }

    #[test]
    fn the_cheapest_proof_is_replaced() {
        let mut table = BoundsTable::new(64);
        let bounds = Bounds { low: 0, high: 1 };
        (1..=4).for_each(|key| table.put(key, bounds, 0, 1 << key));
        table.put(5, bounds, 0, 1 << 3);
        assert_eq!(table.get(1), None);
        assert!((2..=5).all(|key| table.get(key).is_some()));
    }

    #[test]
    fn a_table_without_memory_stores_nothing() {
        let mut table = BoundsTable::new(0);
        table.put(1, Bounds { low: 0, high: 1 }, 0, 1);
        assert_eq!(table.get(1), None);
    }
}

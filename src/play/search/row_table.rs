//! A transposition table for searches with real values: rows of 64-bit words, in bounded memory.

use super::bucket_pages::BucketPages;

/// Rows of a bucket.
const BUCKET: usize = 4;

/// The maximum number of words of a page of memory. States are spread over the table, so almost every write is to
/// another page; small pages cost little to allocate.
const PAGE: usize = 1 << 9;

/// Words of a row before its data. The first has the hash of the state; the second has [`USED`], the age, and in its
/// lowest 8 bits the depth.
const HEAD: usize = 2;

/// The bit of a row's second word that is set if the row is used.
const USED: u64 = 1 << 63;

/// The lowest bit of the age, of 8 bits, in a row's second word.
const AGE_SHIFT: u32 = 8;

/// A table of rows with the same number of words. In a full bucket, rows of low depth or old searches are replaced first.
pub(super) struct RowTable {
    words: BucketPages<u64>,
    stride: usize,
    age: u8,
}

impl RowTable {
    /// A table of at most `bytes` bytes, for rows with `row` words of data; without rows if there is no room for a
    /// bucket.
    pub(super) fn new(bytes: usize, row: usize) -> RowTable {
        let stride = HEAD + row;
        let bucket = BUCKET * stride;
        let buckets = bytes / (bucket * size_of::<u64>());
        RowTable { words: BucketPages::new(buckets, bucket, PAGE / bucket), stride, age: 0 }
    }

    /// Begins another search; all rows become older.
    pub(super) fn start_generation(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    /// The bucket of a state's row.
    fn place(&self, key: u64) -> usize {
        ((u128::from(key) * self.words.len() as u128) >> 64) as usize
    }

    /// The first row of a state, without its head.
    pub(super) fn get(&self, key: u64) -> Option<&[u64]> {
        self.all(key).map(|(row, _)| row).next()
    }

    /// All rows of a state, without their heads, and whether each is of an earlier search. There are several only if
    /// [`RowTable::put_depth`] stored them.
    pub(super) fn all(&self, key: u64) -> impl Iterator<Item = (&[u64], bool)> {
        let bucket = self.words.get(self.place(key));
        let own = bucket.chunks_exact(self.stride).filter(move |row| row[0] == key && row[1] & USED != 0);
        own.map(|row| (&row[HEAD..], (row[1] >> AGE_SHIFT) as u8 != self.age))
    }

    /// Stores a row of a state searched to this depth; it replaces the state's row.
    pub(super) fn put(&mut self, key: u64, depth: u8, row: impl IntoIterator<Item = u64>) {
        self.put_for(key, depth, row, |_| true);
    }

    /// Stores a row of a state searched to this depth; rows of other depths stay.
    pub(super) fn put_depth(&mut self, key: u64, depth: u8, row: impl IntoIterator<Item = u64>) {
        self.put_for(key, depth, row, |before| before == depth);
    }

    /// Stores a row. It replaces the state's row if `replaces` holds for that row's depth; otherwise it replaces the
    /// row of the bucket with the least priority.
    fn put_for(
        &mut self,
        key: u64,
        depth: u8,
        row: impl IntoIterator<Item = u64>,
        replaces: impl Fn(u8) -> bool,
    ) {
        if self.words.len() == 0 {
            return;
        }
        let (index, stride, age) = (self.place(key), self.stride, self.age);
        let bucket = self.words.get_mut(index);
        let priority = |row: &[u64]| match row[1] & USED {
            0 => i32::MIN,
            _ => i32::from(row[1] as u8) - 8 * i32::from(age.wrapping_sub((row[1] >> AGE_SHIFT) as u8)),
        };
        let is_own = |row: &[u64]| row[0] == key && row[1] & USED != 0 && replaces(row[1] as u8);
        let own = bucket.chunks_exact(stride).position(is_own);
        let least =
            || (0..BUCKET).min_by_key(|&number| priority(&bucket[number * stride..(number + 1) * stride]));
        let number = own.or_else(least).unwrap_or(0);
        let target = &mut bucket[number * stride..(number + 1) * stride];
        target[0] = key;
        target[1] = USED | u64::from(age) << AGE_SHIFT | u64::from(depth);
        target[HEAD..].iter_mut().zip(row).for_each(|(word, new)| *word = new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_and_replaced() {
        let mut table = RowTable::new(1 << 12, 2);
        assert_eq!(table.get(77), None);
        table.put(77, 5, [1, 2]);
        assert_eq!(table.get(77), Some(&[1, 2][..]));
        table.put(77, 1, [3, 4]);
        assert_eq!(table.get(77), Some(&[3, 4][..]));
        table.put(0, 1, [5, 6]);
        assert_eq!(table.get(0), Some(&[5, 6][..]), "a hash of zero is a valid hash");
    }

    #[test]
    fn depths_of_a_state_are_separate_entries() {
        let mut table = RowTable::new(1 << 12, 1);
        [5, 6, 5].into_iter().for_each(|depth| table.put_depth(77, depth, [u64::from(depth)]));
        let mut rows: Vec<u64> = table.all(77).map(|(row, _)| row[0]).collect();
        rows.sort_unstable();
        assert_eq!(rows, [5, 6]);
        table.start_generation();
        assert!(table.all(77).all(|(_, old)| old));
    }

    #[test]
    fn shallow_and_old_entries_are_replaced_first() {
        let mut table = RowTable::new(BUCKET * 3 * 8, 1);
        (1..=4).for_each(|key| table.put(key, 10 + key as u8, [key]));
        table.put(5, 1, [5]);
        assert_eq!((table.get(1), table.get(5)), (None, Some(&[5][..])));
        table.start_generation();
        table.start_generation();
        (6..=9).for_each(|key| table.put(key, 1, [key]));
        assert_eq!(table.get(4), None);
    }

    #[test]
    fn a_table_without_memory_stores_nothing() {
        let mut table = RowTable::new(0, 1);
        table.put(1, 1, [1]);
        assert_eq!(table.get(1), None);
    }
}

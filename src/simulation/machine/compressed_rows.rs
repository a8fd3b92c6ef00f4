//! Compressed rows (CSR): rows of different lengths in one vector, with the index at which each begins.

use std::ops::Range;

/// Rows of different lengths, stored one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompressedRows<T> {
    items: Vec<T>,
    /// The start of each row, and the end of the last one.
    starts: Vec<u32>,
}

impl<T> Default for CompressedRows<T> {
    fn default() -> Self {
        CompressedRows { items: Vec::new(), starts: vec![0] }
    }
}

impl<T> CompressedRows<T> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of items in all rows, including the unfinished one.
    pub fn total(&self) -> usize {
        self.items.len()
    }

    /// The items of a row.
    ///
    /// # Panics
    /// The row does not exist.
    #[inline(always)]
    pub fn row(&self, number: usize) -> &[T] {
        &self.items[self.range(number)]
    }

    /// The range of a row's items among all items.
    #[inline(always)]
    pub fn range(&self, number: usize) -> Range<usize> {
        self.starts[number] as usize..self.starts[number + 1] as usize
    }

    /// The items of a row; none if the row does not exist.
    #[inline]
    pub fn get(&self, number: usize) -> &[T] {
        match self.starts.get(number + 1) {
            Some(&end) => &self.items[self.starts[number] as usize..end as usize],
            None => &[],
        }
    }

    /// The number of items, which is the index of the next item.
    #[inline]
    fn end(&self) -> u32 {
        u32::try_from(self.items.len()).expect("rows have fewer than 2^32 items")
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.items.clear();
        self.starts.truncate(1);
    }

    /// Adds a row.
    pub fn push(&mut self, row: impl IntoIterator<Item = T>) {
        self.items.extend(row);
        self.end_row();
    }

    /// All items. Appended items belong to the row that [`end_row`](CompressedRows::end_row) ends.
    #[inline]
    pub fn items_mut(&mut self) -> &mut Vec<T> {
        &mut self.items
    }

    /// Ends a row with the items appended since the last row.
    #[inline]
    pub fn end_row(&mut self) {
        self.starts.push(self.end());
    }

    /// Divides the items appended since the last row into `rows` rows of `length` items.
    pub fn end_rows_of(&mut self, length: usize, rows: usize) {
        let before = self.starts[self.len()] as usize;
        assert_eq!(before + rows * length, self.end() as usize, "the rows hold all new items");
        self.starts.extend((1..=rows).map(|row| (before + row * length) as u32));
    }

    /// Adds empty rows until there are `rows`.
    pub fn fill_to(&mut self, rows: usize) {
        self.starts.resize(rows + 1, self.end());
    }

    /// Adds some of the rows of `other`; adds nothing if these rows do not exist.
    pub fn extend_from(&mut self, other: &CompressedRows<T>, rows: Range<usize>)
    where
        T: Clone,
    {
        let Some(&end) = other.starts.get(rows.end) else { return };
        let start = other.starts[rows.start];
        let before = self.end();
        self.items.extend_from_slice(&other.items[start as usize..end as usize]);
        self.starts.extend(
            other.starts[rows.start + 1..=rows.end].iter().map(|row_start| row_start - start + before),
        );
    }
}

impl CompressedRows<u32> {
    /// For each number below `count`, a row of the second numbers of the pairs that begin with it. `pairs` must be sorted.
    pub fn of_pairs(pairs: &[(u32, u32)], count: usize) -> CompressedRows<u32> {
        let mut rows = CompressedRows::default();
        let mut start = 0;
        for number in 0..count as u32 {
            let end = start + pairs[start..].iter().take_while(|(first, _)| *first == number).count();
            rows.push(pairs[start..end].iter().map(|&(_, second)| second));
            start = end;
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_contain_the_pushed_items() {
        let mut rows = CompressedRows::default();
        rows.push([1, 2]);
        rows.push([]);
        rows.items_mut().extend([3, 4, 5, 6]);
        rows.end_rows_of(2, 2);
        assert_eq!((rows.len(), rows.total()), (4, 6));
        assert_eq!([rows.row(0), rows.row(1), rows.get(3), rows.get(4)], [&[1, 2][..], &[], &[5, 6], &[]]);
        let mut others = CompressedRows::default();
        others.push([9]);
        others.extend_from(&rows, 1..3);
        others.fill_to(4);
        assert_eq!(
            [others.row(0), others.row(1), others.row(2), others.row(3)],
            [&[9][..], &[], &[3, 4], &[]]
        );
        others.clear();
        assert!(others.is_empty() && others.get(0).is_empty());
    }

    #[test]
    fn of_pairs_groups_by_first_number() {
        let rows = CompressedRows::of_pairs(&[(0, 5), (0, 7), (2, 1)], 4);
        assert_eq!([rows.row(0), rows.row(1), rows.row(2), rows.row(3)], [&[5, 7][..], &[], &[1], &[]]);
    }
}

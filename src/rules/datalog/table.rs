//! A table of rows of ground terms, with hash indexes on columns. Joins read these tables.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::gdl::term::TermId;

/// The value for "no row".
pub(super) const NO_ROW: u32 = u32::MAX;

/// The facts of one relation, numbered in the order of insertion.
#[derive(Clone, Debug)]
pub struct Table {
    arity: usize,
    rows: Vec<TermId>,
    count: u32,
    lookup: HashTable<u32>,
    indexes: Vec<Index>,
}

/// An index on columns: the newest row of each key, and for each row the next older one with the same key.
#[derive(Clone, Debug)]
struct Index {
    columns: Box<[u8]>,
    newest: HashTable<u32>,
    older: Vec<u32>,
}

fn hash(values: impl Iterator<Item = TermId>) -> u64 {
    let mut hasher = FxHasher::default();
    values.for_each(|value| hasher.write_u32(value.0));
    hasher.finish()
}

impl Table {
    /// An empty table of rows of `arity` terms.
    pub fn new(arity: usize) -> Table {
        Table { arity, rows: Vec::new(), count: 0, lookup: HashTable::new(), indexes: Vec::new() }
    }

    /// Number of rows.
    pub fn len(&self) -> u32 {
        self.count
    }

    /// Whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// A row by its index.
    pub fn row(&self, row: u32) -> &[TermId] {
        let start = row as usize * self.arity;
        &self.rows[start..start + self.arity]
    }

    /// All rows in order.
    pub fn iter(&self) -> impl Iterator<Item = &[TermId]> {
        (0..self.count).map(|row| self.row(row))
    }

    /// The index of a row with these terms.
    pub fn find(&self, row: &[TermId]) -> Option<u32> {
        self.lookup.find(hash(row.iter().copied()), |&other| self.row(other) == row).copied()
    }

    /// Adds a row if it is new. Returns its index and whether it is new.
    pub fn insert(&mut self, row: &[TermId]) -> (u32, bool) {
        let code = hash(row.iter().copied());
        if let Some(&found) = self.lookup.find(code, |&other| self.row(other) == row) {
            return (found, false);
        }
        let number = self.count;
        self.rows.extend_from_slice(row);
        self.count += 1;
        let (rows, arity) = (&self.rows, self.arity);
        self.lookup.insert_unique(code, number, |&other| {
            let start = other as usize * arity;
            hash(rows[start..start + arity].iter().copied())
        });
        for index in &mut self.indexes {
            index.add(&self.rows, self.arity, number);
        }
        (number, true)
    }

    /// The index on these columns, built if necessary.
    pub(super) fn index_on(&mut self, columns: &[u8]) -> usize {
        if let Some(found) = self.indexes.iter().position(|index| *index.columns == *columns) {
            return found;
        }
        let mut index = Index { columns: columns.into(), newest: HashTable::new(), older: Vec::new() };
        for row in 0..self.count {
            index.add(&self.rows, self.arity, row);
        }
        self.indexes.push(index);
        self.indexes.len() - 1
    }

    /// The newest row with `key` in the columns of an index, or [`NO_ROW`].
    pub(super) fn newest(&self, index: usize, key: &[TermId]) -> u32 {
        let index = &self.indexes[index];
        let same = |&row: &u32| {
            let start = row as usize * self.arity;
            index.columns.iter().zip(key).all(|(&column, &value)| self.rows[start + column as usize] == value)
        };
        index.newest.find(hash(key.iter().copied()), same).copied().unwrap_or(NO_ROW)
    }

    /// The next older row with the same key, or [`NO_ROW`].
    pub(super) fn older(&self, index: usize, row: u32) -> u32 {
        self.indexes[index].older[row as usize]
    }

    /// Removes all rows; indexes and memory are kept.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.count = 0;
        self.lookup.clear();
        for index in &mut self.indexes {
            index.newest.clear();
            index.older.clear();
        }
    }

    /// Number of distinct terms in a column, estimated from at most 512 rows spread over the table.
    pub(super) fn distinct(&self, column: usize) -> f64 {
        if self.count == 0 {
            return 1.0;
        }
        let stride = (self.count / 512).max(1);
        let mut sample: Vec<u32> = Vec::with_capacity(1024);
        let mut row = 0;
        while row < self.count {
            sample.push(self.rows[row as usize * self.arity + column].0);
            row += stride;
        }
        let drawn = sample.len() as f64;
        sample.sort_unstable();
        sample.dedup();
        let distinct = sample.len() as f64;
        // If the sample has few repetitions, the number of distinct terms grows with the table.
        if distinct * 2.0 > drawn { distinct * f64::from(stride) } else { distinct }
    }

    /// Approximate memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        let indexes: usize =
            self.indexes.iter().map(|i| i.older.capacity() * 4 + i.newest.capacity() * 5).sum();
        self.rows.capacity() * 4 + self.lookup.capacity() * 5 + indexes
    }
}

impl Index {
    fn add(&mut self, rows: &[TermId], arity: usize, row: u32) {
        let value = |row: u32, column: u8| rows[row as usize * arity + column as usize];
        let columns = &self.columns;
        let code = hash(columns.iter().map(|&column| value(row, column)));
        let same = |&other: &u32| columns.iter().all(|&column| value(other, column) == value(row, column));
        let older = match self.newest.find_mut(code, same) {
            Some(newest) => std::mem::replace(newest, row),
            None => {
                self.newest.insert_unique(code, row, |&other| {
                    hash(columns.iter().map(|&column| value(other, column)))
                });
                NO_ROW
            }
        };
        self.older.push(older);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(values: &[u32]) -> Vec<TermId> {
        values.iter().map(|&value| TermId(value)).collect()
    }

    #[test]
    fn finds_rows_by_key_newest_first() {
        let mut table = Table::new(2);
        for (a, b) in [(1, 2), (1, 3), (2, 3), (1, 4)] {
            assert!(table.insert(&terms(&[a, b])).1);
        }
        assert_eq!(table.insert(&terms(&[2, 3])), (2, false));
        let index = table.index_on(&[0]);
        let mut row = table.newest(index, &terms(&[1]));
        let mut seen = Vec::new();
        while row != NO_ROW {
            seen.push(table.row(row)[1].0);
            row = table.older(index, row);
        }
        assert_eq!(seen, [4, 3, 2]);
        assert_eq!(table.newest(index, &terms(&[9])), NO_ROW);
        table.clear();
        assert_eq!(table.newest(index, &terms(&[1])), NO_ROW);
    }

    #[test]
    fn a_table_without_columns_holds_at_most_one_row() {
        let mut table = Table::new(0);
        assert_eq!(table.insert(&[]), (0, true));
        assert_eq!(table.insert(&[]), (0, false));
        assert_eq!(table.find(&[]), Some(0));
    }
}

//! The transposition table: intervals of values, with the depth of the search that found them.

use crate::machine::{Machine, State};
use crate::search::clock_keys::{ClockKeys, Reach, StoreKey, is_free};
use crate::search::row_table::RowTable;

use super::interval::{Interval, ValueBounds};
use super::tree_position::TreePosition;

/// Words of a row: `ValueBounds::here` and `ValueBounds::sure` with two words each; `Row::depth`, `Row::plies` and
/// `ValueBounds::reach` share the fifth.
const ROW: usize = 5;

/// The stored bounds of a state: `depth` is the depth of the search that found `found.here`, `plies` the length of the
/// proof of `found.sure`.
#[derive(Clone, Copy)]
struct Row {
    found: ValueBounds,
    depth: u32,
    plies: u32,
}

impl Row {
    fn read(row: &[u64]) -> Option<Row> {
        let &[low, high, least, most, depths] = row else { return None };
        let interval = |low, high| Interval { low: f64::from_bits(low), high: f64::from_bits(high) };
        let reach = (depths >> 48) as Reach;
        let found = ValueBounds { here: interval(low, high), sure: interval(least, most), reach };
        Some(Row { found, depth: depths as u32, plies: (depths >> 32) as u32 & 0xffff })
    }

    fn words(self) -> [u64; ROW] {
        let Row { found: ValueBounds { here, sure, reach }, depth, plies } = self;
        let depths = u64::from(depth) | u64::from(plies & 0xffff) << 32 | u64::from(reach) << 48;
        let [low, high, least, most] = [here.low, here.high, sure.low, sure.high].map(f64::to_bits);
        [low, high, least, most, depths]
    }

    /// The bounds of the value at this depth, within `all`, the range of possible values. A proof counts only if its plies fit into the depth, so
    /// that a win is found as soon as possible and not delayed forever.
    fn recalled(self, all: Interval, depth: u32, exactly: bool) -> ValueBounds {
        let Row { found, depth: searched, plies } = self;
        let as_deep = if exactly { searched == depth } else { searched >= depth };
        let here = if as_deep { found.here } else { all };
        let sure = if plies <= depth { found.sure } else { all };
        ValueBounds { here: here.and(sure), sure, reach: found.reach }
    }
}

/// The table of a search.
pub(super) struct IntervalTable {
    table: RowTable,
    keys: ClockKeys,
}

impl IntervalTable {
    /// A table of at most `bytes` bytes.
    pub(super) fn new(bytes: usize, keys: ClockKeys) -> IntervalTable {
        IntervalTable { table: RowTable::new(bytes, ROW), keys }
    }

    /// Begins a search from a state and returns its key.
    pub(super) fn begin(&mut self, machine: &dyn Machine, state: &State) -> u64 {
        self.table.start_generation();
        self.keys.begin(machine, state)
    }

    /// The key of a child, computed from that of its parent.
    pub(super) fn child_key(&self, key: u64, from: &[u64], to: &[u64]) -> u64 {
        self.keys.update(key, from, to)
    }

    /// The stored bounds of a state's value at the depth of `at`, within `all`, the range of possible values; none
    /// without an entry.
    pub(super) fn recall(&self, key: u64, at: TreePosition, all: Interval) -> Option<ValueBounds> {
        let key = key ^ at.order.key();
        let alone = self.keys.alone(key, at.ply).and_then(|key| Row::read(self.table.get(key)?));
        let mut known = alone.map(|row| row.recalled(all, at.depth, false));
        let Some(left) = self.keys.left(at.ply) else { return known };
        for (row, old) in self.table.all(key) {
            let found = Row::read(row).map(|row| row.recalled(all, at.depth, !old));
            let is_usable = |found: &ValueBounds| found.here != all && is_free(found.reach, left);
            if let Some(found) = found.filter(is_usable) {
                known = Some(known.map_or(found, |known| known.and(found)));
            }
        }
        known
    }

    /// The stored bounds of a child, from its parent's point of view.
    pub(super) fn recall_child(&self, key: u64, parent: TreePosition, all: Interval) -> Option<ValueBounds> {
        let at = TreePosition { ply: parent.ply + 1, depth: parent.depth - 1, ..parent };
        self.recall(key, at, all).map(ValueBounds::of_child)
    }

    /// Stores the bounds of a state. A proof that needs more plies than are left here is stored if it is tighter.
    pub(super) fn keep(&mut self, key: u64, at: TreePosition, found: ValueBounds) {
        let TreePosition { ply, depth, order } = at;
        let capped_depth = depth.min(u32::from(u8::MAX)) as u8;
        let row = Row { found, depth, plies: depth };
        match self.keys.keep(key ^ order.key(), ply, found.reach) {
            StoreKey::Shared(key) => self.table.put_depth(key, capped_depth, row.words()),
            StoreKey::Alone(key) => {
                let before = self.table.get(key).and_then(Row::read);
                let before_is_tighter = |before: &Row| width(before.found.sure) < width(found.sure);
                let row = match before.filter(|before| before.plies > depth && before_is_tighter(before)) {
                    Some(Row { found: ValueBounds { sure, reach, .. }, plies, .. }) => Row {
                        found: ValueBounds { sure, reach: reach.max(found.reach), ..found },
                        plies,
                        depth,
                    },
                    None => row,
                };
                self.table.put(key, capped_depth, row.words());
            }
        }
    }
}

fn width(interval: Interval) -> f64 {
    interval.high - interval.low
}

//! Alpha-beta's view of its table: the value of a state at sufficient depth, and the move to search first.
//!
//! # How
//! Without a clock a state has one entry, which is valid if its depth suffices or it is proved. If keys leave out the
//! clock ([`clock_keys`](super::clock_keys)), a search meets a state at several depths, so there may be an entry for
//! each. Then an estimate is valid only at its own depth, and a proof only if it fits into the depth. The value is thus
//! that of exhaustive minimax to the same depth. Entries of earlier searches may be deeper, as usual.

use std::ops::Range;
use std::sync::Arc;

use crate::machine::{Children, Machine, MoveId, State};

use super::clock_keys::{ClockKeys, StoreKey, is_free};
use super::score::MOST_PLIES;
use super::shared_table::SharedEntries;
use super::symmetry::Symmetries;
use super::table::{Table, TableEntry};

/// A table with the keys of its states.
pub(super) struct Transpositions {
    table: Table,
    keys: ClockKeys,
}

/// A visit of a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit {
    pub(super) key: u64,
    /// Plies from the root.
    pub(super) ply: usize,
    /// Plies to the horizon.
    pub(super) depth: u32,
}

impl Visit {
    /// Whether the children are leaves.
    pub(super) fn is_last(self) -> bool {
        self.depth <= 1 || self.ply as u32 + 1 >= MOST_PLIES
    }
}

impl Transpositions {
    pub(super) fn new(bytes: usize, keys: ClockKeys) -> Transpositions {
        Transpositions { table: Table::new(bytes), keys }
    }

    /// Shares the table with other searches.
    pub(super) fn share(&mut self, entries: &Arc<SharedEntries>) {
        self.table.share(entries);
    }

    /// Gives states that are images of each other the same entry. Their estimates must be equal.
    pub(super) fn use_symmetries(&mut self, machine: &dyn Machine, symmetries: &Arc<Symmetries>) {
        self.keys.use_symmetries(machine, symmetries);
    }

    /// The hash of the class of a state that is searched `depth` plies deep; none if symmetries are not used.
    pub(super) fn class(&self, state: &[u64], depth: u32) -> Option<u64> {
        self.keys.symmetries(depth).map(|symmetries| symmetries.hash(state))
    }

    /// The number by which a state's entry stores a child: the child's own number, or with symmetries the code of its
    /// moves in the canonical image. The children of an image have another order.
    pub(super) fn child_code(
        &self,
        visit: Visit,
        state: &[u64],
        joint: &[MoveId],
        number: Option<u16>,
    ) -> Option<u16> {
        match self.keys.symmetries(visit.depth) {
            None => number,
            Some(symmetries) => Some(symmetries.canonical(state).move_code(joint)),
        }
    }

    /// The number of the child, among some children of a state, that its entry stores by this code.
    pub(super) fn coded_child(
        &self,
        visit: Visit,
        state: &[u64],
        code: u16,
        (children, range): (&Children, Range<usize>),
    ) -> Option<u16> {
        let Some(symmetries) = self.keys.symmetries(visit.depth) else { return Some(code) };
        let canonical = symmetries.canonical(state);
        let number = range.clone().position(|child| canonical.move_code(children.joint(child)) == code)?;
        u16::try_from(number).ok()
    }

    /// Removes all entries.
    pub(super) fn forget(&mut self) {
        self.table.clear();
    }

    /// Begins a search from a state and returns its key.
    pub(super) fn begin(&mut self, machine: &dyn Machine, state: &State) -> u64 {
        self.table.start_generation();
        self.keys.begin(machine, state)
    }

    /// The key of a child of a visited state.
    pub(super) fn child_key(&self, parent: Visit, from: &[u64], to: &[u64]) -> u64 {
        self.keys.child_key(parent.key, from, to, parent.depth.saturating_sub(1))
    }

    /// The state's entry, if it is deep enough and `enough` accepts it, and the best known move.
    pub(super) fn find(
        &self,
        visit: Visit,
        enough: impl Fn(&TableEntry) -> bool,
    ) -> (Option<TableEntry>, Option<u16>) {
        let Visit { key, ply, depth } = visit;
        let as_deep = |known: &TableEntry| known.proved || u32::from(known.depth) >= depth;
        let Some(left) = self.keys.left(ply) else {
            let known = self.table.get(key);
            return (
                known.filter(|known| as_deep(known) && enough(known)),
                known.and_then(|known| known.best),
            );
        };
        let mut deepest: Option<TableEntry> = None;
        for (known, old) in self.table.all(key) {
            let fits = match old {
                true => as_deep(&known),
                false if known.proved => u32::from(known.reach) <= depth,
                false => u32::from(known.depth) == depth,
            };
            if fits && is_free(known.reach, left) && enough(&known) {
                return (Some(known), known.best);
            }
            if known.best.is_some() && deepest.is_none_or(|deepest| known.depth > deepest.depth) {
                deepest = Some(known);
            }
        }
        let alone = self.keys.alone(key, ply).and_then(|key| self.table.get(key));
        let best = alone.and_then(|known| known.best).or(deepest.and_then(|known| known.best));
        (alone.filter(|known| as_deep(known) && enough(known)), best)
    }

    /// Stores the result of a state.
    pub(super) fn keep(&mut self, visit: Visit, known: TableEntry) {
        match self.keys.keep(visit.key, visit.ply, known.reach) {
            StoreKey::Alone(key) => self.table.put(key, known),
            StoreKey::Shared(key) => self.table.put_depth(key, known),
        }
    }
}

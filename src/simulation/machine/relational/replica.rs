//! The terms of a relational machine as copied by its cursors, so that reading takes no lock.
//!
//! Terms that grow in play are new in every state, so a run would fill the memory with them. Once the machine has
//! `RelationalMachine::mirrored` terms, each cursor keeps later terms to itself and forgets them between playouts. Only
//! terms of states and moves that leave the cursor become terms of the machine. `tests/play/growing_terms.rs` runs every
//! command on such games.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::sync::{Arc, OnceLock, RwLock};

use rustc_hash::FxHashMap;

use crate::datalog::Interner;
use crate::gdl::symbol::Symbol;
use crate::gdl::term::{TermId, Terms, compare_by, size_of_application};
use crate::machine::MachineError;

/// Numbers of a cursor's own terms begin here.
const FIRST_OWN_TERM: u32 = 1 << 31;

/// Number of own terms that a cursor may keep between playouts. It is twice the number of subterms
/// of a term of maximum size.
const MAX_OWN_TERMS: usize = 1 << 17;

/// Maximum number of terms of a machine: about 700 MiB.
const MAX_TERMS: usize = 6_000_000;

/// Maximum size, in symbols, of terms with a rank. Comparing larger ones while sorting takes too long.
const MAX_RANKED_SIZE: u32 = 16;

/// Marks a term without a rank.
const UNRANKED: u32 = u32::MAX;

/// A cursor's copy of the machine's terms. The first terms have the same numbers in all copies.
pub(super) struct Replica<'a> {
    shared: &'a RwLock<Terms>,
    /// A copy of the machine's first terms.
    local: Arc<Terms>,
    /// Maximum number of the machine's terms that are copied.
    mirrored: usize,
    /// The copy of the first `mirrored` terms, once it is complete; all cursors share it.
    mirror: &'a OnceLock<Arc<Terms>>,
    /// Terms of this cursor only, used after the copy is complete.
    own: Terms,
    /// Own terms, by the number of the same term in the machine.
    imported: FxHashMap<u32, TermId>,
    /// For own terms that were published, their number in the machine.
    published: RefCell<FxHashMap<u32, u32>>,
    /// The machine's ranks at the last update.
    ranks: Arc<Vec<u32>>,
    shared_ranks: &'a RwLock<Arc<Vec<u32>>>,
}

impl<'a> Replica<'a> {
    /// Copies the first terms of the machine.
    pub(super) fn of(
        shared: &'a RwLock<Terms>,
        shared_ranks: &'a RwLock<Arc<Vec<u32>>>,
        mirrored: usize,
        mirror: &'a OnceLock<Arc<Terms>>,
    ) -> Replica<'a> {
        let mut replica = Replica {
            shared,
            local: mirror.get().cloned().unwrap_or_default(),
            mirrored,
            mirror,
            own: Terms::default(),
            imported: FxHashMap::default(),
            published: RefCell::default(),
            ranks: Arc::default(),
            shared_ranks,
        };
        if replica.local.is_empty() {
            let terms = shared.read().expect("no thread panics while it holds the lock");
            if terms.len() < mirrored {
                replica.local = Arc::new(terms.clone());
            } else {
                replica.copy(&terms);
            }
        }
        replica
    }

    /// The outermost symbol and the arguments of a term.
    #[inline]
    pub(super) fn entry(&self, term: TermId) -> (Symbol, &[TermId]) {
        let (terms, term) = self.place(term);
        terms.entry(term)
    }

    /// The table that has a term, and its number in it.
    #[inline]
    fn place(&self, term: TermId) -> (&Terms, TermId) {
        if term.0 < FIRST_OWN_TERM {
            (&self.local, term)
        } else {
            (&self.own, TermId(term.0 - FIRST_OWN_TERM))
        }
    }

    /// Whether the term is one of a cursor's own.
    #[inline]
    pub(super) fn is_own(term: TermId) -> bool {
        term.0 >= FIRST_OWN_TERM
    }

    /// Whether the cursor has own terms.
    pub(super) fn has_own(&self) -> bool {
        !self.own.is_empty()
    }

    /// An upper bound on the symbols of the largest term that the cursor holds.
    pub(super) fn largest(&self) -> u32 {
        self.local.largest().max(self.own.largest())
    }

    /// Compares by structural order, using ranks if both terms have one.
    pub(super) fn compare(&self, a: TermId, b: TermId) -> Ordering {
        match (self.rank_of(a), self.rank_of(b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => compare_by(a, b, |term| self.entry(term)),
        }
    }

    fn rank_of(&self, term: TermId) -> Option<u32> {
        self.ranks.get(term.index()).copied().filter(|&rank| rank != UNRANKED)
    }

    /// Updates the ranks if many terms have none.
    pub(super) fn rank(&mut self) {
        let enough = |ranks: &[u32]| self.local.len().saturating_sub(ranks.len()) <= ranks.len() / 8;
        if enough(&self.ranks) {
            return;
        }
        let mut shared = self.shared_ranks.write().expect("no thread panics while it holds the lock");
        if !enough(&shared) {
            let small = |&term: &TermId| self.local.size(term) <= MAX_RANKED_SIZE;
            let mut sorted: Vec<TermId> = (0..self.local.len() as u32).map(TermId).filter(small).collect();
            sorted.sort_unstable_by(|&a, &b| self.local.compare(a, b));
            let mut ranks = vec![UNRANKED; self.local.len()];
            (0..).zip(&sorted).for_each(|(rank, term)| ranks[term.index()] = rank);
            *shared = Arc::new(ranks);
        }
        self.ranks = shared.clone();
    }

    /// Copies the first terms of the machine that are missing here.
    fn copy(&mut self, shared: &Terms) {
        let missing = self.local.len()..shared.len().min(self.mirrored);
        if missing.is_empty() {
            return;
        }
        let local = Arc::make_mut(&mut self.local);
        for number in missing {
            let term = TermId(number as u32);
            local.add(shared.functor(term), shared.arguments(term), shared.size(term));
        }
        if local.len() == self.mirrored {
            self.local = self.mirror.get_or_init(|| self.local.clone()).clone();
        }
    }

    /// Converts a term of the machine to a term of this cursor.
    pub(super) fn import(&mut self, term: TermId) -> TermId {
        if term.index() < self.local.len() {
            return term;
        }
        if let Some(&own) = self.imported.get(&term.0) {
            return own;
        }
        let machine = self.shared;
        let shared = machine.read().expect("no thread panics while it holds the lock");
        self.copy(&shared);
        if term.index() < self.local.len() {
            return term;
        }
        // Subterms are converted first.
        let mut open = vec![term];
        let mut arguments = Vec::new();
        while let Some(&next) = open.last() {
            let before = open.len();
            arguments.clear();
            for &argument in shared.arguments(next) {
                if argument.index() < self.local.len() {
                    arguments.push(argument);
                } else {
                    match self.imported.get(&argument.0) {
                        Some(&own) => arguments.push(own),
                        None => open.push(argument),
                    }
                }
            }
            if open.len() == before {
                let own = self.intern_own(shared.functor(next), &arguments);
                self.imported.insert(next.0, own);
                open.pop();
            }
        }
        self.imported[&term.0]
    }

    /// Converts a term of this cursor to a term of the machine.
    pub(super) fn publish(&self, term: TermId) -> TermId {
        if !Replica::is_own(term) {
            return term;
        }
        let mut published = self.published.borrow_mut();
        if let Some(&known) = published.get(&term.0) {
            return TermId(known);
        }
        let mut shared = self.shared.write().expect("no thread panics while it holds the lock");
        let mut open = vec![term];
        let mut arguments = Vec::new();
        while let Some(&next) = open.last() {
            let before = open.len();
            arguments.clear();
            let (functor, parts) = self.entry(next);
            for &argument in parts {
                if Replica::is_own(argument) {
                    match published.get(&argument.0) {
                        Some(&known) => arguments.push(TermId(known)),
                        None => open.push(argument),
                    }
                } else {
                    arguments.push(argument);
                }
            }
            if open.len() == before {
                published.insert(next.0, shared.intern(functor, &arguments).0);
                open.pop();
            }
        }
        TermId(published[&term.0])
    }

    /// Checks that the machine has room for more terms, if this cursor has published any.
    ///
    /// # Errors
    /// [`MachineError::TooManyTerms`]: there is no room.
    pub(super) fn check_room(&self) -> Result<(), MachineError> {
        if self.published.borrow().is_empty() {
            return Ok(());
        }
        let terms = self.shared.read().expect("no thread panics while it holds the lock").len();
        if terms < MAX_TERMS { Ok(()) } else { Err(MachineError::TooManyTerms { limit: MAX_TERMS }) }
    }

    /// Forgets the cursor's own terms if there are many; returns whether it did. The caller must then clear tables with such
    /// terms.
    pub(super) fn forget(&mut self) -> bool {
        if self.own.len() <= MAX_OWN_TERMS {
            return false;
        }
        self.own = Terms::default();
        self.imported = FxHashMap::default();
        self.published = RefCell::default();
        true
    }

    fn intern_own(&mut self, functor: Symbol, arguments: &[TermId]) -> TermId {
        let own = self.own.find(functor, arguments).unwrap_or_else(|| {
            let size = size_of_application(arguments, |argument| self.size(argument));
            self.own.add(functor, arguments, size)
        });
        TermId(FIRST_OWN_TERM + own.0)
    }
}

impl Interner for Replica<'_> {
    fn intern(&mut self, functor: Symbol, arguments: &[TermId]) -> TermId {
        if let Some(found) = self.local.find(functor, arguments) {
            return found;
        }
        if self.local.len() < self.mirrored {
            let machine = self.shared;
            let mut shared = machine.write().expect("no thread panics while it holds the lock");
            if shared.len() < self.mirrored {
                let id = shared.intern(functor, arguments);
                self.copy(&shared);
                return id;
            }
            self.copy(&shared);
            if let Some(found) = self.local.find(functor, arguments) {
                return found;
            }
        }
        self.intern_own(functor, arguments)
    }

    #[inline]
    fn functor(&self, term: TermId) -> Symbol {
        let (terms, term) = self.place(term);
        terms.functor(term)
    }

    #[inline]
    fn arguments(&self, term: TermId) -> &[TermId] {
        let (terms, term) = self.place(term);
        terms.arguments(term)
    }

    fn size(&self, term: TermId) -> u32 {
        let (terms, term) = self.place(term);
        terms.size(term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gdl::symbol::Symbols;

    #[test]
    fn private_terms_are_dropped_and_published_terms_reused() {
        let mut symbols = Symbols::default();
        let (s, z) = (symbols.intern("s"), symbols.intern("z"));
        let mut terms = Terms::default();
        terms.constant(z);
        let (shared, ranks, mirror) = (RwLock::new(terms), RwLock::default(), OnceLock::new());
        let mut replica = Replica::of(&shared, &ranks, 10, &mirror);
        let grow = |replica: &mut Replica<'_>, steps: usize| {
            let zero = replica.intern(z, &[]);
            (0..steps).fold(zero, |term, _| replica.intern(s, &[term]))
        };
        let nine = grow(&mut replica, 9);
        assert!(!Replica::is_own(nine) && replica.publish(nine) == nine);
        let deep = grow(&mut replica, MAX_OWN_TERMS + 10);
        assert!(Replica::is_own(deep));
        assert_eq!(
            replica.shared.read().unwrap().len(),
            10,
            "the machine does not grow by what a cursor makes"
        );
        let twenty = grow(&mut replica, 20);
        let outside = replica.publish(twenty);
        assert_eq!(replica.shared.read().unwrap().len(), 21);
        assert!(replica.forget());
        let back = replica.import(outside);
        assert_eq!((replica.size(back), replica.publish(back)), (21, outside));
        assert_eq!(grow(&mut replica, 20), back);
        // Another cursor imports the same term.
        let mut other = Replica::of(&shared, &ranks, 10, &mirror);
        let there = other.import(outside);
        assert_eq!((other.size(there), grow(&mut other, 20)), (21, there));
    }
}

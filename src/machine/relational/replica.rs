//! The terms of a relational machine as its cursors see them: a copy each, so that reading takes no lock.

use std::cmp::Ordering;
use std::sync::{Arc, RwLock};

use crate::datalog::Interner;
use crate::gdl::symbol::Symbol;
use crate::gdl::term::{TermId, Terms};

/// A cursor's copy of the machine's terms: numbers are the machine's, so they mean the same to every cursor.
pub(super) struct Replica<'a> {
    shared: &'a RwLock<Terms>,
    pub(super) local: Terms,
    /// The machine's ranks when they were last looked at.
    ranks: Arc<Vec<u32>>,
    shared_ranks: &'a RwLock<Arc<Vec<u32>>>,
}

impl<'a> Replica<'a> {
    /// A copy of the terms that there are.
    pub(super) fn of(shared: &'a RwLock<Terms>, shared_ranks: &'a RwLock<Arc<Vec<u32>>>) -> Replica<'a> {
        let local = shared.read().expect("no thread panics while it holds the lock").clone();
        Replica { shared, local, ranks: Arc::default(), shared_ranks }
    }

    /// Structural order, by rank where both have one.
    pub(super) fn compare(&self, a: TermId, b: TermId) -> Ordering {
        match (self.ranks.get(a.index()), self.ranks.get(b.index())) {
            (Some(a), Some(b)) => a.cmp(b),
            _ => self.local.compare(a, b),
        }
    }

    /// Ranks the terms, if many have none.
    pub(super) fn rank(&mut self) {
        let enough = |ranks: &[u32]| self.local.len().saturating_sub(ranks.len()) <= ranks.len() / 8;
        if enough(&self.ranks) {
            return;
        }
        let mut shared = self.shared_ranks.write().expect("no thread panics while it holds the lock");
        if !enough(&shared) {
            let mut sorted: Vec<TermId> = (0..self.local.len() as u32).map(TermId).collect();
            sorted.sort_unstable_by(|&a, &b| self.local.compare(a, b));
            let mut ranks = vec![0; sorted.len()];
            (0..).zip(&sorted).for_each(|(rank, term)| ranks[term.index()] = rank);
            *shared = Arc::new(ranks);
        }
        self.ranks = shared.clone();
    }

    /// Takes over the terms that other cursors made.
    pub(super) fn catch_up(&mut self) {
        let shared = self.shared.read().expect("no thread panics while it holds the lock");
        for number in self.local.len()..shared.len() {
            let term = TermId(number as u32);
            self.local.intern(shared.functor(term), shared.arguments(term));
        }
    }
}

impl Interner for Replica<'_> {
    fn intern(&mut self, functor: Symbol, arguments: &[TermId]) -> TermId {
        if let Some(found) = self.local.find(functor, arguments) {
            return found;
        }
        let mut shared = self.shared.write().expect("no thread panics while it holds the lock");
        let id = shared.intern(functor, arguments);
        for number in self.local.len()..shared.len() {
            let term = TermId(number as u32);
            self.local.intern(shared.functor(term), shared.arguments(term));
        }
        id
    }

    fn functor(&self, term: TermId) -> Symbol {
        self.local.functor(term)
    }

    fn arguments(&self, term: TermId) -> &[TermId] {
        self.local.arguments(term)
    }
}

//! Samples from which [control fluents](super::control) are found.

use std::collections::BTreeSet;

use crate::machine::MoveId;

use super::fluents::FactTable;

/// The most relations that are compared with each other. Few games have more relations.
const TRACKED: usize = 128;

/// The roles that had a choice while a fluent held, in sampled states that are not terminal.
#[derive(Clone, Debug)]
pub struct ControlSamples {
    /// For each relation and fact, the roles that had several moves while it was the only fact.
    choosers: Vec<Vec<u64>>,
    /// For each relation, the number of states with a choice in which it had one fact.
    covered: Vec<u64>,
    /// Pairs of relations that had one fact each in the same state.
    together: BTreeSet<(usize, usize)>,
    /// Pairs of relations that differed in some state: one of them had one fact, the other did not.
    differ: BTreeSet<(usize, usize)>,
    /// For each state the set of relations that had one fact. `together` and `differ` are computed from these
    /// sets.
    sets: BTreeSet<u128>,
    /// The set of the latest state.
    latest: u128,
    /// States in which a role had a choice.
    pub with_choice: u64,
}

impl ControlSamples {
    /// Samples without a state, for this number of relations.
    pub fn new(relations: usize) -> ControlSamples {
        ControlSamples {
            choosers: vec![Vec::new(); relations],
            covered: vec![0; relations],
            together: BTreeSet::new(),
            differ: BTreeSet::new(),
            sets: BTreeSet::new(),
            latest: 0,
            with_choice: 0,
        }
    }

    /// For each fact of a relation, the roles that had several moves while it was the only fact.
    pub(super) fn choosers(&self, relation: usize) -> &[u64] {
        &self.choosers[relation]
    }

    /// Number of states with a choice in which a relation had one fact.
    pub(super) fn covered(&self, relation: usize) -> u64 {
        self.covered[relation]
    }

    /// The indices of the relations that are compared with each other.
    pub(super) fn tracked(&self) -> std::ops::Range<usize> {
        0..self.covered.len().min(TRACKED)
    }

    /// Records for a pair of relations, the lower one first, whether they had one fact each in the same
    /// state (`together`), and whether exactly one of them had one fact (`differ`). Returns whether one of the
    /// two cases has not been observed yet.
    pub(super) fn record_pair(&mut self, a: usize, b: usize, together: bool, differ: bool) -> bool {
        if together {
            self.together.insert((a, b));
        }
        if differ {
            self.differ.insert((a, b));
        }
        !self.together.contains(&(a, b)) || !self.differ.contains(&(a, b))
    }

    /// Records which roles had several moves while a fact was the only one of its relation. `covered` is
    /// the number of states with a choice in which the relation had one fact.
    pub(super) fn record(
        &mut self,
        relation: usize,
        choosers: impl Iterator<Item = (usize, u64)>,
        covered: u64,
    ) {
        self.covered[relation] += covered;
        for (index, more) in choosers {
            self.record_choosers(relation, index, more);
        }
    }

    /// Records that roles had several moves while a fact was the only one of its relation.
    fn record_choosers(&mut self, relation: usize, index: usize, roles: u64) {
        let choosers = &mut self.choosers[relation];
        if choosers.len() <= index {
            choosers.resize(index + 1, 0);
        }
        choosers[index] |= roles;
    }

    /// Adds a state, which must not be terminal.
    pub fn add_state(&mut self, legal: &[Vec<MoveId>], facts: &[FactTable]) {
        let several = legal.iter().enumerate().filter(|(_, moves)| moves.len() > 1);
        let choosing = several.fold(0_u64, |set, (role, _)| set | 1 << role.min(63));
        self.with_choice += u64::from(choosing != 0);
        let mut held = 0_u128;
        for (relation, table) in facts.iter().enumerate() {
            let Some(index) = table.only_fact().filter(|_| table.arity() > 0) else { continue };
            if relation < TRACKED {
                held |= 1 << relation;
            }
            self.covered[relation] += u64::from(choosing != 0);
            self.record_choosers(relation, index, choosing);
        }
        if held != std::mem::replace(&mut self.latest, held) {
            self.record_set(held);
        }
    }

    /// Records the set of relations that had one fact each in a state.
    fn record_set(&mut self, held: u128) {
        if !self.sets.insert(held) {
            return;
        }
        let holds = |relation: usize| held >> relation & 1 == 1;
        for b in self.tracked() {
            for a in 0..b {
                self.record_pair(a, b, holds(a) && holds(b), holds(a) != holds(b));
            }
        }
    }

    /// Adds the samples of later playouts; `places` maps the facts of each relation to their indices here.
    pub fn merge(&mut self, later: ControlSamples, places: &[Vec<usize>]) {
        for (relation, choosers) in later.choosers.into_iter().enumerate() {
            for (index, more) in choosers.into_iter().enumerate() {
                self.record_choosers(relation, places[relation][index], more);
            }
            self.covered[relation] += later.covered[relation];
        }
        self.together.extend(later.together);
        self.differ.extend(later.differ);
        self.sets.extend(later.sets);
        self.with_choice += later.with_choice;
    }

    /// Whether two relations never had one fact each in the same state.
    pub(super) fn never_together(&self, a: usize, b: usize) -> bool {
        a.max(b) < TRACKED && !self.together.contains(&(a.min(b), a.max(b)))
    }

    /// For tests: the roles that chose under a fact, and the number of states that its relation covered.
    #[cfg(test)]
    pub(super) fn choosers_and_states(&self, relation: usize, index: usize) -> (u64, u64) {
        (self.choosers[relation].get(index).copied().unwrap_or(0), self.covered[relation])
    }

    /// For tests: whether two relations never held together, and whether they always did.
    #[cfg(test)]
    pub(super) fn pair(&self, a: usize, b: usize) -> (bool, bool) {
        (self.never_together(a, b), self.always_together(a, b))
    }

    /// Whether two relations had one fact each in exactly the same states.
    pub(super) fn always_together(&self, a: usize, b: usize) -> bool {
        a.max(b) < TRACKED && !self.differ.contains(&(a.min(b), a.max(b)))
    }
}

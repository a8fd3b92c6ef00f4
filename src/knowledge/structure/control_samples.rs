//! Who had a choice while a fluent held, as the detector of [control fluents](super::control) asks.

use std::collections::BTreeSet;

use crate::machine::MoveId;

use super::fluents::FactTable;

/// Relations that are told apart in sets; there are hardly ever so many.
const TOLD_APART: usize = 128;

/// Who had a choice while a fluent held, in sampled states that are not terminal.
#[derive(Clone, Debug)]
pub struct ControlSamples {
    /// For each relation and place of a fact, while it was the only one: the roles that had several moves.
    choosers: Vec<Vec<u64>>,
    /// For each relation the states with a choice in which it had one fact.
    covered: Vec<u64>,
    /// Pairs of relations that had one fact each in one state.
    together: BTreeSet<(usize, usize)>,
    /// Pairs of relations of which one had one fact and the other had not.
    differ: BTreeSet<(usize, usize)>,
    /// Sets of relations that had one fact each in one state, which the pairs come from.
    sets: BTreeSet<u128>,
    latest: u128,
    /// States in which a role had a choice.
    pub with_choice: u64,
}

impl ControlSamples {
    /// Nothing seen yet.
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

    /// For each place of a fact of a relation, while it was the only one, the roles that had several moves.
    pub(super) fn choosers(&self, relation: usize) -> &[u64] {
        &self.choosers[relation]
    }

    /// The states with a choice in which a relation had one fact.
    pub(super) fn covered(&self, relation: usize) -> u64 {
        self.covered[relation]
    }

    /// The relations that are told apart, by number.
    pub(super) fn told_apart(&self) -> std::ops::Range<usize> {
        0..self.covered.len().min(TOLD_APART)
    }

    /// Takes over of a pair of relations, the lower one first, whether they had one fact each in one state, and
    /// whether one had and the other had not. Gives whether either is unknown still.
    pub(super) fn pair(&mut self, a: usize, b: usize, together: bool, differ: bool) -> bool {
        if together {
            self.together.insert((a, b));
        }
        if differ {
            self.differ.insert((a, b));
        }
        !self.together.contains(&(a, b)) || !self.differ.contains(&(a, b))
    }

    /// Takes over of the facts of a relation which roles had several moves while it was the only one, and in how many
    /// states with a choice the relation had one fact.
    pub(super) fn hold(
        &mut self,
        relation: usize,
        choosers: impl Iterator<Item = (usize, u64)>,
        covered: u64,
    ) {
        self.covered[relation] += covered;
        for (place, more) in choosers {
            self.choose(relation, place, more);
        }
    }

    /// Roles had several moves while a fact was the only one of its relation.
    fn choose(&mut self, relation: usize, place: usize, roles: u64) {
        let choosers = &mut self.choosers[relation];
        if choosers.len() <= place {
            choosers.resize(place + 1, 0);
        }
        choosers[place] |= roles;
    }

    /// A state that is not terminal.
    pub fn state(&mut self, legal: &[Vec<MoveId>], facts: &[FactTable]) {
        let several = legal.iter().enumerate().filter(|(_, moves)| moves.len() > 1);
        let choosing = several.fold(0_u64, |set, (role, _)| set | 1 << role.min(63));
        self.with_choice += u64::from(choosing != 0);
        let mut held = 0_u128;
        for (relation, table) in facts.iter().enumerate() {
            let Some(place) = table.only().filter(|_| table.arity() > 0) else { continue };
            if relation < TOLD_APART {
                held |= 1 << relation;
            }
            self.covered[relation] += u64::from(choosing != 0);
            self.choose(relation, place, choosing);
        }
        if held != std::mem::replace(&mut self.latest, held) {
            self.together(held);
        }
    }

    /// These relations had one fact each in one state, and no others.
    fn together(&mut self, held: u128) {
        if !self.sets.insert(held) {
            return;
        }
        let holds = |relation: usize| held >> relation & 1 == 1;
        for b in self.told_apart() {
            for a in 0..b {
                self.pair(a, b, holds(a) && holds(b), holds(a) != holds(b));
            }
        }
    }

    /// Takes over what later playouts showed; `places` gives for each relation the place here of its facts.
    pub fn merge(&mut self, later: ControlSamples, places: &[Vec<usize>]) {
        for (relation, choosers) in later.choosers.into_iter().enumerate() {
            for (place, more) in choosers.into_iter().enumerate() {
                self.choose(relation, places[relation][place], more);
            }
            self.covered[relation] += later.covered[relation];
        }
        self.together.extend(later.together);
        self.differ.extend(later.differ);
        self.sets.extend(later.sets);
        self.with_choice += later.with_choice;
    }

    /// Whether two relations never had one fact each in one state.
    pub(super) fn apart(&self, a: usize, b: usize) -> bool {
        a.max(b) < TOLD_APART && !self.together.contains(&(a.min(b), a.max(b)))
    }

    /// What the tests ask of a fact: the roles that chose under it, and the states that its relation covered.
    #[cfg(test)]
    pub(super) fn held(&self, relation: usize, place: usize) -> (u64, u64) {
        (self.choosers[relation].get(place).copied().unwrap_or(0), self.covered[relation])
    }

    /// What the tests ask of two relations: whether they are apart, and whether they are equal.
    #[cfg(test)]
    pub(super) fn told(&self, a: usize, b: usize) -> (bool, bool) {
        (self.apart(a, b), self.equal(a, b))
    }

    /// Whether two relations had one fact each in the same states.
    pub(super) fn equal(&self, a: usize, b: usize) -> bool {
        a.max(b) < TOLD_APART && !self.differ.contains(&(a.min(b), a.max(b)))
    }
}

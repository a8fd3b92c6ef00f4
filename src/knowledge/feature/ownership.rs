//! Counts, in random play, how often each role adds the facts of each object.

use rustc_hash::FxHashMap;

use crate::machine::{FluentId, MoveId};
use crate::simulate::{Observer, Position};
use crate::structure::finding::Structures;

use super::fluent_index::FluentIndex;
use super::pattern::Pattern;

/// The markers and pieces of a game, as patterns over an index of fluents.
#[derive(Clone)]
pub struct LocatedObjects<'m> {
    fluent_index: FluentIndex<'m>,
    patterns: Vec<(usize, Pattern)>,
    /// For each fluent that has occurred, the object that it is a fact of.
    known: FxHashMap<FluentId, Option<u32>>,
}

impl<'m> LocatedObjects<'m> {
    /// The objects on boards and places.
    pub fn new(fluent_index: &FluentIndex<'m>, structures: &Structures) -> LocatedObjects<'m> {
        let boards = structures.fluents.iter().filter(|finding| finding.kind.has_cells());
        let mut patterns = Vec::new();
        for board in boards {
            for object in board.objects() {
                let pattern = fluent_index.pattern_of(board, object);
                if let Ok(relation) = fluent_index.relation(&pattern) {
                    patterns.push((relation, pattern));
                }
            }
        }
        LocatedObjects { fluent_index: fluent_index.clone(), patterns, known: FxHashMap::default() }
    }

    /// The pattern of an object's facts.
    pub fn pattern(&self, object: usize) -> &Pattern {
        &self.patterns[object].1
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The object that a fluent is a fact of.
    pub(super) fn of(&mut self, fluent: FluentId) -> Option<u32> {
        if let Some(&known) = self.known.get(&fluent) {
            return known;
        }
        let decoded = self.fluent_index.decode(fluent).cloned();
        let object = decoded.and_then(|decoded| {
            let arguments = self.fluent_index.arguments(&decoded);
            let matching = |(relation, pattern): &(usize, Pattern)| {
                *relation == decoded.relation && pattern.matches(&arguments)
            };
            self.patterns.iter().position(matching).map(|index| index as u32)
        });
        self.known.insert(fluent, object);
        object
    }
}

/// For each object, how many of its facts each role added in random play.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ownership {
    /// For each object and role: its facts that appeared in steps in which only this role had a choice.
    pub added: Vec<Vec<u64>>,
    /// For each object and role: its facts that held before these steps.
    pub present: Vec<Vec<u64>>,
}

/// Counts added facts during playouts.
pub(super) struct OwnershipObserver<'m> {
    objects: LocatedObjects<'m>,
    seen: Ownership,
    /// For each fluent the last step before which it held.
    stamps: Vec<u64>,
    step: u64,
}

impl<'m> OwnershipObserver<'m> {
    pub(super) fn new(objects: LocatedObjects<'m>) -> OwnershipObserver<'m> {
        let roles = objects.fluent_index.machine().description().roles.len();
        let none = vec![vec![0; roles]; objects.len()];
        let seen = Ownership { added: none.clone(), present: none };
        OwnershipObserver { objects, seen, stamps: Vec::new(), step: 0 }
    }

    pub(super) fn finish(self) -> Ownership {
        self.seen
    }
}

impl Observer for OwnershipObserver<'_> {
    fn moved(&mut self, before: &Position<'_>, _joint: &[MoveId], after: &Position<'_>) {
        let mut choosing = (0..before.legal.len()).filter(|&role| before.legal[role].len() > 1);
        let (Some(role), None) = (choosing.next(), choosing.next()) else { return };
        if self.objects.is_empty() {
            return;
        }
        self.step += 1;
        for &fluent in before.fluents {
            let index = fluent.0 as usize;
            if self.stamps.len() <= index {
                self.stamps.resize(index + 1, 0);
            }
            self.stamps[index] = self.step;
            if let Some(object) = self.objects.of(fluent) {
                self.seen.present[object as usize][role] += 1;
            }
        }
        for &fluent in after.fluents {
            if self.stamps.get(fluent.0 as usize) != Some(&self.step)
                && let Some(object) = self.objects.of(fluent)
            {
                self.seen.added[object as usize][role] += 1;
            }
        }
    }

    fn merge(&mut self, later: Self) {
        self.seen.merge(&later.seen);
    }
}

impl Ownership {
    /// Adds the counts of other playouts.
    pub(super) fn merge(&mut self, later: &Ownership) {
        let add = |mine: &mut Vec<Vec<u64>>, other: &Vec<Vec<u64>>| {
            for (mine, other) in mine.iter_mut().flatten().zip(other.iter().flatten()) {
                *mine += other;
            }
        };
        add(&mut self.added, &later.added);
        add(&mut self.present, &later.present);
    }

    /// The role whose own steps added almost all facts of an object, if there are enough facts.
    pub(super) fn owner(&self, object: usize) -> Option<usize> {
        most(self.added.get(object)?)
    }

    /// The index in `teams` of the team whose steps added almost all facts of an object. `None` if a single role is a team
    /// of its own, or if there are too few facts.
    pub(super) fn team(&self, object: usize, teams: &[Vec<usize>]) -> Option<usize> {
        let added = self.added.get(object)?;
        let of_team = |team: &Vec<usize>| team.iter().map(|&role| added[role]).sum();
        most(&teams.iter().map(of_team).collect::<Vec<u64>>()).filter(|&team| teams[team].len() > 1)
    }

    /// New facts of an object per step of a role, divided by the facts that held before.
    pub(super) fn rate(&self, object: usize, role: usize) -> Option<f64> {
        let (added, present) = (*self.added.get(object)?.get(role)?, *self.present.get(object)?.get(role)?);
        (added > 0 && present > 0).then(|| added as f64 / present as f64)
    }
}

/// The candidate that added almost all facts, if there are enough facts.
fn most(added: &[u64]) -> Option<usize> {
    /// The fewest facts for a decision.
    const ENOUGH: u64 = 20;
    /// The most percent of facts that others may have added: a move can have side effects.
    const FOREIGN: u64 = 5;
    let all: u64 = added.iter().sum();
    let most = (0..added.len()).max_by_key(|&number| (added[number], std::cmp::Reverse(number)))?;
    (all >= ENOUGH && (all - added[most]) * 100 <= FOREIGN * all).then_some(most)
}

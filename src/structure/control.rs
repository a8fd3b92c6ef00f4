//! Control fluents.
//!
//! # What it finds
//! Fluents that say who is to move: an argument whose values are roles, or stand for groups of roles, such that
//! roles have a choice of moves only while the fluent names them.
//!
//! # How
//! In every sampled state with one fact of a fluent, the roles with several legal moves are noted for each
//! value of each argument. A fluent is a candidate when there is never more than one fact, at least two values
//! have roles that choose, no role chooses under two values, and a value that is a role has no choosing role but
//! itself among its own. Of the candidates the one that holds in most states with a choice is taken (of equals
//! the one that names more roles, then the one that tells more groups apart), then every other that never holds
//! together with one taken (placing and rotating may each have their own), or that says the same as one taken: it
//! holds in the same states and tells the same groups apart (two boards played at once may each have their own).
//! A fluent that merely holds a role (who bid last, who is in check) names roles that choose under other values
//! too, or holds beside one that covers more states.
//!
//! # Guarantee
//! An estimate: a role that could choose out of turn may not have been seen to.
//!
//! # Cost
//! One look at each fluent relation and role in every sampled state.
//!
//! # Example
//! `(control white)` in states where white has several moves and black `noop` alone, and the other way round.
//!
//! # Source
//! Definition of the task's labels; turn taking: Kuhlmann, Dresner and Stone 2006.

use std::collections::{BTreeMap, BTreeSet};

use crate::gdl::term::TermId;
use crate::machine::MoveId;

use super::argument::ArgumentPosition;
use super::finding::Control;
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
    fn apart(&self, a: usize, b: usize) -> bool {
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
    fn equal(&self, a: usize, b: usize) -> bool {
        a.max(b) < TOLD_APART && !self.differ.contains(&(a.min(b), a.max(b)))
    }
}

/// A control fluent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its relation, by position.
    pub relation: usize,
    /// The finding.
    pub control: Control,
    /// States with a choice in which it held.
    pub covered: u64,
}

/// A fluent that passes the test on its own.
struct Candidate {
    found: Found,
    /// Number of its values that are roles.
    named: usize,
    /// The roles that choose under each value that any role chooses under, in ascending order.
    groups: Vec<u64>,
}

/// The argument of a relation that tells the choosing roles apart, how many of its values are roles, and the
/// groups of roles; an argument whose values are roles is preferred.
fn argument(table: &FactTable, choosers: &[u64], roles: &[TermId]) -> Option<(usize, usize, Vec<u64>)> {
    let tells = |argument: usize| {
        let mut groups: BTreeMap<TermId, u64> = BTreeMap::new();
        for place in 0..table.len() {
            let choosing = choosers.get(place).copied().unwrap_or(0);
            *groups.entry(table.arguments(place)[argument]).or_default() |= choosing;
        }
        let (mut seen, mut named) = (0_u64, 0);
        for (value, &group) in &groups {
            let role = roles.iter().position(|role| role == value);
            if group & seen != 0 || role.is_some_and(|role| group != 0 && group >> role.min(63) & 1 == 0) {
                return None;
            }
            seen |= group;
            named += usize::from(role.is_some());
        }
        let mut told: Vec<u64> = groups.into_values().filter(|&group| group != 0).collect();
        told.sort_unstable();
        (told.len() >= 2).then_some((argument, named, told))
    };
    (0..table.arity())
        .filter_map(tells)
        .max_by_key(|&(argument, named, _)| (named, std::cmp::Reverse(argument)))
}

/// Finds the control fluents among relations for which `eligible` holds.
pub fn detect(
    samples: &ControlSamples,
    facts: &[FactTable],
    roles: &[TermId],
    eligible: impl Fn(usize) -> bool,
) -> Vec<Found> {
    if roles.len() < 2 {
        return Vec::new();
    }
    let mut candidates: Vec<Candidate> = Vec::new();
    for (relation, table) in facts.iter().enumerate() {
        if table.most() > 1 || table.is_empty() || !eligible(relation) {
            continue;
        }
        if let Some((argument, named, groups)) = argument(table, &samples.choosers[relation], roles) {
            let control = Control { argument: ArgumentPosition::at(argument) };
            let found = Found { relation, control, covered: samples.covered[relation] };
            candidates.push(Candidate { found, named, groups });
        }
    }
    let preference = |candidate: &Candidate| {
        let Candidate { found, named, groups } = candidate;
        (std::cmp::Reverse((found.covered, *named, groups.len())), groups.clone(), found.relation)
    };
    candidates.sort_by_cached_key(preference);
    let mut taken: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        let fits = |other: &Candidate| {
            let (here, there) = (candidate.found.relation, other.found.relation);
            let same = candidate.groups == other.groups && samples.equal(here, there);
            same || samples.apart(here, there)
        };
        if taken.iter().all(fits) {
            taken.push(candidate);
        }
    }
    let mut taken: Vec<Found> = taken.into_iter().map(|candidate| candidate.found).collect();
    taken.sort_by_key(|found| found.relation);
    taken
}

//! Candidates for lemmas: statements that hold in all states of some plays.
//!
//! For every fluent relation and every choice of its arguments as a key: at most one fact, or exactly one,
//! holds for each key. The same for several relations with common keys (a disc lies on another disc, on a
//! pillar, or is held). Also single facts that never held or always held.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::lemma::{Lemma, bit_holds, of_bit};
use super::solver::Allowance;
use crate::gdl::symbol::Symbol;
use crate::gdl::term::TermId;
use crate::ground::{Lit, Network};
use crate::machine::State;

/// Limits the bits that are tested over all states for one choice of keys; with more bits, fewer states are tested.
const MAX_TESTED_BITS: usize = 40_000_000;

/// The least number of states in which one choice of keys is tested.
const MIN_STATES: usize = 50;

/// The number of facts whose test costs as much as one literal that a solver propagates.
const FACTS_PER_LITERAL: u64 = 20;

/// The number of states between two checks of the allowance.
const STATES_PER_CHECK: usize = 64;

/// For a relation with more arguments, only keys of at most one argument are tried.
const MAX_ARITY: usize = 6;

/// If more relations than this can be joined, none are.
const MAX_JOINED_RELATIONS: usize = 40;

/// Limits the facts of all tested keys; no further candidates are made when it is reached.
const MAX_FACTS: usize = 4_000_000;

/// Limits the facts of a group that is compared with others; larger groups are left out.
const MAX_GROUP: usize = 100;

/// If more pairs of facts than this exclude each other, none become candidates.
const MAX_PAIRS: usize = 6_000;

/// Facts of a relation that have the same values at some arguments.
type Group = Vec<Lit>;

/// A relation's facts by key.
struct KeyedFacts {
    groups: BTreeMap<Vec<TermId>, Group>,
}

/// The facts of one relation, each with its literal.
struct RelationFacts<'n> {
    arity: usize,
    facts: Vec<(&'n [TermId], Lit)>,
}

/// The statements that hold in the states of plays.
pub(super) fn candidates(network: &Network, plays: &[Vec<State>], allowance: &Allowance) -> Vec<Lemma> {
    // Evenly spaced states, because neighbouring states of a play are similar.
    let max_states = (MAX_TESTED_BITS / network.bits.len().max(1)).max(MIN_STATES);
    let stride = plays.iter().map(Vec::len).sum::<usize>().div_ceil(max_states).max(1);
    let tested_states: Vec<&State> = plays.iter().flatten().step_by(stride).collect();
    let mut lemmas = BTreeSet::new();
    for bit in 0..network.bits.len() as u32 {
        if allowance.is_interrupted() {
            return Vec::new();
        }
        let literal = of_bit(bit);
        for literal in [literal, !literal] {
            let lemma = Lemma::Clause(vec![literal]);
            if tested_states.iter().all(|state| lemma.holds_in(state)) {
                lemmas.insert(lemma);
            }
        }
    }
    let relations = relations(network);
    let mut keyed_relations: Vec<KeyedFacts> = Vec::new();
    let mut facts = 0;
    for relation in &relations {
        let mut found_keys: Vec<u32> = Vec::new();
        for key in keys(relation.arity) {
            facts += relation.facts.len();
            if allowance.is_over() || facts > MAX_FACTS {
                return lemmas.into_iter().collect();
            }
            if found_keys.iter().any(|smaller| smaller & !key == 0) {
                continue;
            }
            let keyed = by_key(relation, key);
            if keyed.groups.values().any(|group| group.len() > 1)
                && at_most_one(&keyed, &tested_states, allowance)
            {
                found_keys.push(key);
                add(&mut lemmas, &keyed, &tested_states);
                if key.count_ones() < 2 {
                    keyed_relations.push(keyed);
                }
            } else if key.count_ones() == 1 && relation.arity == 1 {
                // With one argument, each key has one fact.
                keyed_relations.push(keyed);
            }
        }
    }
    join_relations(&mut lemmas, &keyed_relations, &tested_states, allowance);
    exclude_pairs(&mut lemmas, &tested_states, allowance);
    lemmas.into_iter().collect()
}

/// The fluent relations of a network, without those that have no arguments.
fn relations(network: &Network) -> Vec<RelationFacts<'_>> {
    let mut relations: FxHashMap<(Symbol, usize), usize> = FxHashMap::default();
    let mut list: Vec<RelationFacts<'_>> = Vec::new();
    for fluent in &network.fluents {
        let arity = fluent.arguments.len();
        let index = *relations.entry((fluent.functor, arity)).or_insert_with(|| {
            list.push(RelationFacts { arity, facts: Vec::new() });
            list.len() - 1
        });
        list[index].facts.push((&fluent.arguments, fluent.bit.map_or(Lit::TRUE, of_bit)));
    }
    list
}

/// Masks of the arguments in a key, smaller keys first; all arguments only for relations with one argument.
fn keys(arity: usize) -> Vec<u32> {
    if arity > MAX_ARITY {
        return (0..arity.min(u32::BITS as usize) as u32).map(|argument| 1 << argument).chain([0]).collect();
    }
    let all = (1_u32 << arity) - 1;
    let mut keys: Vec<u32> = (0..=all).filter(|&key| arity == 1 || key != all).collect();
    keys.sort_by_key(|key| (key.count_ones(), *key));
    keys
}

fn by_key(relation: &RelationFacts<'_>, key: u32) -> KeyedFacts {
    let mut groups: BTreeMap<Vec<TermId>, Group> = BTreeMap::new();
    for &(arguments, literal) in &relation.facts {
        let values = (0..relation.arity.min(u32::BITS as usize)).filter(|argument| key >> argument & 1 == 1);
        groups.entry(values.map(|argument| arguments[argument]).collect()).or_default().push(literal);
    }
    KeyedFacts { groups }
}

/// Whether no state has two facts of a key; false if the allowance is used up.
fn at_most_one(keyed: &KeyedFacts, states: &[&State], allowance: &Allowance) -> bool {
    let lemmas: Vec<Lemma> = keyed.groups.values().map(|group| Lemma::AtMostOne(group.clone())).collect();
    let facts: usize = keyed.groups.values().map(Vec::len).sum();
    states.chunks(STATES_PER_CHECK).all(|states| {
        allowance.spend((states.len() * facts) as u64 / FACTS_PER_LITERAL);
        let holds = |state: &&State| !allowance.is_over() && lemmas.iter().all(|lemma| lemma.holds_in(state));
        states.iter().all(holds)
    })
}

/// Adds a lemma for each key: at most one fact holds, and at least one if every state has one.
fn add(lemmas: &mut BTreeSet<Lemma>, keyed: &KeyedFacts, states: &[&State]) {
    for group in keyed.groups.values().filter(|group| group.len() > 1) {
        lemmas.insert(Lemma::AtMostOne(group.clone()));
        let one = Lemma::Clause(group.clone());
        if states.iter().all(|state| one.holds_in(state)) {
            lemmas.insert(one);
        }
    }
}

/// Joins relations while at most one fact of each key holds over all of them.
fn join_relations(
    lemmas: &mut BTreeSet<Lemma>,
    keyed_relations: &[KeyedFacts],
    states: &[&State],
    allowance: &Allowance,
) {
    if keyed_relations.len() > MAX_JOINED_RELATIONS {
        return;
    }
    let mut joined_sets: BTreeSet<Vec<usize>> = BTreeSet::new();
    for first in 0..keyed_relations.len() {
        let mut members = vec![first];
        let mut joined = KeyedFacts { groups: keyed_relations[first].groups.clone() };
        for (next, other) in keyed_relations.iter().enumerate() {
            let shares = |values: &Vec<TermId>| joined.groups.contains_key(values);
            if allowance.is_over() {
                return;
            }
            if next == first || !other.groups.keys().any(shares) {
                continue;
            }
            let mut more = KeyedFacts { groups: joined.groups.clone() };
            for (values, group) in &other.groups {
                let known = more.groups.entry(values.clone()).or_default();
                known.extend(
                    group
                        .iter()
                        .filter(|literal| !joined.groups.get(values).is_some_and(|g| g.contains(literal))),
                );
            }
            if at_most_one(&more, states, allowance) {
                joined = more;
                members.push(next);
            }
        }
        members.sort_unstable();
        if members.len() > 1 && joined_sets.insert(members) {
            joined.groups.values_mut().for_each(|group| group.sort_unstable());
            add(lemmas, &joined, states);
        }
    }
}

/// Adds pairs of facts of two groups that never hold together: a score can't exceed the number of rounds
/// played. One group, such as a counter, is compared with all others.
fn exclude_pairs(lemmas: &mut BTreeSet<Lemma>, states: &[&State], allowance: &Allowance) {
    let groups: Vec<&Group> = lemmas
        .iter()
        .filter_map(|lemma| match lemma {
            Lemma::AtMostOne(group) if group.len() <= MAX_GROUP && !group.contains(&Lit::TRUE) => Some(group),
            _ => None,
        })
        .collect();
    // The group with the most facts that held in some state gives the most information about others.
    let facts_held = |group: &Group| {
        group.iter().filter(|&&literal| states.iter().any(|state| bit_holds(state, literal))).count()
    };
    let Some(course) = groups.iter().copied().max_by_key(|group| facts_held(group)) else { return };
    let mut pairs = BTreeSet::new();
    for group in groups.iter().filter(|group| **group != course) {
        allowance.spend((states.len() * (course.len() + group.len())) as u64 / FACTS_PER_LITERAL);
        if allowance.is_over() {
            return;
        }
        let mut together = vec![false; course.len() * group.len()];
        let position =
            |group: &Group, state: &State| group.iter().position(|&literal| bit_holds(state, literal));
        for state in states {
            if let (Some(one), Some(other)) = (position(course, state), position(group, state)) {
                together[one * group.len() + other] = true;
            }
        }
        let never = together.iter().enumerate().filter(|(_, together)| !**together);
        pairs.extend(never.map(|(number, _)| {
            Lemma::Clause(vec![!course[number / group.len()], !group[number % group.len()]])
        }));
        if pairs.len() > MAX_PAIRS {
            return;
        }
    }
    lemmas.extend(pairs);
}

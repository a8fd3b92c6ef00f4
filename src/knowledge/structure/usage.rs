//! Uses of successor relations in the rules: which relation orders an argument.
//!
//! An argument of a relation is *derived from* a successor relation if its rules join it with another value
//! of a chain: `(<= (next_cell ?x ?y) (index ?x) (succ ?x ?y))` derives both arguments of `next_cell` from
//! `succ`. An argument of a fluent is *compared* through a successor relation if a rule that reads or sets
//! the fluent uses its value as an argument derived from that relation. Views may pass the value on. A mere
//! list of values (`(<= (index ?x) (succ ?x ?any))`) is not a comparison. The results don't depend on names
//! or on the order of rules.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::gdl::Description;
use crate::gdl::rule::{Atom, Dependence, Literal, RelationId, RelationKind, Rule};
use crate::gdl::symbol::Symbol;
use crate::gdl::term::{Term, TermId};

use super::argument::ArgumentPosition;
use super::finding::{ChainShape, OtherChain};
use super::vocabulary::ChainPattern;

/// A use of a successor relation with an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainUse {
    /// Least number of views between the argument and the relation.
    pub distance: u32,
    /// Number of occurrences in the rules, at any distance.
    pub places: u32,
}

/// Uses by the index of the chain.
pub type ChainUses = BTreeMap<usize, ChainUse>;

/// A chain of a relation with some fixed arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    relation: RelationId,
    fixed: Vec<(ArgumentPosition, TermId)>,
    pair: [ArgumentPosition; 2],
    /// Whether the fixed arguments may be variables as well: a cycle gives neighbours for any step.
    any: bool,
    /// The index of the chain.
    chain: usize,
}

impl Slice {
    /// The slice of a finding, with the index of its chain.
    pub fn new(found: &OtherChain, chain: usize) -> Slice {
        let any = found.shape == ChainShape::Cycle;
        let ChainPattern { fixed, pair } = found.pattern.clone();
        Slice { relation: found.relation, fixed, pair, any, chain }
    }

    /// Whether an atom uses this slice with a term.
    fn matches(&self, atom: &Atom, term: &Term) -> bool {
        let at = |position: &ArgumentPosition| &atom.arguments[position.index()];
        self.relation == atom.relation
            && self.fixed.iter().all(|(position, value)| match at(position) {
                Term::Ground(term) => term == value,
                Term::Variable(_) => self.any,
                Term::Compound(..) => false,
            })
            && self.pair.iter().any(|position| at(position) == term)
    }
}

/// The chains from which arguments of relations are derived, and through which arguments of fluents are
/// compared.
#[derive(Debug)]
pub struct Usage<'d> {
    description: &'d Description,
    slices: Vec<Slice>,
    /// For each rule, the number of occurrences of each variable.
    occurrences: Vec<Vec<u32>>,
    /// For each relation, the rules with it in their body.
    readers: Vec<Vec<u32>>,
    /// For each argument of a view, the distance to each successor relation from which it is derived.
    derived_from: FxHashMap<(RelationId, usize), BTreeMap<usize, u32>>,
}

/// Whether atoms that share terms with variables connect one term with another.
fn connected(from: &Term, to: &Term, atoms: &[&Atom]) -> bool {
    let mut reached = vec![from];
    let mut next = 0;
    while let Some(&term) = reached.get(next) {
        next += 1;
        for atom in atoms.iter().filter(|atom| atom.arguments.contains(term)) {
            for other in atom.arguments.iter().filter(|other| !matches!(other, Term::Ground(_))) {
                if other == to {
                    return true;
                }
                if !reached.contains(&other) {
                    reached.push(other);
                }
            }
        }
    }
    false
}

fn count_variables(rule: &Rule) -> Vec<u32> {
    let mut counts = vec![0; rule.variables.len()];
    let mut count = |variable: crate::gdl::term::Variable| counts[variable.index()] += 1;
    rule.head.for_each_variable(&mut count);
    for literal in &rule.body {
        literal.for_each_variable(&mut count);
    }
    counts
}

impl<'d> Usage<'d> {
    /// Reads the rules. `bases` are the relations of chains, each with the index of the chain, and the
    /// order relations, each with the index of the chain whose closure it is. `slices` are chains of
    /// relations with some fixed arguments.
    pub fn new(description: &'d Description, bases: &[(RelationId, usize)], slices: Vec<Slice>) -> Usage<'d> {
        let occurrences = description.rules.iter().map(count_variables).collect();
        let mut readers = vec![Vec::new(); description.relations.len()];
        for (index, rule) in description.rules.iter().enumerate() {
            for atom in rule.body.iter().filter_map(Literal::atom) {
                let of: &mut Vec<u32> = &mut readers[atom.relation.index()];
                if of.last() != Some(&(index as u32)) {
                    of.push(index as u32);
                }
            }
        }
        let mut usage =
            Usage { description, slices, occurrences, readers, derived_from: FxHashMap::default() };
        for &(relation, successor) in bases {
            for argument in 0..2 {
                usage.derived_from.entry((relation, argument)).or_default().insert(successor, 0);
            }
        }
        usage.propagate();
        usage
    }

    /// Propagates distances from bodies to heads up to a fixed point. It terminates because distances only
    /// shrink.
    fn propagate(&mut self) {
        loop {
            let mut changed = false;
            for (index, rule) in self.description.rules.iter().enumerate() {
                if !self.is_view(rule.head.relation) {
                    continue;
                }
                for (argument, term) in rule.head.arguments.iter().enumerate() {
                    let uses = self.uses_in_body(index, term);
                    for (successor, ChainUse { distance, .. }) in uses {
                        let known = self
                            .derived_from
                            .entry((rule.head.relation, argument))
                            .or_default()
                            .entry(successor);
                        let best = known.or_insert(u32::MAX);
                        if *best > distance + 1 {
                            *best = distance + 1;
                            changed = true;
                        }
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn is_view(&self, relation: RelationId) -> bool {
        let kind = self.description.relations[relation.index()].kind;
        matches!(kind, RelationKind::View | RelationKind::Auxiliary)
    }

    /// The chains through which the body of a rule compares a variable: it occurs as an argument derived
    /// from a successor relation, in an atom with another term that is not an unrestricted variable.
    fn uses_in_body(&self, rule: usize, term: &Term) -> ChainUses {
        let mut uses = ChainUses::new();
        let Term::Variable(variable) = term else { return uses };
        for atom in self.description.rules[rule].body.iter().filter_map(Literal::atom) {
            let meant = atom.arguments.iter().any(|other| match other {
                Term::Variable(v) => v != variable && self.occurrences[rule][v.index()] > 1,
                Term::Ground(_) | Term::Compound(..) => true,
            });
            for slice in self.slices.iter().filter(|slice| meant && slice.matches(atom, term)) {
                let entry = uses.entry(slice.chain).or_insert(ChainUse { distance: 0, places: 0 });
                entry.distance = 0;
                entry.places += 1;
            }
            for (argument, _) in
                atom.arguments.iter().enumerate().filter(|&(_, other)| meant && other == term)
            {
                let Some(made) = self.derived_from.get(&(atom.relation, argument)) else { continue };
                for (&successor, &distance) in made {
                    let entry = uses.entry(successor).or_insert(ChainUse { distance, places: 0 });
                    entry.distance = entry.distance.min(distance);
                    entry.places += 1;
                }
            }
        }
        uses
    }

    /// The least distance of a successor relation from the arguments of a relation, if they are derived
    /// from it.
    pub fn distance(&self, relation: RelationId, successor: usize) -> Option<u32> {
        let arity = self.description.relations[relation.index()].arity;
        let made =
            (0..arity).filter_map(|argument| self.derived_from.get(&(relation, argument))?.get(&successor));
        made.min().copied()
    }

    /// Whether a rule computes the next value of a fluent's argument from the current one through static
    /// relations, as for amounts.
    pub fn is_computed(&self, name: Symbol, arity: usize, argument: usize) -> bool {
        let description = self.description;
        let Some(next) = description.relation(RelationKind::Next, name, arity) else { return false };
        let Some(fluent) = description.relation(RelationKind::True, name, arity) else { return false };
        description.rules_of[next.index()].iter().any(|&rule| {
            let rule = &description.rules[rule as usize];
            let new = &rule.head.arguments[argument];
            let atoms = || rule.body.iter().filter_map(Literal::atom);
            let present =
                atoms().filter(|atom| atom.relation == fluent).map(|atom| &atom.arguments[argument]);
            let mut others = present.filter(|old| *old != new && matches!(old, Term::Variable(_)));
            let is_static =
                |atom: &&Atom| description.relations[atom.relation.index()].dependence == Dependence::Static;
            let tables: Vec<&Atom> = atoms().filter(is_static).collect();
            matches!(new, Term::Variable(_)) && others.any(|old| connected(old, new, &tables))
        })
    }

    /// Whether a rule sets the argument of a fluent to a variable of a `does` literal.
    pub fn is_chosen(&self, name: Symbol, arity: usize, argument: usize) -> bool {
        let description = self.description;
        let Some(next) = description.relation(RelationKind::Next, name, arity) else { return false };
        description.rules_of[next.index()].iter().any(|&rule| {
            let rule = &description.rules[rule as usize];
            let term = &rule.head.arguments[argument];
            let is_does =
                |atom: &&Atom| description.relations[atom.relation.index()].kind == RelationKind::Does;
            matches!(term, Term::Variable(_))
                && rule.body.iter().any(|literal| match literal {
                    Literal::Positive(atom) => is_does(&atom) && atom.arguments[1..].contains(term),
                    _ => false,
                })
        })
    }

    /// The successor relations through which an argument of a fluent is compared. If there are none, those
    /// of the arguments of other fluents from which it takes its values (such as a mark with the number of
    /// the step).
    pub fn chains_of(&self, name: Symbol, arity: usize, argument: usize) -> ChainUses {
        let mut uses = self.direct_chains_of(name, arity, argument);
        if !uses.is_empty() {
            return uses;
        }
        let next = self.description.relation(RelationKind::Next, name, arity);
        let rules = next.map_or(&[][..], |next| &self.description.rules_of[next.index()]);
        for rule in rules.iter().map(|&rule| &self.description.rules[rule as usize]) {
            let value = &rule.head.arguments[argument];
            for atom in
                rule.body.iter().filter_map(Literal::atom).filter(|_| matches!(value, Term::Variable(_)))
            {
                let relation = &self.description.relations[atom.relation.index()];
                if relation.kind != RelationKind::True || (relation.name, relation.arity) == (name, arity) {
                    continue;
                }
                for (position, _) in atom.arguments.iter().enumerate().filter(|&(_, term)| term == value) {
                    let found = self.direct_chains_of(relation.name, relation.arity, position);
                    for (successor, used) in found {
                        let entry = uses.entry(successor).or_insert(used);
                        entry.distance = entry.distance.min(used.distance);
                        entry.places += used.places;
                    }
                }
            }
        }
        uses
    }

    fn direct_chains_of(&self, name: Symbol, arity: usize, argument: usize) -> ChainUses {
        let mut uses = ChainUses::new();
        let mut add = |chain_uses: ChainUses, distance: u32| {
            for (successor, used) in chain_uses {
                let entry = uses.entry(successor).or_insert(ChainUse { distance: u32::MAX, places: 0 });
                entry.distance = entry.distance.min(used.distance + distance);
                entry.places += used.places;
            }
        };
        if let Some(next) = self.description.relation(RelationKind::Next, name, arity) {
            for &rule in &self.description.rules_of[next.index()] {
                let head = &self.description.rules[rule as usize].head;
                add(self.uses_in_body(rule as usize, &head.arguments[argument]), 0);
            }
        }
        let Some(fluent) = self.description.relation(RelationKind::True, name, arity) else { return uses };
        // The fluent's argument, and the arguments of views that pass its value on.
        let mut reached = vec![(fluent, argument, 0)];
        let mut next = 0;
        while let Some(&(relation, argument, distance)) = reached.get(next) {
            next += 1;
            for &rule in &self.readers[relation.index()] {
                let body = self.description.rules[rule as usize].body.iter().filter_map(Literal::atom);
                let mut terms: Vec<&Term> = Vec::new();
                for atom in body.filter(|atom| atom.relation == relation) {
                    if !terms.contains(&&atom.arguments[argument]) {
                        terms.push(&atom.arguments[argument]);
                    }
                }
                let head = &self.description.rules[rule as usize].head;
                for term in terms.into_iter().filter(|term| matches!(term, Term::Variable(_))) {
                    add(self.uses_in_body(rule as usize, term), distance);
                    if !self.is_view(head.relation) {
                        continue;
                    }
                    for (position, _) in head.arguments.iter().enumerate().filter(|&(_, other)| other == term)
                    {
                        if !reached.iter().any(|&(r, a, _)| (r, a) == (head.relation, position)) {
                            reached.push((head.relation, position, distance + 1));
                        }
                    }
                }
            }
        }
        uses
    }
}

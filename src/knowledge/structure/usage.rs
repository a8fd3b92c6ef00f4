//! Where the rules compare values through a successor relation: which relation orders an argument.
//!
//! An argument of a relation is *made of* a successor relation when rules that define it put its value beside
//! another value of a chain: `(<= (next_cell ?x ?y) (index ?x) (succ ?x ?y))` makes both arguments of
//! `next_cell` of `succ`. An argument of a fluent is *compared* through a successor relation when a rule that
//! reads or sets the fluent puts its value into an argument made of that relation, directly or through views
//! that hand the value on. Values only listed (`(<= (index ?x) (succ ?x ?any))`) are not compared. Nothing here
//! looks at names or at the order of rules.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::gdl::Description;
use crate::gdl::rule::{Atom, Dependence, Literal, RelationId, RelationKind, Rule};
use crate::gdl::symbol::Symbol;
use crate::gdl::term::{Term, TermId};

use super::argument::ArgumentPosition;
use super::finding::{ChainShape, OtherChain};
use super::vocabulary::ChainPattern;

/// How a successor relation is used with an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Number of views between the argument and the relation, at least.
    pub distance: u32,
    /// Number of places in the rules where they meet at any distance.
    pub places: u32,
}

/// Chains, by their position among those found.
pub type Uses = BTreeMap<usize, Use>;

/// A chain by a relation some of whose arguments are fixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    relation: RelationId,
    fixed: Vec<(ArgumentPosition, TermId)>,
    pair: [ArgumentPosition; 2],
    /// Whether the fixed arguments may be variables as well: a cycle gives neighbours whatever the step is.
    any: bool,
    /// Its position among the chains found.
    chain: usize,
}

impl Slice {
    /// The slice of a finding, whose position among the chains found is given.
    pub fn new(found: &OtherChain, chain: usize) -> Slice {
        let any = found.shape == ChainShape::Cycle;
        let ChainPattern { fixed, pair } = found.pattern.clone();
        Slice { relation: found.relation, fixed, pair, any, chain }
    }

    /// Whether an atom asks this slice about a term.
    fn asks(&self, atom: &Atom, term: &Term) -> bool {
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

/// Which chains the arguments of relations are made of and compared through.
#[derive(Debug)]
pub struct Usage<'d> {
    description: &'d Description,
    slices: Vec<Slice>,
    /// For each rule how often each variable stands in it.
    occurrences: Vec<Vec<u32>>,
    /// For each relation the rules that have it in their body.
    readers: Vec<Vec<u32>>,
    /// For each argument of a view the distance to each successor relation it is made of.
    made_of: FxHashMap<(RelationId, usize), BTreeMap<usize, u32>>,
}

/// Whether one term leads to another through atoms that share terms with variables.
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
    /// Reads the rules. `bases` are the relations of chains, each with its position among those found, and
    /// the order relations, each with the position of the chain it is the closure of; `slices` are chains by
    /// relations some of whose arguments are fixed.
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
        let mut usage = Usage { description, slices, occurrences, readers, made_of: FxHashMap::default() };
        for &(relation, successor) in bases {
            for argument in 0..2 {
                usage.made_of.entry((relation, argument)).or_default().insert(successor, 0);
            }
        }
        usage.propagate();
        usage
    }

    /// Hands what arguments are made of from bodies to heads until nothing changes. Distances only shrink, so
    /// it ends.
    fn propagate(&mut self) {
        loop {
            let mut changed = false;
            for (index, rule) in self.description.rules.iter().enumerate() {
                if !self.is_view(rule.head.relation) {
                    continue;
                }
                for (argument, term) in rule.head.arguments.iter().enumerate() {
                    let found = self.beside(index, term);
                    for (successor, Use { distance, .. }) in found {
                        let known =
                            self.made_of.entry((rule.head.relation, argument)).or_default().entry(successor);
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

    /// What a variable is compared through by the body of a rule: arguments made of a successor relation that
    /// it stands in, in atoms where something else stands beside it that is not just any value.
    fn beside(&self, rule: usize, term: &Term) -> Uses {
        let mut uses = Uses::new();
        let Term::Variable(variable) = term else { return uses };
        for atom in self.description.rules[rule].body.iter().filter_map(Literal::atom) {
            let meant = atom.arguments.iter().any(|other| match other {
                Term::Variable(v) => v != variable && self.occurrences[rule][v.index()] > 1,
                Term::Ground(_) | Term::Compound(..) => true,
            });
            for slice in self.slices.iter().filter(|slice| meant && slice.asks(atom, term)) {
                let entry = uses.entry(slice.chain).or_insert(Use { distance: 0, places: 0 });
                entry.distance = 0;
                entry.places += 1;
            }
            for (argument, _) in
                atom.arguments.iter().enumerate().filter(|&(_, other)| meant && other == term)
            {
                let Some(made) = self.made_of.get(&(atom.relation, argument)) else { continue };
                for (&successor, &distance) in made {
                    let entry = uses.entry(successor).or_insert(Use { distance, places: 0 });
                    entry.distance = entry.distance.min(distance);
                    entry.places += 1;
                }
            }
        }
        uses
    }

    /// How near a successor relation stands in the rules of a relation, if it is made of it.
    pub fn distance(&self, relation: RelationId, successor: usize) -> Option<u32> {
        let arity = self.description.relations[relation.index()].arity;
        let made = (0..arity).filter_map(|argument| self.made_of.get(&(relation, argument))?.get(&successor));
        made.min().copied()
    }

    /// Whether a rule computes the next value of a fluent's argument from its present one through static
    /// relations, as amounts change.
    pub fn computed(&self, name: Symbol, arity: usize, argument: usize) -> bool {
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

    /// Whether a rule sets a fluent where a move says: a variable of a `does` stands at the argument.
    pub fn chosen(&self, name: Symbol, arity: usize, argument: usize) -> bool {
        let description = self.description;
        let Some(next) = description.relation(RelationKind::Next, name, arity) else { return false };
        description.rules_of[next.index()].iter().any(|&rule| {
            let rule = &description.rules[rule as usize];
            let place = &rule.head.arguments[argument];
            let is_does =
                |atom: &&Atom| description.relations[atom.relation.index()].kind == RelationKind::Does;
            matches!(place, Term::Variable(_))
                && rule.body.iter().any(|literal| match literal {
                    Literal::Positive(atom) => is_does(&atom) && atom.arguments[1..].contains(place),
                    _ => false,
                })
        })
    }

    /// The successor relations that an argument of a fluent is compared through; where there are none, those of
    /// the arguments of other fluents that it takes its values from (a mark with the number of the step).
    pub fn compared(&self, name: Symbol, arity: usize, argument: usize) -> Uses {
        let mut uses = self.compared_directly(name, arity, argument);
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
                    let found = self.compared_directly(relation.name, relation.arity, position);
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

    fn compared_directly(&self, name: Symbol, arity: usize, argument: usize) -> Uses {
        let mut uses = Uses::new();
        let mut add = |found: Uses, distance: u32| {
            for (successor, used) in found {
                let entry = uses.entry(successor).or_insert(Use { distance: u32::MAX, places: 0 });
                entry.distance = entry.distance.min(used.distance + distance);
                entry.places += used.places;
            }
        };
        if let Some(next) = self.description.relation(RelationKind::Next, name, arity) {
            for &rule in &self.description.rules_of[next.index()] {
                let head = &self.description.rules[rule as usize].head;
                add(self.beside(rule as usize, &head.arguments[argument]), 0);
            }
        }
        let Some(fluent) = self.description.relation(RelationKind::True, name, arity) else { return uses };
        // The fluent's argument, and the arguments of views that its value is handed on to.
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
                    add(self.beside(rule as usize, term), distance);
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

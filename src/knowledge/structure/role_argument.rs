//! Arguments of fluents that name roles.
//!
//! A term may have the name of a role by accident: a heap, a colour or a file of the board. An argument
//! names roles if the rules join it with a position of roles. These are the first argument of `does`,
//! `legal` and `goal`, and the argument of `role`. A position joins another one if both have the same
//! variable or role name in a rule, directly or through other arguments.

use rustc_hash::FxHashSet;

use crate::gdl::Description;
use crate::gdl::rule::{Literal, RelationId, RelationKind, Rule};
use crate::gdl::symbol::Symbol;
use crate::gdl::term::{Term, TermId, Variable};

use super::fluent_relations::FluentRelation;

/// A position of terms in the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum TermPosition {
    /// An argument of a relation. The relations of a fluent share positions, as do `does` and `legal` of a
    /// move.
    Argument(RelationId, usize),
    /// An argument of a function, anywhere in the rules.
    Inner(Symbol, usize, usize),
}

/// A variable or role name that joins positions in a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum JoinKey {
    Variable(Variable),
    Role(TermId),
}

/// The positions of role names.
#[derive(Debug)]
pub(super) struct RolePositions<'d> {
    description: &'d Description,
    found: FxHashSet<TermPosition>,
}

impl<'d> RolePositions<'d> {
    /// Computes the fixed point over the rules.
    pub(super) fn new(description: &'d Description) -> RolePositions<'d> {
        let mut places = RolePositions { description, found: FxHashSet::default() };
        let of_roles = |kind| {
            use RelationKind::{Does, Goal, Legal, Role};
            matches!(kind, Does | Goal | Legal | Role)
        };
        for (relation, declared) in description.relation_ids() {
            if of_roles(declared.kind) && declared.arity > 0 {
                places.found.insert(TermPosition::Argument(representative(description, relation), 0));
            }
        }
        let rules: Vec<Vec<(TermPosition, JoinKey)>> =
            description.rules.iter().map(|rule| places.occurrences(rule)).collect();
        loop {
            let before = places.found.len();
            for occurrences in &rules {
                let joined: Vec<JoinKey> = (occurrences.iter())
                    .filter(|(position, _)| places.found.contains(position))
                    .map(|&(_, name)| name)
                    .collect();
                let more = occurrences.iter().filter(|(_, name)| joined.contains(name));
                places.found.extend(more.map(|&(position, _)| position));
            }
            if places.found.len() == before {
                return places;
            }
        }
    }

    /// Whether an argument (from 0) of a fluent names roles.
    pub(super) fn has(&self, fluent: FluentRelation, argument: usize) -> bool {
        let relation = first_of(self.description, &FLUENT, fluent.name, fluent.arity);
        relation.is_some_and(|relation| self.found.contains(&TermPosition::Argument(relation, argument)))
    }

    /// The variables and role names in a rule, with their positions.
    fn occurrences(&self, rule: &Rule) -> Vec<(TermPosition, JoinKey)> {
        let mut found = Vec::new();
        let atoms = rule.body.iter().filter_map(Literal::atom);
        for atom in std::iter::once(&rule.head).chain(atoms) {
            let relation = representative(self.description, atom.relation);
            for (argument, term) in atom.arguments.iter().enumerate() {
                self.read(TermPosition::Argument(relation, argument), term, &mut found);
            }
        }
        found
    }

    fn read(&self, position: TermPosition, term: &Term, found: &mut Vec<(TermPosition, JoinKey)>) {
        let mut open = vec![(position, term)];
        while let Some((position, term)) = open.pop() {
            match term {
                Term::Variable(variable) => found.push((position, JoinKey::Variable(*variable))),
                Term::Ground(ground) if self.description.roles.contains(ground) => {
                    found.push((position, JoinKey::Role(*ground)));
                }
                Term::Ground(ground) => self.read_ground(*ground, found),
                Term::Compound(functor, arguments) => {
                    let arity = arguments.len();
                    let inner = |(index, argument)| (TermPosition::Inner(*functor, arity, index), argument);
                    open.extend(arguments.iter().enumerate().map(inner));
                }
            }
        }
    }

    /// The role names in a ground term.
    fn read_ground(&self, term: TermId, found: &mut Vec<(TermPosition, JoinKey)>) {
        let terms = &self.description.terms;
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            let (functor, arguments) = (terms.functor(term), terms.arguments(term));
            for (index, &argument) in arguments.iter().enumerate() {
                match self.description.roles.contains(&argument) {
                    true => {
                        let position = TermPosition::Inner(functor, arguments.len(), index);
                        found.push((position, JoinKey::Role(argument)));
                    }
                    false => open.push(argument),
                }
            }
        }
    }
}

const FLUENT: [RelationKind; 3] = [RelationKind::True, RelationKind::Next, RelationKind::Init];
const MOVE: [RelationKind; 2] = [RelationKind::Does, RelationKind::Legal];

/// The relation that represents all relations of a fluent or move.
fn representative(description: &Description, relation: RelationId) -> RelationId {
    let declared = &description.relations[relation.index()];
    let kinds: &[RelationKind] = match declared.kind {
        kind if FLUENT.contains(&kind) => &FLUENT,
        kind if MOVE.contains(&kind) => &MOVE,
        _ => &[],
    };
    first_of(description, kinds, declared.name, declared.arity).unwrap_or(relation)
}

fn first_of(
    description: &Description,
    kinds: &[RelationKind],
    name: Symbol,
    arity: usize,
) -> Option<RelationId> {
    kinds.iter().find_map(|&kind| description.relation(kind, name, arity))
}

//! Rules for `sees` that ask for `next`: a player sees something of the state after the move. In the rules of a
//! [`Description`] no body has `next`: such a literal asks for a relation of its own, with the same rules.

use rustc_hash::FxHashMap;

use super::Description;
use super::dependency;
use super::initial::unused_name;
use super::rule::{Atom, Literal, RelationId, RelationKind, Rule};

/// Rewrites the rules that ask for `next`; the checks allow that in rules for `sees` only.
pub(super) fn without_next(mut description: Description) -> Description {
    let asks = |description: &Description, literal: &Literal| {
        literal
            .atom()
            .is_some_and(|atom| description.relations[atom.relation.index()].kind == RelationKind::Next)
    };
    if !description.rules.iter().any(|rule| rule.body.iter().any(|literal| asks(&description, literal))) {
        return description;
    }
    let mut copies: FxHashMap<RelationId, RelationId> = FxHashMap::default();
    let mut rules = std::mem::take(&mut description.rules);
    let originals = rules.clone();
    let mut added: Vec<Rule> = Vec::new();
    for rule in &mut rules {
        for literal in &mut rule.body {
            if !asks(&description, literal) {
                continue;
            }
            let (Literal::Positive(atom) | Literal::Negative(atom)) = literal else { continue };
            let next = atom.relation;
            atom.relation = *copies.entry(next).or_insert_with(|| {
                let (name, arity) = {
                    let original = &description.relations[next.index()];
                    (original.name, original.arity)
                };
                let name = unused_name(&mut description, name, "next");
                let copy = description.add_relation(RelationKind::View, name, arity);
                let of_next = originals.iter().filter(|rule| rule.head.relation == next);
                added.extend(of_next.map(|rule| Rule {
                    head: Atom { relation: copy, arguments: rule.head.arguments.clone() },
                    ..rule.clone()
                }));
                copy
            });
        }
    }
    description.rules_of = vec![Vec::new(); description.relations.len()];
    for rule in rules.into_iter().chain(added) {
        description.add_rule(rule);
    }
    dependency::fill(&mut description);
    description
}

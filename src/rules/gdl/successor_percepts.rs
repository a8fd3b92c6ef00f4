//! Rules for `sees` that use `next`: the player sees a part of the state after the move. Rules of a [`Description`] have no
//! `next` in bodies, so such a literal uses a copy of the relation with the same rules.

use rustc_hash::FxHashMap;

use super::Description;
use super::dependency;
use super::initial::unused_name;
use super::rule::{Atom, Literal, RelationId, RelationKind, Rule};

/// Rewrites the rules that use `next`. The checks allow it only in rules for `sees`.
pub(super) fn without_next(mut description: Description) -> Description {
    let is_next = |description: &Description, literal: &Literal| {
        literal
            .atom()
            .is_some_and(|atom| description.relations[atom.relation.index()].kind == RelationKind::Next)
    };
    if !description.rules.iter().any(|rule| rule.body.iter().any(|literal| is_next(&description, literal))) {
        return description;
    }
    let mut copies: FxHashMap<RelationId, RelationId> = FxHashMap::default();
    let mut rules = std::mem::take(&mut description.rules);
    let originals = rules.clone();
    let mut added: Vec<Rule> = Vec::new();
    for rule in &mut rules {
        for literal in &mut rule.body {
            if !is_next(&description, literal) {
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

//! Rewrites rules for `init` that depend on the state, so that `init` is static in a [`Description`]. Before the
//! initial state no fluent is true and no move is made, so literals with `true` and `does` are evaluated here and
//! removed. `tests/play/altered_rules.rs` plays such games on all machines.

use rustc_hash::FxHashMap;

use super::Description;
use super::dependency;
use super::rule::{Atom, Dependence, Literal, RelationId, RelationKind, Rule};
use super::symbol::Symbol;

/// Rewrites the rules for `init` that depend on the state or on moves. The relations that they use get copies with rewritten
/// rules.
pub(super) fn without_state(mut description: Description) -> Description {
    let depends_on_state = |description: &Description, rule: &Rule| {
        let relation = |id: RelationId| &description.relations[id.index()];
        relation(rule.head.relation).kind == RelationKind::Init
            && rule.body.iter().filter_map(Literal::atom).any(|atom| varies(description, atom.relation))
    };
    if !description.rules.iter().any(|rule| depends_on_state(&description, rule)) {
        return description;
    }
    let mut rules = Vec::with_capacity(description.rules.len());
    let mut copies = Copies::default();
    for rule in std::mem::take(&mut description.rules) {
        if depends_on_state(&description, &rule) {
            rules.extend(copies.at_start(&rule, rule.head.relation, &mut description));
        } else {
            rules.push(rule);
        }
    }
    while let Some((relation, copy)) = copies.waiting.pop() {
        // No rule uses `init`, so the rules of all other relations are still the original ones.
        let of_relation: Vec<Rule> =
            rules.iter().filter(|rule| rule.head.relation == relation).cloned().collect();
        for rule in of_relation {
            rules.extend(copies.at_start(&rule, copy, &mut description));
        }
    }
    description.rules_of = vec![Vec::new(); description.relations.len()];
    for rule in rules {
        description.add_rule(rule);
    }
    dependency::fill(&mut description);
    description
}

fn varies(description: &Description, relation: RelationId) -> bool {
    description.relations[relation.index()].dependence != Dependence::Static
}

/// Copies of relations, restricted to the facts that hold if no fluent is true and no move is made.
#[derive(Default)]
struct Copies {
    /// The copy of each copied relation.
    copy_of: FxHashMap<RelationId, RelationId>,
    /// Relations whose copies have no rules yet, each with its copy.
    waiting: Vec<(RelationId, RelationId)>,
}

impl Copies {
    /// The rule of a copy: `rule` with the new head, without its literals on `true` and `does`. `None` if such a
    /// literal is false.
    fn at_start(&mut self, rule: &Rule, head: RelationId, description: &mut Description) -> Option<Rule> {
        let mut body = Vec::with_capacity(rule.body.len());
        for literal in &rule.body {
            let Some(atom) = literal.atom().filter(|atom| varies(description, atom.relation)) else {
                body.push(literal.clone());
                continue;
            };
            let kind = description.relations[atom.relation.index()].kind;
            match (literal, kind) {
                (Literal::Positive(_), RelationKind::True | RelationKind::Does) => return None,
                (_, RelationKind::True | RelationKind::Does) => {}
                (Literal::Positive(_), _) => body.push(Literal::Positive(self.copied(atom, description))),
                _ => body.push(Literal::Negative(self.copied(atom, description))),
            }
        }
        let head = Atom { relation: head, arguments: rule.head.arguments.clone() };
        Some(Rule { head, body, ..rule.clone() })
    }

    fn copied(&mut self, atom: &Atom, description: &mut Description) -> Atom {
        let relation = *self.copy_of.entry(atom.relation).or_insert_with(|| {
            let (name, arity) = {
                let original = &description.relations[atom.relation.index()];
                (original.name, original.arity)
            };
            let name = unused_name(description, name, "initially");
            let copy = description.add_relation(RelationKind::View, name, arity);
            self.waiting.push((atom.relation, copy));
            copy
        });
        Atom { relation, arguments: atom.arguments.clone() }
    }
}

/// A new symbol of the form `name_ending`, `name_ending_2` and so on.
pub(super) fn unused_name(description: &mut Description, name: Symbol, ending: &str) -> Symbol {
    let base = format!("{}_{ending}", description.symbols.name(name));
    let numbered = (2..).map(|number| format!("{base}_{number}"));
    let names = std::iter::once(base.clone()).chain(numbered);
    let name = names.into_iter().find(|name| description.symbols.find(name).is_none());
    description.symbols.intern(&name.expect("there are more numbers than names"))
}

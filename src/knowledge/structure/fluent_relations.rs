//! Fluent relations: fluents with the same functor and number of arguments.

use rustc_hash::FxHashMap;

use crate::gdl::Description;
use crate::gdl::domain::{Domain, Domains};
use crate::gdl::rule::RelationKind;
use crate::gdl::symbol::{Symbol, Symbols};

/// A fluent relation: all fluents with one functor and number of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FluentRelation {
    /// The functor.
    pub name: Symbol,
    /// Number of arguments.
    pub arity: usize,
}

impl FluentRelation {
    /// `name/arity`.
    pub fn signature(self, symbols: &Symbols) -> String {
        format!("{}/{}", symbols.name(self.name), self.arity)
    }

    /// The terms that can occur at each argument, by the dependency graph of the rules.
    pub fn domains(self, description: &Description, domains: &Domains) -> Vec<Domain> {
        let kinds = [RelationKind::True, RelationKind::Next, RelationKind::Init];
        let found = kinds.into_iter().find_map(|kind| description.relation(kind, self.name, self.arity));
        let Some(relation) = found else { return vec![Domain::default(); self.arity] };
        (0..self.arity).map(|argument| domains.argument(relation, argument).clone()).collect()
    }
}

/// The fluent relations of a description, in the order of their first occurrence in the rules.
#[derive(Clone, Debug)]
pub struct FluentRelations {
    /// The relations.
    pub list: Vec<FluentRelation>,
    by_signature: FxHashMap<(Symbol, usize), usize>,
}

impl FluentRelations {
    /// The fluent relations of a description.
    pub fn new(description: &Description) -> FluentRelations {
        let mut relations = FluentRelations { list: Vec::new(), by_signature: FxHashMap::default() };
        for (_, relation) in description.relation_ids() {
            if matches!(relation.kind, RelationKind::Init | RelationKind::True | RelationKind::Next) {
                let FluentRelation { name, arity } =
                    FluentRelation { name: relation.name, arity: relation.arity };
                relations.by_signature.entry((name, arity)).or_insert_with(|| {
                    relations.list.push(FluentRelation { name, arity });
                    relations.list.len() - 1
                });
            }
        }
        relations
    }

    /// The position of a relation in the list.
    pub fn position(&self, name: Symbol, arity: usize) -> Option<usize> {
        self.by_signature.get(&(name, arity)).copied()
    }
}

//! The fluents of a game as relations: all fluents with one functor and one number of arguments together.

use rustc_hash::FxHashMap;

use crate::gdl::Description;
use crate::gdl::rule::RelationKind;
use crate::gdl::symbol::Symbol;

/// A fluent relation: all fluents with one functor and one number of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FluentRelation {
    /// The functor.
    pub name: Symbol,
    /// Number of arguments.
    pub arity: usize,
}

/// The fluent relations of a description, in the order in which its rules name them.
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

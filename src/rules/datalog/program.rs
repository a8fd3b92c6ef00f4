//! Programs: clauses over numbered relations.

use crate::gdl::rule::{Atom, Literal, RelationId};

/// A rule. Every variable of the head, of negative literals and of `distinct` occurs in a positive literal of the body, so
/// the order of literals has no meaning.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The head.
    pub head: Atom,
    /// The body.
    pub body: Vec<Literal>,
    /// Number of variables; their ids begin at 0.
    pub variables: usize,
}

impl Clause {
    /// The positive and negative atoms of the body, in order.
    pub fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.body.iter().filter_map(Literal::atom)
    }
}

/// Relations and clauses.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Number of arguments of every relation.
    pub arities: Vec<usize>,
    /// The clauses.
    pub clauses: Vec<Clause>,
}

impl Program {
    /// A program without clauses over relations with these numbers of arguments.
    pub fn over(arities: Vec<usize>) -> Program {
        Program { arities, clauses: Vec::new() }
    }

    /// Adds a relation.
    pub fn add_relation(&mut self, arity: usize) -> RelationId {
        self.arities.push(arity);
        RelationId(self.arities.len() as u32 - 1)
    }

    /// All relations, in order.
    pub fn relations(&self) -> impl Iterator<Item = RelationId> + use<> {
        (0..self.arities.len() as u32).map(RelationId)
    }

    /// For each relation, whether a root depends on it, directly or indirectly. A root depends on itself.
    pub fn needed(&self, roots: impl IntoIterator<Item = RelationId>) -> Vec<bool> {
        let mut clauses_of = vec![Vec::new(); self.arities.len()];
        for (number, clause) in self.clauses.iter().enumerate() {
            clauses_of[clause.head.relation.index()].push(number);
        }
        let mut needed = vec![false; self.arities.len()];
        let mut stack: Vec<RelationId> = roots.into_iter().collect();
        while let Some(relation) = stack.pop() {
            if std::mem::replace(&mut needed[relation.index()], true) {
                continue;
            }
            for &clause in &clauses_of[relation.index()] {
                stack.extend(self.clauses[clause].atoms().map(|atom| atom.relation));
            }
        }
        needed
    }
}

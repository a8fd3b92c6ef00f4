//! A game as a Datalog program, and what its relations say of states and moves.

use crate::datalog::{Added, Demand, Part, Program, Rewritten, on_demand};
use crate::gdl::rule::{Dependence, Literal, Relation, RelationId, RelationKind};
use crate::gdl::symbol::Symbol;

/// The relations of all fluents with one outermost symbol and number of arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FluentFamily {
    /// The outermost symbol.
    pub(crate) functor: Symbol,
    /// Number of arguments of the fluent.
    pub(crate) arity: usize,
    /// Its `init`, if a rule has it in its head.
    pub(crate) init: Option<RelationId>,
    /// Its `true`.
    pub(crate) holds: RelationId,
    /// Its `next`, if a rule has it in its head.
    pub(crate) next: Option<RelationId>,
    /// Whether it never changes; then `holds` is static and has the facts of `init`.
    pub(crate) frozen: bool,
}

/// The relations of all moves with one outermost symbol and number of arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoveFamily {
    /// The outermost symbol.
    pub(crate) functor: Symbol,
    /// Number of arguments of the move, the role not counted.
    pub(crate) arity: usize,
    /// Its `legal`.
    pub(crate) legal: RelationId,
    /// Its `does`.
    pub(crate) does: RelationId,
}

/// A game as a Datalog program. The first relations are those of the description, with the same numbers.
#[derive(Clone, Debug)]
pub(crate) struct GameProgram {
    /// The clauses.
    pub(crate) rules: Program,
    /// What each relation stands for.
    pub(crate) relations: Vec<Relation>,
    /// Whether a relation's rows are no atoms though what is asked for depends on play: calls of relations that are
    /// derived on demand, and answers of static ones, which hold in every state.
    pub(crate) demanded: Vec<bool>,
    /// The fluents, by outermost symbol and number of arguments.
    pub(crate) fluents: Vec<FluentFamily>,
    /// The moves, by outermost symbol and number of arguments.
    pub(crate) moves: Vec<MoveFamily>,
}

impl GameProgram {
    /// A new relation.
    pub(super) fn add(&mut self, relation: Relation) -> RelationId {
        let id = self.rules.add_relation(relation.arity);
        self.relations.push(relation);
        id
    }

    /// The same game with these relations, and those defined through them (of those that play changes only where
    /// `changing` says so), derived only where they are asked for; nothing where that can't be.
    pub(super) fn on_demand(&self, large: &[RelationId], changing: bool) -> Option<GameProgram> {
        let read = |relation: RelationId| {
            let kind = self.relations[relation.index()].kind;
            !matches!(kind, RelationKind::View | RelationKind::Auxiliary)
        };
        let demand = Demand {
            follows: &|relation| !read(relation) && (changing || self.is_static(relation)),
            read: &read,
            // What the state decides never waits for moves.
            layer: &|relation| self.dependence(relation),
        };
        let Rewritten { program: rules, added } = on_demand(&self.rules, large, &demand)?;
        let mut negated = vec![false; rules.arities.len()];
        for literal in rules.clauses.iter().flat_map(|clause| &clause.body) {
            if let Literal::Negative(atom) = literal {
                negated[atom.relation.index()] = true;
            }
        }
        let (mut relations, mut demanded) = (self.relations.clone(), self.demanded.clone());
        for (Added { of, part, layer: dependence }, &arity) in
            added.into_iter().zip(&rules.arities[self.relations.len()..])
        {
            let name = self.relations[of.index()].name;
            demanded.push(match part {
                Part::Calls => true,
                Part::Answers => self.is_static(of) && !negated[relations.len()],
            });
            relations.push(Relation { kind: RelationKind::Auxiliary, name, arity, dependence, stratum: 0 });
        }
        Some(GameProgram {
            rules,
            relations,
            demanded,
            fluents: self.fluents.clone(),
            moves: self.moves.clone(),
        })
    }

    /// The same game with the relations that play changes and that have more rows than so many derived on demand; nothing
    /// where that can't be, or there are none.
    pub(crate) fn without_large(&self, rows: &[u32], most: u32) -> Option<GameProgram> {
        let is_large = |relation: &RelationId| {
            let kind = self.relations[relation.index()].kind;
            matches!(kind, RelationKind::View | RelationKind::Auxiliary)
                && !self.is_static(*relation)
                && !self.demanded[relation.index()]
                && rows[relation.index()] > most
        };
        let large: Vec<RelationId> = self.rules.relations().filter(is_large).collect();
        self.on_demand(&large, true)
    }

    /// What a relation depends on.
    pub(crate) fn dependence(&self, relation: RelationId) -> Dependence {
        self.relations[relation.index()].dependence
    }

    /// Whether a relation's rows are atoms of instances, true in some states and not in others.
    pub(crate) fn has_atoms(&self, relation: RelationId) -> bool {
        !self.is_static(relation) && !self.demanded[relation.index()]
    }

    /// Whether a relation's facts are the same in every state.
    pub(crate) fn is_static(&self, relation: RelationId) -> bool {
        self.dependence(relation) == Dependence::Static
    }
}

//! A game as a Datalog program, with the role of its relations in states and moves.
//!
//! [`LargeRelations`] decides for grounding and for the relational machine which relations are derived on demand.
//! [`GameProgram::rule_of`] maps clauses to rules.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::datalog::{Added, Demand, Growth, Part, Program, Rewritten, on_demand};
use crate::gdl::rule::{Dependence, Literal, Relation, RelationId, RelationKind};
use crate::gdl::symbol::{Symbol, Symbols};
use crate::gdl::term::Term;

/// A fluent family: the relations of all fluents with one outermost symbol and number of arguments.
#[derive(Clone, Copy, Debug)]
pub struct FluentFamily {
    /// The outermost symbol.
    pub functor: Symbol,
    /// Number of arguments of the fluent.
    pub arity: usize,
    /// Its `init` relation, if a rule has it as its head.
    pub init: Option<RelationId>,
    /// Its `true` relation.
    pub holds: RelationId,
    /// Its `next` relation, if a rule has it as its head.
    pub next: Option<RelationId>,
    /// Whether it never changes. Then `holds` is static and has the facts of `init`.
    pub frozen: bool,
}

/// A move family: the relations of all moves with one outermost symbol and number of arguments.
#[derive(Clone, Copy, Debug)]
pub struct MoveFamily {
    /// The outermost symbol.
    pub functor: Symbol,
    /// Number of arguments of the move, without the role.
    pub arity: usize,
    /// Its `legal` relation.
    pub legal: RelationId,
    /// Its `does` relation.
    pub does: RelationId,
}

/// A game as a Datalog program. Its first relations are those of the description, with the same ids.
#[derive(Clone, Debug)]
pub struct GameProgram {
    /// The clauses.
    pub rules: Program,
    /// For each clause the rule of the description that it was made from; `None` for split-off parts of rules.
    pub rule_of: Vec<Option<u32>>,
    /// The role of each relation in the game.
    pub relations: Vec<Relation>,
    /// For each relation whether its rows are not atoms although calls depend on play: calls of relations derived on demand,
    /// and the answers of static ones.
    pub demanded: Vec<bool>,
    /// For each relation added for derivation on demand, which arguments its calls bind.
    pub bound: Vec<Vec<bool>>,
    /// The fluent families.
    pub fluents: Vec<FluentFamily>,
    /// The move families.
    pub moves: Vec<MoveFamily>,
}

impl GameProgram {
    /// Adds a relation.
    pub(super) fn add(&mut self, relation: Relation) -> RelationId {
        let id = self.rules.add_relation(relation.arity);
        self.relations.push(relation);
        id
    }

    /// Rewrites the game so that these relations are derived on demand, with those defined through them. Relations that
    /// depend on the state or on moves are rewritten only if `changing`. `None` if nothing can be rewritten.
    pub(super) fn on_demand(&self, large: &[RelationId], changing: bool) -> Option<GameProgram> {
        let read = |relation: RelationId| {
            let kind = self.relations[relation.index()].kind;
            !matches!(kind, RelationKind::View | RelationKind::Auxiliary)
        };
        let demand = Demand {
            propagates: &|relation| !read(relation) && (changing || self.is_static(relation)),
            read: &read,
            // Relations of the state do not depend on moves.
            layer: &|relation| self.dependence(relation),
        };
        let Rewritten { program: rules, origins, added, bound } = on_demand(&self.rules, large, &demand)?;
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
        let rule_of = origins.into_iter().map(|origin| self.rule_of[origin?]).collect();
        Some(GameProgram {
            rules,
            rule_of,
            relations,
            demanded,
            bound: self.bound.iter().cloned().chain(bound).collect(),
            fluents: self.fluents.clone(),
            moves: self.moves.clone(),
        })
    }

    /// The largest of some relations, for an error message.
    pub fn growth(
        &self,
        of: impl Iterator<Item = RelationId>,
        rows: impl Fn(RelationId) -> u64,
        symbols: &Symbols,
    ) -> Option<Growth> {
        let largest = of.max_by_key(|&relation| (rows(relation), Reverse(relation)))?;
        let Relation { name, arity, .. } = self.relations[largest.index()];
        let first = self.relations.len() - self.bound.len();
        let added = largest.index().checked_sub(first).map(|index| &self.bound[index]);
        // A call binds all of its arguments.
        let bound = |argument: usize| added.is_some_and(|bound| bound.len() != arity || bound[argument]);
        let free = (0..arity).filter(|&argument| !bound(argument) && !self.is_constant(largest, argument));
        Some(Growth {
            relation: format!("{}/{arity}", symbols.name(name)),
            rows: rows(largest),
            free: free.map(|argument| argument + 1).collect(),
        })
    }

    /// Whether all rules for a relation have the same constant in this argument.
    fn is_constant(&self, relation: RelationId, argument: usize) -> bool {
        let heads = self.rules.clauses.iter().map(|clause| &clause.head);
        let mut there = heads.filter(|head| head.relation == relation).map(|head| &head.arguments[argument]);
        let first = there.next();
        matches!(first, Some(Term::Ground(_))) && there.all(|term| Some(term) == first)
    }

    /// The dependence of a relation.
    pub fn dependence(&self, relation: RelationId) -> Dependence {
        self.relations[relation.index()].dependence
    }

    /// Whether the rows of a relation are atoms whose truth depends on the state.
    pub fn has_atoms(&self, relation: RelationId) -> bool {
        !self.is_static(relation) && !self.demanded[relation.index()]
    }

    /// Whether a relation has the same facts in every state.
    pub fn is_static(&self, relation: RelationId) -> bool {
        self.dependence(relation) == Dependence::Static
    }
}

/// Finds the relations that are to be derived on demand, by the number of rows they reach in a derivation.
pub struct LargeRelations<'a> {
    program: &'a GameProgram,
    /// Maximum number of rows of a relation that is not large.
    most: u32,
    found: BTreeSet<RelationId>,
}

impl<'a> LargeRelations<'a> {
    /// No large relations so far, and the number of rows beyond which a relation is large.
    pub fn new(program: &'a GameProgram, most: u32) -> LargeRelations<'a> {
        LargeRelations { program, most, found: BTreeSet::new() }
    }

    /// Rewrites the game so that all large relations are derived on demand: those found earlier, and those that are large by
    /// these numbers of rows. The rows may be those of a program that this function returned. `None` if there are no new
    /// large relations, or they can't be rewritten.
    pub fn avoided(&mut self, rows: &[u32]) -> Option<GameProgram> {
        let program = self.program;
        let is_large = |relation: &RelationId| {
            let kind = program.relations[relation.index()].kind;
            matches!(kind, RelationKind::View | RelationKind::Auxiliary)
                && !program.is_static(*relation)
                && !program.demanded[relation.index()]
                && rows[relation.index()] > self.most
        };
        let before = self.found.len();
        self.found.extend(program.rules.relations().filter(is_large));
        let large: Vec<RelationId> = self.found.iter().copied().collect();
        if large.len() > before { program.on_demand(&large, true) } else { None }
    }
}

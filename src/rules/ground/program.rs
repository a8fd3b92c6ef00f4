//! A game as a Datalog program, and what its relations say of states and moves.
//!
//! [`LargeRelations`] decides which relations are derived on demand; grounding and the relational machine use
//! it. [`GameProgram::rule_of`] gives the rule that a clause was made from.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::datalog::{Added, Demand, Growth, Part, Program, Rewritten, on_demand};
use crate::gdl::rule::{Dependence, Literal, Relation, RelationId, RelationKind};
use crate::gdl::symbol::{Symbol, Symbols};
use crate::gdl::term::Term;

/// The relations of all fluents with one outermost symbol and number of arguments.
#[derive(Clone, Copy, Debug)]
pub struct FluentFamily {
    /// The outermost symbol.
    pub functor: Symbol,
    /// Number of arguments of the fluent.
    pub arity: usize,
    /// Its `init`, if a rule has it in its head.
    pub init: Option<RelationId>,
    /// Its `true`.
    pub holds: RelationId,
    /// Its `next`, if a rule has it in its head.
    pub next: Option<RelationId>,
    /// Whether it never changes; then `holds` is static and has the facts of `init`.
    pub frozen: bool,
}

/// The relations of all moves with one outermost symbol and number of arguments.
#[derive(Clone, Copy, Debug)]
pub struct MoveFamily {
    /// The outermost symbol.
    pub functor: Symbol,
    /// Number of arguments of the move, the role not counted.
    pub arity: usize,
    /// Its `legal`.
    pub legal: RelationId,
    /// Its `does`.
    pub does: RelationId,
}

/// A game as a Datalog program. The first relations are those of the description, with the same numbers.
#[derive(Clone, Debug)]
pub struct GameProgram {
    /// The clauses.
    pub rules: Program,
    /// For each clause the rule of the description that it is, if it is one: parts of rules that are split off are none.
    pub rule_of: Vec<Option<u32>>,
    /// What each relation stands for.
    pub relations: Vec<Relation>,
    /// Whether a relation's rows are no atoms though what is asked for depends on play: calls of relations that are
    /// derived on demand, and answers of static ones, which hold in every state.
    pub demanded: Vec<bool>,
    /// Of the relations that were added last, to derive others on demand, which arguments calls bind.
    pub bound: Vec<Vec<bool>>,
    /// The fluents, by outermost symbol and number of arguments.
    pub fluents: Vec<FluentFamily>,
    /// The moves, by outermost symbol and number of arguments.
    pub moves: Vec<MoveFamily>,
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

    /// The largest of some relations, as an error names it.
    pub fn growth(
        &self,
        of: impl Iterator<Item = RelationId>,
        rows: impl Fn(RelationId) -> u64,
        symbols: &Symbols,
    ) -> Option<Growth> {
        let largest = of.max_by_key(|&relation| (rows(relation), Reverse(relation)))?;
        let Relation { name, arity, .. } = self.relations[largest.index()];
        let first = self.relations.len() - self.bound.len();
        let added = largest.index().checked_sub(first).map(|place| &self.bound[place]);
        // All arguments of a call are bound, by who asks.
        let bound = |argument: usize| added.is_some_and(|bound| bound.len() != arity || bound[argument]);
        let free = (0..arity).filter(|&argument| !bound(argument) && !self.is_constant(largest, argument));
        Some(Growth {
            relation: format!("{}/{arity}", symbols.name(name)),
            rows: rows(largest),
            free: free.map(|argument| argument + 1).collect(),
        })
    }

    /// Whether all rules for a relation have the same constant in this place.
    fn is_constant(&self, relation: RelationId, argument: usize) -> bool {
        let heads = self.rules.clauses.iter().map(|clause| &clause.head);
        let mut there = heads.filter(|head| head.relation == relation).map(|head| &head.arguments[argument]);
        let first = there.next();
        matches!(first, Some(Term::Ground(_))) && there.all(|term| Some(term) == first)
    }

    /// What a relation depends on.
    pub fn dependence(&self, relation: RelationId) -> Dependence {
        self.relations[relation.index()].dependence
    }

    /// Whether a relation's rows are atoms of instances, true in some states and not in others.
    pub fn has_atoms(&self, relation: RelationId) -> bool {
        !self.is_static(relation) && !self.demanded[relation.index()]
    }

    /// Whether a relation's facts are the same in every state.
    pub fn is_static(&self, relation: RelationId) -> bool {
        self.dependence(relation) == Dependence::Static
    }
}

/// Which relations of a game that play changes are to be derived on demand: found by deriving, and looking at what grows.
pub struct LargeRelations<'a> {
    program: &'a GameProgram,
    /// Rows that a relation may have.
    most: u32,
    found: BTreeSet<RelationId>,
}

impl<'a> LargeRelations<'a> {
    /// None yet; a relation is large that has more rows than so many.
    pub fn new(program: &'a GameProgram, most: u32) -> LargeRelations<'a> {
        LargeRelations { program, most, found: BTreeSet::new() }
    }

    /// The same game with the large relations derived on demand, those found before and those that are large by these
    /// numbers of rows; nothing where no relation has become large, or that can't be. The rows may be those of a program
    /// that this gave before.
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

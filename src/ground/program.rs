//! The rules of a description as a Datalog program, with sub-joins split off into auxiliary relations, and what its
//! relations say of states and moves.

use super::frozen::{dependences, frozen};
use crate::datalog::{Added, Clause, Demand, Program, Rewritten, on_demand};
use crate::gdl::Description;
use crate::gdl::rule::{Atom, Dependence, Literal, Relation, RelationId, RelationKind};
use crate::gdl::symbol::Symbol;
use crate::gdl::term::{Term, Variable};

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
    /// Whether a relation is derived only where it is asked for; then its rows hold in every state, though
    /// which rows are asked for depends on play.
    pub(crate) demanded: Vec<bool>,
    /// The fluents, by outermost symbol and number of arguments.
    pub(crate) fluents: Vec<FluentFamily>,
    /// The moves, by outermost symbol and number of arguments.
    pub(crate) moves: Vec<MoveFamily>,
}

impl GameProgram {
    /// The rules of a description, each with its sub-joins split off.
    pub(crate) fn new(description: &Description) -> GameProgram {
        let mut program = GameProgram {
            rules: Program::over(description.relations.iter().map(|relation| relation.arity).collect()),
            relations: description.relations.clone(),
            demanded: Vec::new(),
            fluents: Vec::new(),
            moves: Vec::new(),
        };
        program.gather_families(description);
        program.freeze(description);
        let mut splitter = super::project::Splitter::default();
        for rule in &description.rules {
            let head = rule.head.relation;
            if program.fluents.iter().any(|family| family.frozen && family.next == Some(head)) {
                continue;
            }
            let clause =
                Clause { head: rule.head.clone(), body: rule.body.clone(), variables: rule.variables.len() };
            splitter.split(clause, &mut program);
        }
        program.demanded = vec![false; program.relations.len()];
        program
    }

    /// Finds the relations of each kind of fluent and move, and adds a `true` or `does` that no rule mentions.
    fn gather_families(&mut self, description: &Description) {
        for (id, relation) in description.relation_ids() {
            let Relation { name: functor, arity, .. } = *relation;
            let find = |kind| description.relation(kind, functor, arity);
            match relation.kind {
                RelationKind::Init | RelationKind::True | RelationKind::Next => {
                    if self.fluents.iter().any(|family| (family.functor, family.arity) == (functor, arity)) {
                        continue;
                    }
                    let holds = find(RelationKind::True).unwrap_or_else(|| {
                        let (kind, dependence) = (RelationKind::True, Dependence::State);
                        self.add(Relation { kind, name: functor, arity, dependence, stratum: 0 })
                    });
                    let (init, next) = (find(RelationKind::Init), find(RelationKind::Next));
                    self.fluents.push(FluentFamily { functor, arity, init, holds, next, frozen: false });
                }
                RelationKind::Legal => {
                    let does = find(RelationKind::Does).unwrap_or_else(|| {
                        let (kind, dependence) = (RelationKind::Does, Dependence::Moves);
                        self.add(Relation { kind, name: functor, arity, dependence, stratum: 0 })
                    });
                    self.moves.push(MoveFamily { functor, arity: arity - 1, legal: id, does });
                }
                _ => {}
            }
        }
    }

    /// Makes frozen fluents static.
    fn freeze(&mut self, description: &Description) {
        let frozen = frozen(self, description);
        let dependences = dependences(self, description, &frozen);
        for (relation, dependence) in self.relations.iter_mut().zip(dependences) {
            relation.dependence = dependence;
        }
        for (family, frozen) in self.fluents.iter_mut().zip(frozen) {
            family.frozen = frozen;
            if let (true, Some(init)) = (frozen, family.init) {
                let terms: Box<[Term]> =
                    (0..family.arity as u32).map(|i| Term::Variable(Variable(i))).collect();
                let body = vec![Literal::Positive(Atom { relation: init, arguments: terms.clone() })];
                let head = Atom { relation: family.holds, arguments: terms };
                self.rules.clauses.push(Clause { head, body, variables: family.arity });
            }
        }
    }

    /// A new relation.
    pub(super) fn add(&mut self, relation: Relation) -> RelationId {
        let id = self.rules.add_relation(relation.arity);
        self.relations.push(relation);
        id
    }

    /// The same game with these static relations, and the static ones defined through them, derived only where they
    /// are asked for; nothing where that can't be.
    pub(super) fn on_demand(&self, large: &[RelationId]) -> Option<GameProgram> {
        let demand = Demand {
            follows: &|relation| self.is_static(relation),
            read: &|relation| {
                let kind = self.relations[relation.index()].kind;
                !matches!(kind, RelationKind::View | RelationKind::Auxiliary)
            },
            // What the state decides never waits for moves.
            layer: &|relation| self.dependence(relation),
        };
        let Rewritten { program: rules, added } = on_demand(&self.rules, large, &demand)?;
        let (mut relations, mut demanded) = (self.relations.clone(), self.demanded.clone());
        for (Added { of, layer: dependence }, &arity) in
            added.into_iter().zip(&rules.arities[relations.len()..])
        {
            let name = self.relations[of.index()].name;
            relations.push(Relation { kind: RelationKind::Auxiliary, name, arity, dependence, stratum: 0 });
            demanded.push(true);
        }
        Some(GameProgram {
            rules,
            relations,
            demanded,
            fluents: self.fluents.clone(),
            moves: self.moves.clone(),
        })
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

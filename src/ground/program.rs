//! Rules as the join engine takes them: those of the description, with sub-joins split off into auxiliary
//! relations.

use super::frozen::{dependences, frozen};
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

/// A rule of the program.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    /// The head.
    pub(crate) head: Atom,
    /// The body.
    pub(crate) body: Vec<Literal>,
    /// Number of variables; they are numbered from 0.
    pub(crate) variables: usize,
}

/// Relations and clauses. The first relations are those of the description, with the same numbers.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The relations.
    pub(crate) relations: Vec<Relation>,
    /// The clauses.
    pub(crate) clauses: Vec<Clause>,
    /// Whether a relation is derived only where it is asked for; then its rows hold in every state, though
    /// which rows are asked for depends on play.
    pub(crate) demanded: Vec<bool>,
    /// The fluents, by outermost symbol and number of arguments.
    pub(crate) fluents: Vec<FluentFamily>,
    /// The moves, by outermost symbol and number of arguments.
    pub(crate) moves: Vec<MoveFamily>,
}

impl Program {
    /// The rules of a description, each with its sub-joins split off.
    pub(crate) fn new(description: &Description) -> Program {
        let mut program = Program {
            relations: description.relations.clone(),
            clauses: Vec::with_capacity(description.rules.len()),
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
                    let holds = find(RelationKind::True)
                        .unwrap_or_else(|| self.add(RelationKind::True, functor, arity, Dependence::State));
                    let (init, next) = (find(RelationKind::Init), find(RelationKind::Next));
                    self.fluents.push(FluentFamily { functor, arity, init, holds, next, frozen: false });
                }
                RelationKind::Legal => {
                    let does = find(RelationKind::Does)
                        .unwrap_or_else(|| self.add(RelationKind::Does, functor, arity, Dependence::Moves));
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
                self.clauses.push(Clause { head, body, variables: family.arity });
            }
        }
    }

    fn add(&mut self, kind: RelationKind, name: Symbol, arity: usize, dependence: Dependence) -> RelationId {
        self.relations.push(Relation { kind, name, arity, dependence, stratum: 0 });
        RelationId(self.relations.len() as u32 - 1)
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

/// The atom of a literal, unless it is a `distinct`.
pub(crate) fn atom_of(literal: &Literal) -> Option<&Atom> {
    match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
        Literal::Distinct(..) => None,
    }
}

/// Calls `visit` for every variable of a literal, with repetitions.
pub(crate) fn literal_variables(literal: &Literal, visit: &mut impl FnMut(usize)) {
    let mut each = |variable: crate::gdl::term::Variable| visit(variable.index());
    match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => atom.for_each_variable(&mut each),
        Literal::Distinct(a, b) => {
            a.for_each_variable(&mut each);
            b.for_each_variable(&mut each);
        }
    }
}

//! Normalised rules: conjunctions of literals over numbered relations and variables.

use super::source::Span;
use super::symbol::Symbol;
use super::term::{Term, Variable};

/// The index of a relation in [`Description::relations`](super::Description::relations).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationId(pub u32);

impl RelationId {
    /// The index as `usize`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kind of a relation. `true`, `next` and `init` are split by the outermost symbol of the fluent, `does` and `legal` by
/// that of the move. `(true (cell ?x ?y b))` is the relation `True` of `cell` with three arguments. `(legal ?r (mark ?x
/// ?y))` is the relation `Legal` of `mark` with three arguments; the role is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RelationKind {
    /// `role`. Argument: the role.
    Role,
    /// `init` of a fluent. Arguments: those of the fluent.
    Init,
    /// `true` of a fluent. Arguments: those of the fluent.
    True,
    /// `next` of a fluent. Arguments: those of the fluent.
    Next,
    /// `does` of a move. Arguments: the role, then those of the move.
    Does,
    /// `legal` of a move. Arguments: the role, then those of the move.
    Legal,
    /// `goal`. Arguments: role and value.
    Goal,
    /// `terminal`. No arguments.
    Terminal,
    /// Any other relation of the text.
    View,
    /// A relation added by normalisation, for an existential negation or a factored disjunction.
    Auxiliary,
}

/// The inputs on which the truth of a relation's atoms depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dependence {
    /// Only on the rules.
    Static,
    /// On the state.
    State,
    /// On the state and the moves.
    Moves,
}

/// A relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// Its kind.
    pub kind: RelationKind,
    /// Its name; for `init`, `true`, `next`, `does` and `legal` the outermost symbol of the fluent or move.
    pub name: Symbol,
    /// Number of arguments, including the role of `does` and `legal`.
    pub arity: usize,
    /// The inputs on which its atoms depend, directly or through other relations.
    pub dependence: Dependence,
    /// Stratum of negation: the relation uses the negation of relations of lower strata only.
    pub stratum: u32,
}

/// A relation applied to terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    /// The relation.
    pub relation: RelationId,
    /// One term for each argument.
    pub arguments: Box<[Term]>,
}

/// A literal of a rule's body.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// The atom holds.
    Positive(Atom),
    /// The atom does not hold. Every variable in it occurs in a positive literal of the rule.
    Negative(Atom),
    /// The two terms differ. Every variable in them occurs in a positive literal of the rule.
    Distinct(Term, Term),
}

impl Literal {
    /// The atom, unless it is a `distinct`.
    pub fn atom(&self) -> Option<&Atom> {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
            Literal::Distinct(..) => None,
        }
    }

    /// Calls `visit` for every variable in the literal, with repetitions.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(Variable)) {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => atom.for_each_variable(visit),
            Literal::Distinct(a, b) => {
                a.for_each_variable(visit);
                b.for_each_variable(visit);
            }
        }
    }

    /// Renumbers the variables of the literal by `new`.
    pub fn renamed(&self, new: &mut impl FnMut(usize) -> usize) -> Literal {
        fn term(t: &Term, new: &mut impl FnMut(usize) -> usize) -> Term {
            match t {
                Term::Variable(variable) => Term::Variable(Variable(new(variable.index()) as u32)),
                Term::Ground(id) => Term::Ground(*id),
                Term::Compound(functor, arguments) => {
                    Term::Compound(*functor, arguments.iter().map(|argument| term(argument, new)).collect())
                }
            }
        }
        let mut atom = |a: &Atom| Atom {
            relation: a.relation,
            arguments: a.arguments.iter().map(|argument| term(argument, new)).collect(),
        };
        match self {
            Literal::Positive(a) => Literal::Positive(atom(a)),
            Literal::Negative(a) => Literal::Negative(atom(a)),
            Literal::Distinct(a, b) => {
                let left = term(a, new);
                Literal::Distinct(left, term(b, new))
            }
        }
    }
}

/// A rule, or a fact if the body is empty. Every variable of the head, of negative literals and of `distinct` occurs in a
/// positive literal of the body, so the order of literals has no meaning.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The head.
    pub head: Atom,
    /// The body: a conjunction, in the order of the text.
    pub body: Vec<Literal>,
    /// Names of the rule's variables, without `?`.
    pub variables: Vec<Symbol>,
    /// The place of the original rule in the text.
    pub span: Span,
    /// The index of the original rule in the text, counted from 0. The parts of a disjunction share it.
    pub origin: u32,
}

impl Atom {
    /// Calls `visit` for every variable in the atom, with repetitions.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(Variable)) {
        self.arguments.iter().for_each(|term| term.for_each_variable(visit));
    }
}

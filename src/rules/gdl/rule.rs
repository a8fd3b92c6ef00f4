//! Normalised rules: conjunctions of literals over numbered relations and variables.

use super::source::Span;
use super::symbol::Symbol;
use super::term::{Term, Variable};

/// A relation of a description, by its number in [`Description::relations`](super::Description::relations).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationId(pub u32);

impl RelationId {
    /// Position in the table of relations.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a relation stands for. `true`, `next` and `init` are split by the fluent's outermost symbol,
/// `does` and `legal` by the move's: `(true (cell ?x ?y b))` is the relation `True` of `cell` with three
/// arguments, `(legal ?r (mark ?x ?y))` the relation `Legal` of `mark` with three arguments, the role first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RelationKind {
    /// `role`: one argument.
    Role,
    /// `init` of a fluent: the fluent's arguments.
    Init,
    /// `true` of a fluent: the fluent's arguments.
    True,
    /// `next` of a fluent: the fluent's arguments.
    Next,
    /// `does` of a move: the role, then the move's arguments.
    Does,
    /// `legal` of a move: the role, then the move's arguments.
    Legal,
    /// `goal`: role and value.
    Goal,
    /// `terminal`: no arguments.
    Terminal,
    /// A relation of the description's own.
    View,
    /// A relation made by normalisation (an existential negation, a factored disjunction).
    Auxiliary,
}

/// What the truth of a relation's atoms can depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dependence {
    /// The description alone.
    Static,
    /// The state.
    State,
    /// The state and the moves.
    Moves,
}

/// A relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// What it stands for.
    pub kind: RelationKind,
    /// The relation's own name; for `init true next does legal` the outermost symbol of the fluent or move.
    pub name: Symbol,
    /// Number of arguments, the role of `does` and `legal` included.
    pub arity: usize,
    /// What its atoms depend on, through all rules.
    pub dependence: Dependence,
    /// Stratum of negation: a relation is defined through negation by relations of lower strata only.
    pub stratum: u32,
}

/// A relation applied to terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    /// The relation.
    pub relation: RelationId,
    /// One term an argument.
    pub arguments: Box<[Term]>,
}

/// A literal of a rule's body.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// The atom holds.
    Positive(Atom),
    /// The atom does not hold. Every variable in it stands in a positive literal of the rule.
    Negative(Atom),
    /// The two terms differ. Every variable in them stands in a positive literal of the rule.
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

    /// The literal with other variables: `new` gives the number of each from its number.
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

/// A rule, or a fact when the body is empty. Every variable of head, negative literals and `distinct` stands
/// in a positive literal of the body, so the order of literals carries no meaning.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The head.
    pub head: Atom,
    /// The body: a conjunction, in the order of the text.
    pub body: Vec<Literal>,
    /// Names of the rule's variables, without `?`.
    pub variables: Vec<Symbol>,
    /// Where the rule it comes from stands in the text.
    pub span: Span,
    /// Which rule of the text, counted from 0, it comes from: the parts of a disjunction share this number.
    pub origin: u32,
}

impl Atom {
    /// Calls `visit` for every variable in the atom, with repetitions.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(Variable)) {
        self.arguments.iter().for_each(|term| term.for_each_variable(visit));
    }
}

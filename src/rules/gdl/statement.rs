//! Facts and rules as parsed, with the spans of their parts.

use rustc_hash::FxHashSet;

use super::keyword::Keyword;
use super::source::Span;
use super::symbol::{Symbol, Symbols};

/// A term.
#[derive(Clone, Debug)]
pub(crate) enum Expression {
    /// A variable, by its index in [`Statement::variables`].
    Variable(u32, Span),
    /// A constant or a function with its arguments.
    Application(Symbol, Vec<Expression>, Span),
}

/// A relation applied to terms.
#[derive(Clone, Debug)]
pub(crate) struct Sentence {
    /// The name of the relation.
    pub(crate) name: Symbol,
    /// The keyword with this name, if there is one.
    pub(crate) keyword: Option<Keyword>,
    pub(crate) arguments: Vec<Expression>,
    /// Its place in the text.
    pub(crate) span: Span,
}

/// A formula of a body.
#[derive(Clone, Debug)]
pub(crate) enum Formula {
    Atom(Sentence),
    Distinct(Expression, Expression),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
}

/// A fact or rule.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) head: Sentence,
    pub(crate) body: Vec<Formula>,
    /// Names of its variables in [`Text::variables`].
    pub(crate) variables: Vec<Symbol>,
    pub(crate) span: Span,
}

/// All statements of a text.
#[derive(Debug, Default)]
pub(crate) struct Text {
    pub(crate) statements: Vec<Statement>,
    /// Faulty declarations that no rule uses; see `declaration.rs`.
    pub(crate) left_out: Vec<Statement>,
    /// The names in facts and rules that were not read because of a fault.
    pub(crate) unread: FxHashSet<Symbol>,
    pub(crate) symbols: Symbols,
    pub(crate) variables: Symbols,
}

impl Expression {
    pub(crate) fn span(&self) -> Span {
        match self {
            Expression::Variable(_, span) | Expression::Application(_, _, span) => *span,
        }
    }

    /// Calls `visit` for every variable in it, from left to right, with repetitions.
    pub(crate) fn for_each_variable(&self, visit: &mut impl FnMut(u32, Span)) {
        match self {
            Expression::Variable(variable, span) => visit(*variable, *span),
            Expression::Application(_, arguments, _) => {
                arguments.iter().for_each(|argument| argument.for_each_variable(visit));
            }
        }
    }
}

impl Sentence {
    /// Calls `visit` for every variable in it, from left to right, with repetitions.
    pub(crate) fn for_each_variable(&self, visit: &mut impl FnMut(u32, Span)) {
        self.arguments.iter().for_each(|argument| argument.for_each_variable(visit));
    }
}

impl Formula {
    /// Calls `visit` for every sentence in it, with whether it is under an odd number of negations.
    pub(crate) fn for_each_sentence<'a>(&'a self, negated: bool, visit: &mut impl FnMut(&'a Sentence, bool)) {
        match self {
            Formula::Atom(sentence) => visit(sentence, negated),
            Formula::Distinct(..) => {}
            Formula::Not(inner) => inner.for_each_sentence(!negated, visit),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| part.for_each_sentence(negated, visit));
            }
        }
    }

    /// Calls `visit` for every variable in it, from left to right, with repetitions.
    pub(crate) fn for_each_variable(&self, visit: &mut impl FnMut(u32, Span)) {
        match self {
            Formula::Atom(sentence) => sentence.for_each_variable(visit),
            Formula::Distinct(a, b) => {
                a.for_each_variable(visit);
                b.for_each_variable(visit);
            }
            Formula::Not(inner) => inner.for_each_variable(visit),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| part.for_each_variable(visit));
            }
        }
    }
}

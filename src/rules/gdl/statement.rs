//! Facts and rules as the text has them: sentences, formulas and terms with their spans.

use super::keyword::Keyword;
use super::source::Span;
use super::symbol::{Symbol, Symbols};

/// A term as written.
#[derive(Clone, Debug)]
pub(crate) enum Expression {
    /// A variable, by its position among the statement's variables.
    Variable(u32, Span),
    /// A constant or a function with its arguments.
    Application(Symbol, Vec<Expression>, Span),
}

/// A relation applied to terms, as written.
#[derive(Clone, Debug)]
pub(crate) struct Sentence {
    /// The relation's name.
    pub(crate) name: Symbol,
    /// The reserved word it is, if it is one.
    pub(crate) keyword: Option<Keyword>,
    pub(crate) arguments: Vec<Expression>,
    /// Where it stands.
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

/// A fact or rule of the text.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) head: Sentence,
    pub(crate) body: Vec<Formula>,
    /// Names of its variables, by their numbers in [`Text::variables`].
    pub(crate) variables: Vec<Symbol>,
    pub(crate) span: Span,
}

/// A whole text.
#[derive(Debug, Default)]
pub(crate) struct Text {
    pub(crate) statements: Vec<Statement>,
    /// Declarations with errors that no rule uses.
    pub(crate) left_out: Vec<Statement>,
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
    /// Calls `visit` for every relation in it with whether it stands under an odd number of negations.
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

//! Rules whose body is a conjunction, and substitution in them.

use rustc_hash::FxHashSet;

use crate::gdl::source::Span;
use crate::gdl::statement::{Expression, Sentence};
use crate::gdl::symbol::Symbol;

/// A rule whose body is a conjunction.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) head: Sentence,
    pub(super) body: Vec<Literal>,
    /// Names of its variables in [`Text::variables`](crate::gdl::statement::Text::variables), with repetitions.
    pub(super) variables: Vec<Symbol>,
    pub(super) span: Span,
    pub(super) origin: u32,
}

/// A literal of a clause.
#[derive(Clone, Debug)]
pub(super) enum Literal {
    Positive(Sentence),
    Negative(Sentence),
    Distinct(Expression, Expression),
}

impl Clause {
    /// Substitutes a term for a variable everywhere.
    pub(super) fn substitute(&mut self, variable: u32, term: &Expression) {
        let each = |sentence: &mut Sentence| {
            sentence.arguments.iter_mut().for_each(|argument| substitute(argument, variable, term));
        };
        each(&mut self.head);
        for literal in &mut self.body {
            match literal {
                Literal::Positive(sentence) | Literal::Negative(sentence) => each(sentence),
                Literal::Distinct(a, b) => {
                    substitute(a, variable, term);
                    substitute(b, variable, term);
                }
            }
        }
    }

    /// The first constant with a name in the positive literals.
    pub(super) fn constant(&self, name: Symbol) -> Option<Span> {
        fn find(term: &Expression, name: Symbol) -> Option<Span> {
            match term {
                Expression::Variable(..) => None,
                Expression::Application(constant, arguments, span) if arguments.is_empty() => {
                    (*constant == name).then_some(*span)
                }
                Expression::Application(_, arguments, _) => {
                    arguments.iter().find_map(|term| find(term, name))
                }
            }
        }
        self.body.iter().find_map(|literal| match literal {
            Literal::Positive(sentence) => sentence.arguments.iter().find_map(|term| find(term, name)),
            Literal::Negative(_) | Literal::Distinct(..) => None,
        })
    }

    /// The variables that positive literals bind.
    pub(super) fn positive_variables(&self) -> FxHashSet<u32> {
        let mut bound = FxHashSet::default();
        for literal in &self.body {
            if let Literal::Positive(sentence) = literal {
                sentence.for_each_variable(&mut |variable, _| {
                    bound.insert(variable);
                });
            }
        }
        bound
    }
}

/// Substitutes a term for a variable in a term.
pub(super) fn substitute(expression: &mut Expression, variable: u32, term: &Expression) {
    match expression {
        Expression::Variable(found, _) if *found == variable => *expression = term.clone(),
        Expression::Variable(..) => {}
        Expression::Application(_, arguments, _) => {
            arguments.iter_mut().for_each(|argument| substitute(argument, variable, term));
        }
    }
}

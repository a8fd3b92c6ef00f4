//! Solves the equations that `not distinct` leaves, by unification.

use super::clause::{Clause, Literal, substitute};
use crate::gdl::statement::{Expression, Sentence};

/// Maximum size of a term in an equation. Chained equations can double a term each time.
const MAX_PARTS: usize = 4096;

/// The result of applying equations to a clause.
pub(super) enum Equated {
    /// The clause with its variables unified.
    Clause(Clause),
    /// The equations have no solution: the clause never applies.
    Never,
    /// The terms are too large.
    TooLarge,
}

/// Solves equations between terms by unification.
pub(super) fn equate(mut clause: Clause, mut equations: Vec<(Expression, Expression)>) -> Equated {
    while let Some((a, b)) = equations.pop() {
        match (a, b) {
            (Expression::Variable(x, _), Expression::Variable(y, _)) if x == y => {}
            (Expression::Variable(x, _), term) | (term, Expression::Variable(x, _)) => {
                let mut occurs = false;
                term.for_each_variable(&mut |variable, _| occurs |= variable == x);
                if occurs {
                    return Equated::Never;
                }
                clause.substitute(x, &term);
                for (left, right) in &mut equations {
                    substitute(left, x, &term);
                    substitute(right, x, &term);
                }
                if parts(&term) > 1 && equations.iter().any(|(l, r)| parts(l) + parts(r) > MAX_PARTS)
                    || largest(&clause) > MAX_PARTS
                {
                    return Equated::TooLarge;
                }
            }
            (Expression::Application(f, left, _), Expression::Application(g, right, _)) => {
                if f != g || left.len() != right.len() {
                    return Equated::Never;
                }
                equations.extend(left.into_iter().zip(right));
            }
        }
    }
    Equated::Clause(clause)
}

fn parts(expression: &Expression) -> usize {
    match expression {
        Expression::Variable(..) => 1,
        Expression::Application(_, arguments, _) => 1 + arguments.iter().map(parts).sum::<usize>(),
    }
}

fn largest(clause: &Clause) -> usize {
    let sentence = |sentence: &Sentence| sentence.arguments.iter().map(parts).sum::<usize>();
    let body = clause.body.iter().map(|literal| match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => sentence(atom),
        Literal::Distinct(a, b) => parts(a) + parts(b),
    });
    body.chain([sentence(&clause.head)]).max().unwrap_or(0)
}

/// Whether two terms are different, equal, or either depending on the values of their variables.
pub(super) enum Comparison {
    Different,
    Equal,
    Open,
}

pub(super) fn compare(a: &Expression, b: &Expression) -> Comparison {
    match (a, b) {
        (Expression::Variable(x, _), Expression::Variable(y, _)) if x == y => Comparison::Equal,
        (Expression::Variable(..), _) | (_, Expression::Variable(..)) => Comparison::Open,
        (Expression::Application(f, left, _), Expression::Application(g, right, _)) => {
            if f != g || left.len() != right.len() {
                return Comparison::Different;
            }
            let mut all = Comparison::Equal;
            for (x, y) in left.iter().zip(right) {
                match compare(x, y) {
                    Comparison::Different => return Comparison::Different,
                    Comparison::Open => all = Comparison::Open,
                    Comparison::Equal => {}
                }
            }
            all
        }
    }
}

//! Converts bodies to conjunctions: pushes `not` inwards and multiplies disjunctions out, keeping the order of literals.
//! Past [`MAX_UNFOLDING`] a disjunction becomes an auxiliary relation.

use std::cmp::Reverse;

use super::clause::{Clause, Literal};
use super::unify::{Equated, equate};
use super::{Context, MAX_LITERALS, MAX_UNFOLDING};
use crate::gdl::source::Span;
use crate::gdl::statement::{Expression, Formula, Sentence};
use crate::gdl::symbol::Symbol;

/// A rule whose body is a formula.
pub(super) struct Pending {
    pub(super) head: Sentence,
    pub(super) body: Vec<Normal>,
    pub(super) variables: Vec<Symbol>,
    pub(super) span: Span,
    pub(super) origin: u32,
}

/// A formula in negation normal form.
#[derive(Clone, Debug)]
pub(super) enum Normal {
    Literal(Literal),
    /// The two terms are equal: a negated `distinct`.
    Equal(Expression, Expression),
    All(Vec<Normal>),
    Any(Vec<Normal>),
}

/// Converts a formula to negation normal form.
pub(super) fn normal(formula: &Formula, negated: bool) -> Normal {
    match formula {
        Formula::Atom(sentence) if negated => Normal::Literal(Literal::Negative(sentence.clone())),
        Formula::Atom(sentence) => Normal::Literal(Literal::Positive(sentence.clone())),
        Formula::Distinct(a, b) if negated => Normal::Equal(a.clone(), b.clone()),
        Formula::Distinct(a, b) => Normal::Literal(Literal::Distinct(a.clone(), b.clone())),
        Formula::Not(inner) => normal(inner, !negated),
        Formula::And(parts) | Formula::Or(parts) => {
            let all = matches!(formula, Formula::And(_)) != negated;
            let parts = parts.iter().map(|part| normal(part, negated)).collect();
            if all { Normal::All(parts) } else { Normal::Any(parts) }
        }
    }
}

/// A partial conjunction: literals and equations.
#[derive(Clone, Default)]
struct Conjunction {
    body: Vec<Literal>,
    equal: Vec<(Expression, Expression)>,
}

/// The conjunctions of a rule, or `None` if they exceed the limits and can't be factored. Rules for factored disjunctions go
/// to `pending`.
pub(super) fn unfold(
    mut rule: Pending,
    context: &mut Context<'_>,
    pending: &mut Vec<Pending>,
) -> Option<Vec<Clause>> {
    let mut conjuncts = Vec::new();
    flatten(std::mem::take(&mut rule.body), &mut conjuncts);
    while product(&conjuncts) > MAX_UNFOLDING {
        let mut order: Vec<usize> = (0..conjuncts.len()).filter(|&i| count(&conjuncts[i]) > 1).collect();
        order.sort_by_key(|&index| (Reverse(count(&conjuncts[index])), index));
        // A rule whose only disjunction is flat gives no more rules than the text has alternatives.
        if order.len() == 1 && is_flat(&conjuncts[order[0]]) {
            break;
        }
        let factored = order.into_iter().find_map(|i| Some((i, shared(&rule.head, &conjuncts, i)?)));
        let (index, shared) = factored?;
        let view = Sentence {
            name: context.fresh_relation(),
            keyword: None,
            arguments: shared.into_iter().map(|variable| Expression::Variable(variable, rule.span)).collect(),
            span: rule.span,
        };
        let literal = Normal::Literal(Literal::Positive(view.clone()));
        let Normal::Any(parts) = std::mem::replace(&mut conjuncts[index], literal) else { return None };
        let before: Vec<Normal> = conjuncts[..index].iter().filter(|c| is_positive(c)).cloned().collect();
        pending.extend(parts.into_iter().map(|part| Pending {
            head: view.clone(),
            body: before.iter().cloned().chain([part]).collect(),
            variables: rule.variables.clone(),
            span: rule.span,
            origin: rule.origin,
        }));
    }
    if product(&conjuncts).saturating_mul(conjuncts.len()) > MAX_LITERALS {
        return None;
    }
    let all = conjuncts.iter().fold(vec![Conjunction::default()], multiply);
    let mut clauses = Vec::with_capacity(all.len());
    for Conjunction { body, equal } in all {
        let (head, variables) = (rule.head.clone(), rule.variables.clone());
        let clause = Clause { head, body, variables, span: rule.span, origin: rule.origin };
        match equate(clause, equal) {
            Equated::Clause(clause) => clauses.push(clause),
            Equated::Never => {}
            Equated::TooLarge => return None,
        }
    }
    Some(clauses)
}

fn is_flat(part: &Normal) -> bool {
    matches!(part, Normal::Any(parts) if parts.iter().all(|part| count(part) == 1))
}

fn is_positive(part: &Normal) -> bool {
    matches!(part, Normal::Literal(Literal::Positive(_)))
}

/// Flattens nested conjunctions.
fn flatten(parts: Vec<Normal>, out: &mut Vec<Normal>) {
    for part in parts {
        match part {
            Normal::All(inner) => flatten(inner, out),
            Normal::Any(mut inner) if inner.len() == 1 => flatten(std::mem::take(&mut inner), out),
            other => out.push(other),
        }
    }
}

fn count(part: &Normal) -> usize {
    match part {
        Normal::Literal(_) | Normal::Equal(..) => 1,
        Normal::All(parts) => product(parts),
        Normal::Any(parts) => parts.iter().fold(0, |sum, part| sum.saturating_add(count(part))),
    }
}

fn product(parts: &[Normal]) -> usize {
    parts.iter().fold(1, |product: usize, part| product.saturating_mul(count(part)))
}

fn multiply(prefixes: Vec<Conjunction>, part: &Normal) -> Vec<Conjunction> {
    match part {
        Normal::Literal(literal) => {
            let mut prefixes = prefixes;
            prefixes.iter_mut().for_each(|prefix| prefix.body.push(literal.clone()));
            prefixes
        }
        Normal::Equal(a, b) => {
            let mut prefixes = prefixes;
            prefixes.iter_mut().for_each(|prefix| prefix.equal.push((a.clone(), b.clone())));
            prefixes
        }
        Normal::All(parts) => parts.iter().fold(prefixes, multiply),
        Normal::Any(parts) => prefixes
            .into_iter()
            .flat_map(|prefix| {
                parts.iter().flat_map(move |part| multiply(vec![prefix.clone()], part)).collect::<Vec<_>>()
            })
            .collect(),
    }
}

/// The variables that a disjunction shares with the rest of the rule, in ascending order. `None` unless each of them is
/// bound in all alternatives or by a positive literal before the disjunction.
fn shared(head: &Sentence, conjuncts: &[Normal], index: usize) -> Option<Vec<u32>> {
    let mut outside = Vec::new();
    head.for_each_variable(&mut |variable, _| outside.push(variable));
    for (other, part) in conjuncts.iter().enumerate() {
        if other != index {
            variables(part, &mut outside);
        }
    }
    outside.sort_unstable();
    outside.dedup();
    let mut inside = Vec::new();
    variables(&conjuncts[index], &mut inside);
    inside.sort_unstable();
    inside.dedup();
    inside.retain(|variable| outside.binary_search(variable).is_ok());
    let mut bound = binds(&conjuncts[index]);
    conjuncts[..index].iter().filter(|part| is_positive(part)).for_each(|part| bound.extend(binds(part)));
    inside.iter().all(|variable| bound.contains(variable)).then_some(inside)
}

fn variables(part: &Normal, out: &mut Vec<u32>) {
    match part {
        Normal::Literal(Literal::Positive(sentence) | Literal::Negative(sentence)) => {
            sentence.for_each_variable(&mut |variable, _| out.push(variable));
        }
        Normal::Literal(Literal::Distinct(a, b)) | Normal::Equal(a, b) => {
            a.for_each_variable(&mut |variable, _| out.push(variable));
            b.for_each_variable(&mut |variable, _| out.push(variable));
        }
        Normal::All(parts) | Normal::Any(parts) => parts.iter().for_each(|part| variables(part, out)),
    }
}

/// The variables that are bound in every alternative, in ascending order.
fn binds(part: &Normal) -> Vec<u32> {
    let mut out = Vec::new();
    match part {
        Normal::Literal(Literal::Positive(sentence)) => {
            sentence.for_each_variable(&mut |variable, _| out.push(variable));
        }
        Normal::Literal(_) | Normal::Equal(..) => {}
        Normal::All(parts) => parts.iter().for_each(|part| out.extend(binds(part))),
        Normal::Any(parts) => {
            let mut parts = parts.iter().map(binds);
            out = parts.next().unwrap_or_default();
            for part in parts {
                out.retain(|variable| part.binary_search(variable).is_ok());
            }
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

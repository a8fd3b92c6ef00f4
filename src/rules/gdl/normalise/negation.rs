//! Rewrites negative literals, so that positive literals of the rule bind all their variables.
//!
//! The order of literals has no meaning in GDL: a negated literal is evaluated after its variables are bound, wherever
//! it is written. This step ensures that for the rules of a [`Description`](crate::gdl::Description), so all machines
//! and evaluation functions evaluate negation in the same way.
//!
//! Two kinds of old rules mean "no such thing exists". In the first, no literal binds a variable under negation; the
//! safety rule of GDL forbids that. In the second, the variable is not in the head, and its other occurrences are in
//! later literals with one argument, which give its domain. `(<= (clear ?x) (disc ?x) (not (true (on ?y ?x))) (disc
//! ?y))` says that no disc is on `?x`. The second reading is used only under
//! [`Negation::InPlace`](crate::gdl::Negation::InPlace).

use rustc_hash::{FxHashMap, FxHashSet};

use super::Context;
use super::clause::{Clause, Literal};
use crate::gdl::check::safety::{self, Unbound};
use crate::gdl::keyword::Keyword;
use crate::gdl::source::Negation;
use crate::gdl::statement::{Expression, Sentence};

/// Binds the variables of negative literals of a clause. Adds the clauses of new auxiliary relations to `context`.
pub(super) fn bind(mut clause: Clause, context: &mut Context<'_>) -> Clause {
    let bound_by_any = clause.positive_variables();
    let mut bound_before: FxHashSet<u32> = FxHashSet::default();
    let mut body = Vec::with_capacity(clause.body.len());
    let literals = std::mem::take(&mut clause.body);
    for (index, literal) in literals.iter().cloned().enumerate() {
        match literal {
            Literal::Positive(sentence) => {
                sentence.for_each_variable(&mut |variable, _| {
                    bound_before.insert(variable);
                });
                body.push(Literal::Positive(sentence));
            }
            Literal::Negative(sentence) => {
                let (mut seen, mut without_binder) = (Vec::new(), Vec::new());
                sentence.for_each_variable(&mut |variable, span| {
                    if bound_before.contains(&variable) || seen.contains(&variable) {
                        return;
                    }
                    seen.push(variable);
                    let name = context.variable(&clause, variable);
                    if !bound_by_any.contains(&variable) {
                        safety::negation_without_binder(context.diagnostics, span, &name);
                        without_binder.push(variable);
                    } else if names_domain_later(&clause.head, &literals, index, variable) {
                        let negation = context.negation;
                        safety::negation_before_binder(context.diagnostics, span, &name, negation);
                        without_binder.extend((negation == Negation::InPlace).then_some(variable));
                    }
                });
                if without_binder.is_empty() {
                    body.push(Literal::Negative(sentence));
                    continue;
                }
                let bound = |variable: u32| !without_binder.contains(&variable);
                body.push(Literal::Negative(existence_atom(&clause, sentence, &bound, context)));
            }
            Literal::Distinct(a, b) => {
                let mut free = Vec::new();
                for side in [&a, &b] {
                    side.for_each_variable(&mut |variable, span| {
                        if !bound_by_any.contains(&variable) {
                            free.push((variable, span));
                        }
                    });
                }
                let Some(&(variable, span)) = free.first() else {
                    body.push(Literal::Distinct(a, b));
                    continue;
                };
                // The literal is ignored, as in the reference implementation: "different from anything" has no meaning.
                let name = &context.variable(&clause, variable);
                let bound: Vec<u32> =
                    (0..clause.variables.len() as u32).filter(|v| bound_by_any.contains(v)).collect();
                let bound: Vec<String> =
                    bound.into_iter().map(|other| context.variable(&clause, other)).collect();
                let unbound =
                    Unbound { name, span, bound: &bound, constant: None, domain: None, in_fact: false };
                safety::distinct_without_binder(context.diagnostics, &unbound);
            }
        }
    }
    clause.body = body;
    clause
}

/// Whether the other literals with `variable` only give its domain: it is not in the head, and these literals are
/// positive and have one argument. `index` is that of the negated literal, and no earlier literal binds the variable.
fn names_domain_later(head: &Sentence, body: &[Literal], index: usize, variable: u32) -> bool {
    let mut elsewhere = false;
    head.for_each_variable(&mut |other, _| elsewhere |= other == variable);
    let others = body.iter().enumerate().filter(|&(other, _)| other != index);
    !elsewhere
        && others
            .map(|(_, literal)| literal)
            .filter(|literal| contains_variable(literal, variable))
            .all(|literal| matches!(literal, Literal::Positive(sentence) if argument_count(sentence) == 1))
}

fn contains_variable(literal: &Literal, variable: u32) -> bool {
    let mut found = false;
    let mut visit = |other: u32, _| found |= other == variable;
    match literal {
        Literal::Positive(sentence) | Literal::Negative(sentence) => sentence.for_each_variable(&mut visit),
        Literal::Distinct(a, b) => [a, b].into_iter().for_each(|side| side.for_each_variable(&mut visit)),
    }
    found
}

/// The number of arguments of a relation, or of the fluent of `true`.
fn argument_count(sentence: &Sentence) -> usize {
    match (sentence.keyword, &sentence.arguments[..]) {
        (Some(Keyword::True), [Expression::Application(_, arguments, _)]) => arguments.len(),
        (_, arguments) => arguments.len(),
    }
}

/// An atom of an auxiliary relation. It holds if, for the values of the bound variables, some instance of `sentence`
/// holds.
fn existence_atom(
    clause: &Clause,
    mut sentence: Sentence,
    bound: &dyn Fn(u32) -> bool,
    context: &mut Context<'_>,
) -> Sentence {
    let span = sentence.span;
    // Number the variables by first occurrence, so that equal patterns share one auxiliary relation.
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
    let mut outer = Vec::new();
    let mut names = Vec::new();
    sentence.for_each_variable(&mut |variable, _| {
        let next = numbers.len() as u32;
        numbers.entry(variable).or_insert_with(|| {
            names.push(clause.variables[variable as usize]);
            outer.push((variable, next));
            next
        });
    });
    outer.retain(|&(variable, _)| bound(variable));
    sentence.arguments.iter_mut().for_each(|argument| renumber(argument, &numbers));
    let key =
        format!("{:?} {outer:?}", Pattern(&sentence), outer = outer.iter().map(|o| o.1).collect::<Vec<_>>());
    let arguments = |local: bool| {
        outer
            .iter()
            .map(|&(variable, number)| Expression::Variable(if local { number } else { variable }, span))
            .collect::<Vec<_>>()
    };
    let known = context.existential.get(&key).copied();
    let name = known.unwrap_or_else(|| context.fresh_relation());
    if known.is_none() {
        context.existential.insert(key, name);
        let head = Sentence { name, keyword: None, arguments: arguments(true), span };
        let body = vec![Literal::Positive(sentence)];
        context.clauses.push(Clause {
            head,
            body,
            variables: names,
            span: clause.span,
            origin: clause.origin,
        });
    }
    Sentence { name, keyword: None, arguments: arguments(false), span }
}

fn renumber(expression: &mut Expression, numbers: &FxHashMap<u32, u32>) {
    match expression {
        Expression::Variable(variable, _) => *variable = numbers[&*variable],
        Expression::Application(_, arguments, _) => {
            arguments.iter_mut().for_each(|argument| renumber(argument, numbers));
        }
    }
}

/// Formats a sentence without its spans.
struct Pattern<'a>(&'a Sentence);

impl std::fmt::Debug for Pattern<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        fn term(expression: &Expression, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            match expression {
                Expression::Variable(variable, _) => write!(out, " ?{variable}"),
                Expression::Application(name, arguments, _) => {
                    write!(out, " ({}", name.0)?;
                    arguments.iter().try_for_each(|argument| term(argument, out))?;
                    write!(out, ")")
                }
            }
        }
        write!(out, "{}", self.0.name.0)?;
        self.0.arguments.iter().try_for_each(|argument| term(argument, out))
    }
}

//! Negation where it stands: after this step every variable of a negative literal is bound by a positive one.
//!
//! The language's safety rule asks for that. Some old games break it: a negated literal has a variable that
//! only a later positive literal binds, or none. Read from left to right it says "no such thing exists at this
//! point": `(not (cell ?x ?y b))` in front of whatever binds `?y` says that column `?x` has no blank. Those
//! games play as they were played under that reading, and don't when the literal is delayed until `?y` is bound.
//! A variable of the head that every caller has bound is bound from the start (see [`Calls`]).

use rustc_hash::{FxHashMap, FxHashSet};

use super::calls::Calls;
use super::{Clause, Context, Literal};
use crate::gdl::check::safety;
use crate::gdl::statement::{Expression, Sentence};

/// What a negated literal means whose variable no positive literal of the rule binds.
///
/// THE PLACE TO SWITCH. `NoneExists` is the reading of the language's own negation and of the case where a
/// later literal binds the variable. `Dropped` is what the reference does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BoundNowhere {
    NoneExists,
    #[allow(dead_code, reason = "the other reading, kept so that it can be tried against traces")]
    Dropped,
}

const BOUND_NOWHERE: BoundNowhere = BoundNowhere::NoneExists;

/// Rewrites a clause; clauses for the relations it introduces go to `context`.
pub(super) fn bind(mut clause: Clause, calls: &Calls, context: &mut Context<'_>) -> Clause {
    let anywhere = super::positive_variables(&clause.body);
    // A variable whose value every caller brings counts from the start, if a literal binds it here at all.
    let mut bound = calls.known(&clause);
    bound.retain(|variable| anywhere.contains(variable));
    let mut body = Vec::with_capacity(clause.body.len());
    for literal in std::mem::take(&mut clause.body) {
        match literal {
            Literal::Positive(sentence) => {
                sentence.for_each_variable(&mut |variable, _| {
                    bound.insert(variable);
                });
                body.push(Literal::Positive(sentence));
            }
            Literal::Negative(sentence) => {
                let mut free = Vec::new();
                sentence.for_each_variable(&mut |variable, span| {
                    if !bound.contains(&variable) && !free.iter().any(|&(known, _)| known == variable) {
                        free.push((variable, span));
                    }
                });
                if free.is_empty() {
                    body.push(Literal::Negative(sentence));
                    continue;
                }
                for &(variable, span) in &free {
                    let name = context.variable(&clause, variable);
                    if anywhere.contains(&variable) {
                        safety::negation_before_binder(context.diagnostics, span, &name);
                    } else {
                        safety::negation_without_binder(context.diagnostics, span, &name);
                    }
                }
                let nowhere = free.iter().any(|(variable, _)| !anywhere.contains(variable));
                if nowhere && BOUND_NOWHERE == BoundNowhere::Dropped {
                    continue;
                }
                body.push(Literal::Negative(none_exists(&clause, sentence, &bound, context)));
            }
            Literal::Distinct(a, b) => {
                let mut free = Vec::new();
                for side in [&a, &b] {
                    side.for_each_variable(&mut |variable, span| {
                        if !anywhere.contains(&variable) {
                            free.push((variable, span));
                        }
                    });
                }
                let Some(&(variable, span)) = free.first() else {
                    body.push(Literal::Distinct(a, b));
                    continue;
                };
                // The reference drops the literal; so do we, since "different from anything" says nothing.
                let name = context.variable(&clause, variable);
                safety::distinct_without_binder(context.diagnostics, span, &name);
            }
        }
    }
    clause.body = body;
    clause
}

/// The atom of a view that holds where some instance of `sentence` does, for the bound variables' values.
fn none_exists(
    clause: &Clause,
    mut sentence: Sentence,
    bound: &FxHashSet<u32>,
    context: &mut Context<'_>,
) -> Sentence {
    let span = sentence.span;
    // Number the variables by their first place, so that equal patterns share one view.
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
    outer.retain(|(variable, _)| bound.contains(variable));
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

/// Writes a sentence without its spans.
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

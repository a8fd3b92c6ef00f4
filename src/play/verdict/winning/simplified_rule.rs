//! A rule for a goal value, shortened.

use crate::gdl::Description;
use crate::gdl::Span;
use crate::gdl::rule::{Literal, RelationKind, Rule};
use crate::gdl::term::Term;
use crate::machine::Machine;

/// The most characters of a shortened rule.
const MAX_TEXT: usize = 100;

/// The rules that can give a goal value to a role.
fn rules_for<'d>(
    description: &'d Description,
    role: usize,
    fits: impl Fn(&Term) -> bool + 'd,
) -> impl Iterator<Item = &'d Rule> {
    description.rules.iter().filter(move |rule| {
        let head = &rule.head;
        description.relations[head.relation.index()].kind == RelationKind::Goal
            && (matches!(head.arguments[0], Term::Variable(_))
                || head.arguments[0] == Term::Ground(description.roles[role]))
            && fits(&head.arguments[1])
    })
}

/// The best goal value that a rule names for a role; none if a rule computes it.
pub(super) fn best_value(description: &Description, role: usize) -> Option<i32> {
    let value = |rule: &Rule| match &rule.head.arguments[1] {
        Term::Ground(term) => description.term(*term).parse().ok(),
        _ => None,
    };
    let values: Option<Vec<i32>> = rules_for(description, role, |_| true).map(value).collect();
    values?.into_iter().max()
}

/// The rules for a goal value of a role, and the first of them as text.
pub(super) fn rules(machine: &dyn Machine, role: usize, goal: i32) -> (Vec<Span>, String) {
    let description = machine.description();
    let fits = |value: &Term| match value {
        Term::Ground(term) => description.term(*term) == goal.to_string(),
        _ => true,
    };
    let mut rules = rules_for(description, role, fits).collect::<Vec<_>>();
    rules.sort_by_key(|rule| rule.span);
    let mut text = rules.first().map_or_else(String::new, |rule| body(description, rule));
    if text.chars().count() > MAX_TEXT {
        text = text.chars().take(MAX_TEXT - 3).collect::<String>() + "...";
    }
    let mut spans: Vec<Span> = rules.iter().map(|rule| rule.span).collect();
    spans.dedup();
    (spans, text)
}

/// The body of a rule as one line, in which the variable of the role that the head names is `?winner`.
fn body(description: &Description, rule: &Rule) -> String {
    let literal = |literal: &Literal| {
        let mut text = String::new();
        match literal {
            Literal::Positive(atom) => description.write_atom(atom, rule, &mut text),
            Literal::Negative(atom) => {
                text.push_str("(not ");
                description.write_atom(atom, rule, &mut text);
                text.push(')');
            }
            Literal::Distinct(..) => return None,
        }
        Some(text)
    };
    let parts: Vec<String> = rule.body.iter().filter_map(literal).collect();
    let text = parts.join(" and ");
    let Term::Variable(role) = &rule.head.arguments[0] else { return text };
    let name = format!("?{}", description.symbols.name(rule.variables[role.index()]));
    let renamed = |word: &str| match word.trim_end_matches([' ', ')']) == name {
        true => word.replacen(&name, "?winner", 1),
        false => word.to_owned(),
    };
    text.split_inclusive([' ', ')']).map(renamed).collect()
}

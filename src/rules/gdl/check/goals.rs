//! Goal values: integers from 0 to 100.

use super::subject::Subject;
use super::{Entry, Group};
use crate::gdl::diagnostic::{Code, Diagnostics, Severity};
use crate::gdl::domain::Domains;
use crate::gdl::rule::RelationKind;
use crate::gdl::term::Term;

/// A goal value outside 0 to 100.
pub const GOAL_RANGE: Code = Code(38);
/// A goal value that is not an integer, or one that is too large.
pub const GOAL_NO_INTEGER: Code = Code(39);

pub(super) const GROUP: Group = Group { name: "goals", entries: ENTRIES, check };

const ENTRIES: &[Entry] = &[
    Entry {
        code: GOAL_RANGE,
        severity: Severity::Warning,
        title: "goal value outside 0 to 100",
        cause: "A goal value is an integer from 0 to 100. Another integer is taken as it is.",
        example: "(goal a 200)",
        mended: "(goal a 100)",
        remedy: "scale the values to 0..100",
    },
    Entry {
        code: GOAL_NO_INTEGER,
        severity: Severity::Error,
        title: "goal value that can't be used",
        cause: "A goal value is an integer from 0 to 100, and nothing else can be compared. An integer outside of that is \
                taken as it is, if it has at most 32 bits.",
        example: "(goal a win)",
        mended: "(goal a 100)",
        remedy: "write an integer from 0 to 100",
    },
];

fn check(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let description = subject.description;
    let mut domains = None;
    for rule in &description.rules {
        if description.relations[rule.head.relation.index()].kind != RelationKind::Goal {
            continue;
        }
        let head = &subject.text.statements[rule.origin as usize].head;
        let span = head.arguments.get(1).map_or(head.span, |argument| argument.span());
        let values = match &rule.head.arguments[1] {
            Term::Ground(value) => vec![*value],
            Term::Compound(..) => {
                no_integer(diagnostics, span, "a function term");
                continue;
            }
            // Domains over-approximate: only where no value at all fits is the variable surely wrong.
            Term::Variable(_) => {
                let domains = domains.get_or_insert_with(|| Domains::of(description));
                let values = &domains.argument(rule.head.relation, 1).terms;
                let fits = |value: &_| number(&description.term(*value)).is_some_and(in_range);
                if values.iter().any(fits) { Vec::new() } else { values.clone() }
            }
        };
        let Some(text) = values.first().map(|&value| description.term(value)) else { continue };
        match number(&text) {
            None if is_integer(&text) => {
                let message = format!("the goal value {text} is too large: it needs more than 32 bits");
                diagnostics.add(GOAL_NO_INTEGER, span, message).expected("an integer from 0 to 100");
            }
            None => no_integer(diagnostics, span, &format!("`{text}`")),
            Some(value) if !in_range(value) => {
                diagnostics
                    .add(GOAL_RANGE, span, format!("the goal value {value} is outside 0 to 100"))
                    .expected("an integer from 0 to 100");
            }
            Some(_) => {}
        }
    }
}

fn number(text: &str) -> Option<i32> {
    text.parse().ok()
}

/// Whether a text is an integer, however large.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
}

fn in_range(value: i32) -> bool {
    (0..=100).contains(&value)
}

fn no_integer(diagnostics: &mut Diagnostics, span: crate::gdl::source::Span, what: &str) {
    diagnostics
        .add(GOAL_NO_INTEGER, span, format!("the goal value is {what}, which is not an integer"))
        .expected("an integer from 0 to 100");
}

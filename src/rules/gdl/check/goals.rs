//! Goal values must be integers from 0 to 100.

use super::subject::Subject;
use super::{Entry, Group};
use crate::gdl::diagnostic::{Code, Diagnostics, Severity};
use crate::gdl::domain::Domains;
use crate::gdl::rule::RelationKind;
use crate::gdl::source::Span;
use crate::gdl::term::Term;

/// A goal value outside 0 to 100.
pub const GOAL_RANGE: Code = Code(38);
/// A goal value that is not an integer, or that needs more than 32 bits.
pub const GOAL_NO_INTEGER: Code = Code(39);

pub(super) const GROUP: Group = Group { name: "goals", entries: ENTRIES, check };

const ENTRIES: &[Entry] = &[
    Entry {
        code: GOAL_RANGE,
        severity: Severity::Warning,
        title: "goal value outside 0 to 100",
        cause: "GDL defines goal values as integers from 0 to 100. Other integers are used as written.",
        example: "(goal a 200)",
        corrected: "(goal a 100)",
        remedy: "use values from 0 to 100, 100 for a win",
    },
    Entry {
        code: GOAL_NO_INTEGER,
        severity: Severity::Error,
        title: "goal value that is not an integer",
        cause: "GDL defines goal values as integers from 0 to 100. Names, decimal fractions and integers of more than 32 \
                bits can't be compared.",
        example: "(goal a win)",
        corrected: "(goal a 100)",
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
                no_integer(diagnostics, span, "a function");
                continue;
            }
            // `Domains` over-approximates: the variable is wrong only if none of its values fits.
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
                let message = format!("goal value {text} needs more than 32 bits");
                diagnostics.add(GOAL_NO_INTEGER, span, message);
            }
            None => no_integer(diagnostics, span, &format!("`{text}`")),
            Some(value) if !in_range(value) => {
                diagnostics.add(GOAL_RANGE, span, format!("goal value {value} is outside 0 to 100"));
            }
            Some(_) => {}
        }
    }
}

fn number(text: &str) -> Option<i32> {
    text.parse().ok()
}

/// Whether a text is an integer of any size.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
}

fn in_range(value: i32) -> bool {
    (0..=100).contains(&value)
}

fn no_integer(diagnostics: &mut Diagnostics, span: Span, what: &str) {
    diagnostics.add(GOAL_NO_INTEGER, span, format!("the goal value is {what}, not an integer"));
}

//! The parts every game has.

use super::subject::Subject;
use super::{Entry, Group};
use crate::gdl::diagnostic::{Code, Diagnostics, Severity};
use crate::gdl::keyword::Keyword;
use crate::gdl::rule::Rule;
use crate::gdl::source::Span;

/// No role.
pub const NO_ROLE: Code = Code(33);
/// No legal move.
pub const NO_LEGAL: Code = Code(34);
/// Nothing that holds next.
pub const NO_NEXT: Code = Code(35);
/// No end.
pub const NO_TERMINAL: Code = Code(36);
/// No goal.
pub const NO_GOAL: Code = Code(37);

pub(super) const GROUP: Group = Group { name: "missing parts", entries: ENTRIES, check };

const ENTRIES: &[Entry] = &[
    Entry {
        code: NO_ROLE,
        severity: Severity::Error,
        title: "no role",
        cause: "A game has at least one role, given by facts.",
        example: "(legal a b)",
        mended: "(role a)",
        remedy: "add `(role name)`",
    },
    Entry {
        code: NO_LEGAL,
        severity: Severity::Error,
        title: "no rule for `legal`",
        cause: "Nothing says which moves a role can make, so nobody can ever move.",
        example: "(role a)",
        mended: "(role a)\n(legal a b)",
        remedy: "add a rule `(<= (legal role move) ...)`",
    },
    Entry {
        code: NO_NEXT,
        severity: Severity::Error,
        title: "no rule for `next`",
        cause: "Nothing says what holds after a move, so every state but the first is empty.",
        example: "(role a)",
        mended: "(role a)\n(<= (next (cell ?x)) (true (cell ?x)))",
        remedy: "add a rule `(<= (next fluent) ...)`",
    },
    Entry {
        code: NO_TERMINAL,
        severity: Severity::Error,
        title: "no rule for `terminal`",
        cause: "Nothing says when the game ends, so it never does.",
        example: "(role a)",
        mended: "(role a)\n(<= terminal (true (cell 3)))",
        remedy: "add a rule `(<= terminal ...)`",
    },
    Entry {
        code: NO_GOAL,
        severity: Severity::Error,
        title: "no rule for `goal`",
        cause: "Nothing says what a state is worth to a role.",
        example: "(role a)",
        mended: "(role a)\n(goal a 100)",
        remedy: "add rules `(<= (goal role value) ...)`",
    },
];

fn check(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let parts = [
        (Keyword::Role, NO_ROLE, "the game has no role"),
        (Keyword::Legal, NO_LEGAL, "no rule says which moves are legal"),
        (Keyword::Next, NO_NEXT, "no rule says what holds next"),
        (Keyword::Terminal, NO_TERMINAL, "no rule says when the game ends"),
        (Keyword::Goal, NO_GOAL, "no rule says what a state is worth"),
    ];
    let faulty = diagnostics.has_errors();
    for (keyword, code, message) in parts {
        let description = subject.description;
        let is_of =
            |rule: &Rule| Some(description.relations[rule.head.relation.index()].kind) == keyword.kind();
        let stated = subject.text.statements.iter().any(|statement| statement.head.keyword == Some(keyword));
        // A statement without an error may come to no rule all the same, as nothing it needs can ever hold.
        let given = stated && (faulty || description.rules.iter().any(is_of));
        // A statement with a fault of its own may be the one that is missed.
        let perhaps = !subject.complete && subject.text.symbols.find(keyword.name()).is_some();
        if !given && !perhaps {
            diagnostics
                .add(code, Span::default(), message)
                .note("in the whole text")
                .expected(entry_of(keyword));
        }
    }
}

fn entry_of(keyword: Keyword) -> &'static str {
    match keyword {
        Keyword::Role => "`(role name)`",
        Keyword::Legal => "`(<= (legal role move) ...)`",
        Keyword::Next => "`(<= (next fluent) ...)`",
        Keyword::Terminal => "`(<= terminal ...)`",
        _ => "`(<= (goal role value) ...)`",
    }
}

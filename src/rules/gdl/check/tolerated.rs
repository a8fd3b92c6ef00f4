//! Rules that GDL forbids but whose meaning is clear, so they are accepted with a warning.
//!
//! `declaration.rs`, `successor_percepts.rs`, and `seen_by_all` in `normalise/mod.rs` repair the rules.

use super::{Entry, Group};
use crate::gdl::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::gdl::source::Span;

/// An error in a fact or rule of `base` or `input` that no rule uses.
pub const DECLARATION: Code = Code(46);
/// A name with several numbers of arguments: one relation for each number.
pub const OVERLOADED: Code = Code(47);
/// `next` in the body of a rule for `sees`.
pub const NEXT_IN_SEES: Code = Code(48);
/// A rule for `sees` with an unbound variable as its role.
pub const SEEN_BY_ALL: Code = Code(49);

pub(super) const GROUP: Group =
    Group { name: "tolerated", entries: ENTRIES, check: super::found_while_reading };

const ENTRIES: &[Entry] = &[
    Entry {
        code: DECLARATION,
        severity: Severity::Warning,
        title: "mistake in an unused declaration",
        cause: "A fact or rule of `base` or `input` has a mistake that is an error in other relations. By convention these \
                relations list the fluents and the moves of a game. No rule of this game uses them, so the statement is \
                ignored.",
        example: "(base (cell ?x ?y))",
        corrected: "(<= (base (cell ?x ?y)) (index ?x) (index ?y))\n(index 1)",
        remedy: "correct the statement, or remove it",
    },
    Entry {
        code: OVERLOADED,
        severity: Severity::Warning,
        title: "one name for several relations",
        cause: "A relation has different numbers of arguments in different places. In GDL it has one number. `ggp` treats \
                each number as a relation of its own, as Prolog does. A relation that occurs once and that no rule \
                defines is an error (GDL016).",
        example: "(sum 1 1 2)\n(<= (sum ?a ?b ?c ?d) (sum ?a ?b ?x) (sum ?x ?c ?d))",
        corrected: "(sum 1 1 2)\n(<= (sum_of_three ?a ?b ?c ?d) (sum ?a ?b ?x) (sum ?x ?c ?d))",
        remedy: "if one relation is meant, add or remove arguments; if two are meant, give them different names",
    },
    Entry {
        code: NEXT_IN_SEES,
        severity: Severity::Warning,
        title: "`next` in a rule for `sees`",
        cause: "GDL allows `next` only in heads, but published games of GDL-II use it in rules for `sees`: the player sees \
                a part of the state after the move. `ggp` accepts this.",
        example: "(role a)\n(init (at 1))\n(<= (next (at ?x)) (true (at ?x)))\n(<= (sees a ?x) (next (at ?x)))",
        corrected: "(role a)\n(init (at 1))\n(<= (next (at ?x)) (stays ?x))\n(<= (stays ?x) (true (at ?x)))\n\
                 (<= (sees a ?x) (stays ?x))",
        remedy: "ignore this; for other programs, define the condition as a relation and use it in both rules",
    },
    Entry {
        code: SEEN_BY_ALL,
        severity: Severity::Warning,
        title: "`sees` with an unbound role",
        cause: "The role in a rule for `sees` is a variable that no positive literal binds. In published games of GDL-II it \
                means every role. `ggp` accepts this.",
        example: "(role a)\n(<= (sees ?everyone (moved ?x)) (true (at ?x)))",
        corrected: "(role a)\n(<= (sees ?everyone (moved ?x)) (role ?everyone) (true (at ?x)))",
        remedy: "add the literal `(role ?everyone)`",
    },
];

/// Reports an error of a declaration that is ignored.
pub(crate) fn declaration(diagnostics: &mut Diagnostics, name: &str, error: &Diagnostic) {
    diagnostics
        .add(DECLARATION, error.span(), format!("mistake in an unused declaration: {}", error.message))
        .note(format!("ignored, because no rule uses `{name}`"))
        .expected(error.expected.clone());
}

pub(crate) fn seen_by_all(diagnostics: &mut Diagnostics, span: Span, name: &str) {
    diagnostics
        .add(SEEN_BY_ALL, span, format!("no condition gives the role `{name}` a value"))
        .note("read as: every role")
        .help(format!("add the condition `(role {name})`"));
}

pub(crate) fn next_in_sees(diagnostics: &mut Diagnostics, span: Span) {
    diagnostics
        .add(NEXT_IN_SEES, span, "`next` in the body of a rule for `sees`")
        .note("read in the state after the move");
}

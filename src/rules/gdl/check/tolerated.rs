//! What the language forbids, and is played all the same because its meaning is clear.
//!
//! This file has the codes and their explanations. The rules are repaired elsewhere: by `declaration.rs`, by
//! `successor_percepts.rs`, and by `seen_by_all` in `normalise/mod.rs`.

use super::{Entry, Group};
use crate::gdl::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::gdl::source::Span;

/// An error in a fact or rule of `base` or `input`, which no rule uses.
pub const DECLARATION: Code = Code(46);
/// A name with several numbers of arguments: each number makes a relation of its own.
pub const OVERLOADED: Code = Code(47);
/// `next` in the body of a rule for `sees`.
pub const NEXT_IN_SEES: Code = Code(48);
/// A rule for `sees` whose role is a variable that nothing binds.
pub const SEEN_BY_ALL: Code = Code(49);

pub(super) const GROUP: Group =
    Group { name: "tolerated", entries: ENTRIES, check: super::found_while_reading };

const ENTRIES: &[Entry] = &[
    Entry {
        code: DECLARATION,
        severity: Severity::Warning,
        title: "mistake in an unused declaration",
        cause: "A fact or rule of `base` or `input` has a mistake that would be an error elsewhere. By convention \
                these relations list the fluents and the moves of a game. No rule of this game uses them, so the \
                statement is left out and the game is played without it.",
        example: "(base (cell ?x ?y))",
        mended: "(<= (base (cell ?x ?y)) (index ?x) (index ?y))\n(index 1)",
        remedy: "correct the statement, or remove it",
    },
    Entry {
        code: OVERLOADED,
        severity: Severity::Warning,
        title: "one name for several relations",
        cause: "A relation name has several numbers of arguments. GDL gives a relation one number of arguments. Here \
                each number is a relation of its own, as in Prolog. Where one of them occurs once and nothing defines \
                it, it is taken for a slip (GDL016).",
        example: "(sum 1 1 2)\n(<= (sum ?a ?b ?c ?d) (sum ?a ?b ?x) (sum ?x ?c ?d))",
        mended: "(sum 1 1 2)\n(<= (sum_of_three ?a ?b ?c ?d) (sum ?a ?b ?x) (sum ?x ?c ?d))",
        remedy: "if one relation is meant, add or remove the argument; if two are meant, give them different names",
    },
    Entry {
        code: NEXT_IN_SEES,
        severity: Severity::Warning,
        title: "`next` in a rule for `sees`",
        cause: "A rule for `sees` asks for `next`, which GDL allows in heads only. Published games of GDL-II do this: \
                the player sees something of the state after the move. It is played with that meaning.",
        example: "(role a)\n(init (at 1))\n(<= (next (at ?x)) (true (at ?x)))\n(<= (sees a ?x) (next (at ?x)))",
        mended: "(role a)\n(init (at 1))\n(<= (next (at ?x)) (stays ?x))\n(<= (stays ?x) (true (at ?x)))\n\
                 (<= (sees a ?x) (stays ?x))",
        remedy: "leave it; for other programs, name the condition by a relation of its own and use that in both rules",
    },
    Entry {
        code: SEEN_BY_ALL,
        severity: Severity::Warning,
        title: "`sees` with a role that nothing binds",
        cause: "A rule for `sees` has a variable in the place of the role, which no positive literal binds. Published \
                games of GDL-II mean every role by it. It is played with that meaning.",
        example: "(role a)\n(<= (sees ?everyone (moved ?x)) (true (at ?x)))",
        mended: "(role a)\n(<= (sees ?everyone (moved ?x)) (role ?everyone) (true (at ?x)))",
        remedy: "add the literal `(role ?everyone)`",
    },
];

/// The errors of a declaration that is left out.
pub(crate) fn declaration(diagnostics: &mut Diagnostics, name: &str, error: &Diagnostic) {
    diagnostics
        .add(
            DECLARATION,
            error.span(),
            format!("mistake in a declaration that no rule uses: {}", error.message),
        )
        .note(format!("left out: no rule uses `{name}`"))
        .expected(error.expected.clone());
}

pub(crate) fn seen_by_all(diagnostics: &mut Diagnostics, span: Span, name: &str) {
    diagnostics
        .add(SEEN_BY_ALL, span, format!("{name} is bound by no positive literal"))
        .note("read as: every role")
        .expected(format!("the literal `(role {name})`"));
}

pub(crate) fn next_in_sees(diagnostics: &mut Diagnostics, span: Span) {
    diagnostics
        .add(NEXT_IN_SEES, span, "`next` in a rule for `sees`")
        .note("the player sees this of the state after the move")
        .expected("a relation of its own");
}

//! Safety: every variable of a rule is bound by a positive literal. Normalisation finds these faults, since only
//! there each alternative of a disjunction is a rule of its own.

use super::{Entry, Group};
use crate::gdl::diagnostic::{Code, Diagnostics, Severity};
use crate::gdl::source::{Negation, Span};

/// A variable of the head that no positive literal binds.
pub const UNSAFE_HEAD: Code = Code(26);
/// A variable under negation that only later literals of one place bind.
pub const NEGATION_BEFORE_BINDER: Code = Code(27);
/// A variable under negation that no positive literal binds.
pub const NEGATION_WITHOUT_BINDER: Code = Code(28);
/// A variable of `distinct` that no positive literal binds.
pub const DISTINCT_WITHOUT_BINDER: Code = Code(29);

pub(super) const GROUP: Group = Group { name: "safety", entries: ENTRIES, check: super::found_while_reading };

const ENTRIES: &[Entry] = &[
    Entry {
        code: UNSAFE_HEAD,
        severity: Severity::Error,
        title: "unbound variable in the head",
        cause: "A variable of the head stands in no positive literal of the body (of one alternative of it, where \
                there is an `or`), so the rule would hold for every term there is.",
        example: "(<= (p ?x) (true (q 1)))",
        mended: "(<= (p ?x) (true (q ?x)))",
        remedy: "bind the variable by a positive literal, such as a domain relation",
    },
    Entry {
        code: NEGATION_BEFORE_BINDER,
        severity: Severity::Warning,
        title: "negation before the literal that binds its variable",
        cause: "A negated literal has a variable that only a later literal binds. In GDL the order of literals means \
                nothing: the negated literal waits until the variable is bound. Some old descriptions mean it where \
                it is written: \"no such thing exists\". If a game plays wrongly, try the option `--negation \
                in-place`, which every command has. The warning comes only where the two readings differ: the \
                variable is not in the head, and every other literal that has it is a later one with one argument.",
        example: "(<= (p ?x) (q ?x) (not (r ?x ?y)) (s ?y))",
        mended: "(<= (p ?x) (q ?x) (s ?y) (not (r ?x ?y)))",
        remedy: "move the negation behind the literal that binds the variable; if \"no such thing exists\" is meant, \
                 use `--negation in-place`, or negate a relation that says that one exists",
    },
    Entry {
        code: NEGATION_WITHOUT_BINDER,
        severity: Severity::Warning,
        title: "negation with a variable nothing binds",
        cause: "A negated literal has a variable that no positive literal binds. GDL forbids such a rule (its safety \
                rule). Here it means: no such thing exists. Other programs may drop the literal.",
        example: "(<= (p ?x) (q ?x) (not (r ?x ?y)))",
        mended: "(<= (p ?x) (q ?x) (not (some_r ?x)))\n(<= (some_r ?x) (r ?x ?y))",
        remedy: "name \"some such thing exists\" by a relation of its own and negate that",
    },
    Entry {
        code: DISTINCT_WITHOUT_BINDER,
        severity: Severity::Warning,
        title: "`distinct` with a variable nothing binds",
        cause: "A variable of `distinct` stands in no positive literal of the rule. The literal says nothing and is \
                dropped, as the reference does.",
        example: "(<= (p ?x) (q ?x) (distinct ?x ?y))",
        mended: "(<= (p ?x) (q ?x) (q ?y) (distinct ?x ?y))",
        remedy: "bind the variable by a positive literal, or remove the `distinct`",
    },
];

pub(crate) fn unsafe_head(diagnostics: &mut Diagnostics, span: Span, name: &str) {
    diagnostics
        .add(UNSAFE_HEAD, span, format!("the head's variable {name} is bound by no positive literal"))
        .note("unbound")
        .expected(format!("a positive literal with {name} in the body"));
}

pub(crate) fn negation_before_binder(
    diagnostics: &mut Diagnostics,
    span: Span,
    name: &str,
    negation: Negation,
) {
    let note = match negation {
        Negation::Language => format!("read after {name} is bound"),
        Negation::InPlace => "read in place: no such thing exists".to_owned(),
    };
    diagnostics
        .add(NEGATION_BEFORE_BINDER, span, format!("{name} is bound only after this negation"))
        .note(note)
        .expected(format!("a positive literal with {name} before the negation"));
}

pub(crate) fn negation_without_binder(diagnostics: &mut Diagnostics, span: Span, name: &str) {
    diagnostics
        .add(
            NEGATION_WITHOUT_BINDER,
            span,
            format!("GDL forbids this rule: {name} is bound by no positive literal"),
        )
        .note("read as: no such thing exists")
        .expected(format!("a positive literal with {name}"));
}

pub(crate) fn distinct_without_binder(diagnostics: &mut Diagnostics, span: Span, name: &str) {
    diagnostics
        .add(DISTINCT_WITHOUT_BINDER, span, format!("{name} is bound by no positive literal"))
        .note("this `distinct` is dropped")
        .expected(format!("a positive literal with {name} in the body"));
}

//! Safety: a positive literal of the body binds every variable of a rule. `normalise` reports these faults, because it splits
//! disjunctions into rules.

use super::misspelling::variables_resemble;
use super::{Entry, Group};
use crate::gdl::diagnostic::{Code, Diagnostics, Severity};
use crate::gdl::source::{Negation, Span};

/// No positive literal binds a variable of the head.
pub const UNSAFE_HEAD: Code = Code(26);
/// Only later literals with one argument bind a variable of a negated literal.
pub const NEGATION_BEFORE_BINDER: Code = Code(27);
/// No positive literal binds a variable of a negated literal.
pub const NEGATION_WITHOUT_BINDER: Code = Code(28);
/// No positive literal binds a variable of `distinct`.
pub const DISTINCT_WITHOUT_BINDER: Code = Code(29);

pub(super) const GROUP: Group = Group { name: "safety", entries: ENTRIES, check: super::found_while_reading };

const ENTRIES: &[Entry] = &[
    Entry {
        code: UNSAFE_HEAD,
        severity: Severity::Error,
        title: "unbound variable in the head",
        cause: "A variable of the head occurs in no condition that gives it a value, so the rule would hold for every term. \
                `not` and `distinct` give a variable no value. If the body has an `or`, each alternative must give it one.",
        example: "(<= (p ?x) (true (q 1)))",
        corrected: "(<= (p ?x) (true (q ?x)))",
        remedy: "add a condition that contains the variable, such as `(role ?x)`",
    },
    Entry {
        code: NEGATION_BEFORE_BINDER,
        severity: Severity::Warning,
        title: "negation before the literal that binds its variable",
        cause: "A negated literal has a variable that only a later literal binds. In GDL the order of literals has no \
                meaning: the negated literal is evaluated after the variable is bound. Some old descriptions rely on the \
                order and mean \"no such thing exists\". If a game plays wrongly, try the option `--negation in-place`, \
                which every command has. The warning appears only if the two readings differ: the variable is not in the \
                head, and every other literal with the variable comes later and has one argument.",
        example: "(<= (p ?x) (q ?x) (not (r ?x ?y)) (s ?y))",
        corrected: "(<= (p ?x) (q ?x) (s ?y) (not (r ?x ?y)))",
        remedy: "move the negation after the literal that binds the variable; if \"no such thing exists\" is meant, use \
                 `--negation in-place`, or negate a relation that says that one exists",
    },
    Entry {
        code: NEGATION_WITHOUT_BINDER,
        severity: Severity::Warning,
        title: "negation with an unbound variable",
        cause: "A negated literal has a variable that no positive literal binds. GDL forbids such a rule (safety). `ggp` \
                reads it as \"no such thing exists\". Other programs may ignore the literal.",
        example: "(<= (p ?x) (q ?x) (not (r ?x ?y)))",
        corrected: "(<= (p ?x) (q ?x) (not (some_r ?x)))\n(<= (some_r ?x) (r ?x ?y))",
        remedy: "add a condition that gives the variable a value, or define a relation that says whether such a thing exists, and negate it",
    },
    Entry {
        code: DISTINCT_WITHOUT_BINDER,
        severity: Severity::Warning,
        title: "`distinct` with an unbound variable",
        cause: "A variable of `distinct` occurs in no positive literal of the rule. The literal is ignored, as in the \
                reference implementation.",
        example: "(<= (p ?x) (q ?x) (distinct ?x ?y))",
        corrected: "(<= (p ?x) (q ?x) (q ?y) (distinct ?x ?y))",
        remedy: "add a condition that binds the variable, or remove the `distinct`",
    },
];

/// A variable that no positive literal binds, with its `?`.
pub(crate) struct Unbound<'a> {
    pub(crate) name: &'a str,
    pub(crate) span: Span,
    /// The bound variables of the rule, with their `?`.
    pub(crate) bound: &'a [String],
    /// A constant of the body with the name of the variable: its `?` may be missing.
    pub(crate) constant: Option<Span>,
    /// A relation with one argument that another rule applies to a variable of this name.
    pub(crate) domain: Option<&'a str>,
    /// Whether the statement is a fact.
    pub(crate) in_fact: bool,
}

impl Unbound<'_> {
    /// The bound variable that resembles this one.
    fn meant(&self) -> Option<&str> {
        let own = self.name.trim_start_matches('?');
        let mut others = self.bound.iter().map(String::as_str);
        others.find(|other| variables_resemble(own, other.trim_start_matches('?')))
    }

    fn hint(&self) -> String {
        self.meant().map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"))
    }
}

pub(crate) fn unsafe_head(diagnostics: &mut Diagnostics, unbound: &Unbound<'_>) {
    let (name, span) = (unbound.name, unbound.span);
    if unbound.in_fact {
        diagnostics
            .add(UNSAFE_HEAD, span, format!("a fact can't contain a variable, here `{name}`"))
            .help(format!("write a name instead of `{name}`, or a rule with a condition that binds it"));
        return;
    }
    let message = format!("`{name}` is in the head, but no condition gives it a value{}", unbound.hint());
    let diagnostic = diagnostics.add(UNSAFE_HEAD, span, message);
    diagnostic.note("no value");
    match (unbound.constant, unbound.meant()) {
        (Some(constant), _) => diagnostic
            .label(constant, "a name, not a variable")
            .help(format!("write `{name}` there: a variable begins with `?`")),
        (None, Some(meant)) => {
            diagnostic.help(format!("write `{meant}`, or add a condition that contains `{name}`"))
        }
        (None, None) => {
            let such_as =
                unbound.domain.map_or_else(String::new, |domain| format!(", such as `({domain} {name})`"));
            let condition = format!("add a condition without `not` that contains `{name}`{such_as}");
            match unbound.bound {
                [] => diagnostic.help(condition),
                bound => diagnostic.help(format!(
                    "{condition}, or replace `{name}` by a variable that has a value: {}",
                    bound.join(" or ")
                )),
            }
        }
    };
}

pub(crate) fn negation_before_binder(
    diagnostics: &mut Diagnostics,
    span: Span,
    name: &str,
    negation: Negation,
) {
    let note = match negation {
        Negation::Language => format!("evaluated after `{name}` is bound"),
        Negation::InPlace => format!("read here, as \"there is no {name}\""),
    };
    diagnostics
        .add(NEGATION_BEFORE_BINDER, span, format!("`{name}` is bound only after this negation"))
        .note(note);
}

pub(crate) fn negation_without_binder(diagnostics: &mut Diagnostics, span: Span, name: &str) {
    diagnostics
        .add(NEGATION_WITHOUT_BINDER, span, format!("no condition without `not` gives `{name}` a value, which GDL forbids"))
        .note(format!("read as \"there is no {name}\""))
        .help(format!(
            "add a condition that contains `{name}`, or define a relation that says whether such a thing exists, and \
             negate it"
        ));
}

pub(crate) fn distinct_without_binder(diagnostics: &mut Diagnostics, unbound: &Unbound<'_>) {
    let name = unbound.name;
    let message = format!("no condition gives `{name}` a value{}", unbound.hint());
    let diagnostic = diagnostics.add(DISTINCT_WITHOUT_BINDER, unbound.span, message);
    diagnostic.note("this `distinct` is ignored");
    match unbound.meant() {
        Some(meant) => diagnostic.help(format!("write `{meant}`, or add a condition that contains `{name}`")),
        None => diagnostic.help(format!("add a condition that contains `{name}`, or remove the `distinct`")),
    };
}

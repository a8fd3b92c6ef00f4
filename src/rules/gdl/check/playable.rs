//! Requirements on play: every role has a legal move until the end, the game ends, each role then has exactly one goal value,
//! and each role can get 100. This file checks what the rules show; `simulate::run_trial` checks the rest in random games.

use rustc_hash::FxHashSet;

use super::misspelling::meant;
use super::subject::Subject;
use super::{Entry, Group};
use crate::gdl::diagnostic::{Code, Diagnostics, Severity};
use crate::gdl::domain::Domains;
use crate::gdl::keyword::Keyword;
use crate::gdl::rule::{RelationKind, Rule};
use crate::gdl::statement::Expression;
use crate::gdl::term::{Term, TermId};

/// `legal`, `goal` or `does` with a name that is not a role.
pub const NOT_A_ROLE: Code = Code(52);
/// A role without a rule for goal value 100.
pub const NEVER_100: Code = Code(53);
/// A role without a legal move before the end.
pub const NO_MOVE: Code = Code(54);
/// A role with no goal value or several in a terminal state.
pub const GOALS_AT_END: Code = Code(55);
/// A game that does not end.
pub const NO_END: Code = Code(56);

pub(super) const GROUP: Group = Group { name: "play", entries: ENTRIES, check };

const ENTRIES: &[Entry] = &[
    Entry {
        code: NOT_A_ROLE,
        severity: Severity::Warning,
        title: "not a role",
        cause: "The first argument of `legal`, `goal` and `does` is a role. This name is not a role, so the sentence has \
                no effect. The role may be misspelt, or a `?` is missing.",
        example: "(role white)\n(legal whiet wait)",
        corrected: "(role white)\n(legal white wait)",
        remedy: "write the name of a role, or add `(role name)`",
    },
    Entry {
        code: NEVER_100,
        severity: Severity::Warning,
        title: "role that can't get 100",
        cause: "No rule gives this role the goal value 100. GDL requires that every role can reach 100 if all roles \
                cooperate (weak winnability).",
        example: "(role a)\n(legal a go)\n(init (step 1))\n(<= (next (step 2)) (true (step 1)))\n\
                  (<= terminal (true (step 2)))\n(goal a 50)",
        corrected: "(role a)\n(legal a go)\n(init (step 1))\n(<= (next (step 2)) (true (step 1)))\n\
                 (<= terminal (true (step 2)))\n(goal a 100)",
        remedy: "add a rule `(<= (goal role 100) ...)`",
    },
    Entry {
        code: NO_MOVE,
        severity: Severity::Warning,
        title: "role without a legal move",
        cause: "In a random game this role had no legal move in a nonterminal state, so the game could not \
                continue. All roles move in every step: a role whose turn it is not needs a move such as `noop`.",
        example: "(role a)\n(init (step 1))\n(succ 1 2)\n(succ 2 3)\n(<= (legal a go) (true (step 1)))\n\
                  (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))\n(<= terminal (true (step 3)))\n(goal a 100)",
        corrected: "(role a)\n(init (step 1))\n(succ 1 2)\n(succ 2 3)\n(legal a go)\n\
                 (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))\n(<= terminal (true (step 3)))\n(goal a 100)",
        remedy: "add a legal move for the states in which there is none, such as `noop`",
    },
    Entry {
        code: GOALS_AT_END,
        severity: Severity::Warning,
        title: "no goal value, or several, in a terminal state",
        cause: "In a random game this role had no goal value, or several, in a terminal state. GDL requires exactly \
                one.",
        example: "(role a)\n(legal a go)\n(init (step 1))\n(<= (next (step 2)) (true (step 1)))\n\
                  (<= terminal (true (step 2)))\n(<= (goal a 100) (true (step 1)))",
        corrected: "(role a)\n(legal a go)\n(init (step 1))\n(<= (next (step 2)) (true (step 1)))\n\
                 (<= terminal (true (step 2)))\n(<= (goal a 100) (true (step 2)))",
        remedy: "change the conditions of the goal rules so that exactly one value holds in each terminal state",
    },
    Entry {
        code: NO_END,
        severity: Severity::Warning,
        title: "game that does not end",
        cause: "Some random games had not ended after 1000 moves. GDL requires that every game ends.",
        example: "(role a)\n(legal a go)\n(init (step 1))\n(<= (next (step 1)) (true (step 1)))\n\
                  (<= terminal (true (step 2)))\n(<= (next (step 2)) (does a stop))\n(<= (legal a stop) (true (step 3)))\n\
                  (<= (next (step 3)) (true (step 2)))\n(goal a 100)",
        corrected: "(role a)\n(legal a go)\n(init (step 1))\n(<= (next (step 2)) (true (step 1)))\n\
                 (<= terminal (true (step 2)))\n(goal a 100)",
        remedy: "check the rules for `terminal`, or add a step counter that ends the game",
    },
];

fn check(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    // If part of the text was not read, a role may be declared there.
    if subject.complete && !subject.description.roles.is_empty() {
        unknown_roles(subject, diagnostics);
        if !diagnostics.has_errors() {
            never_100(subject, diagnostics);
        }
    }
}

/// Reports names that are used as a role but not declared as one.
fn unknown_roles(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let roles: Vec<String> =
        subject.description.roles.iter().map(|&role| subject.description.term(role)).collect();
    let mut reported = FxHashSet::default();
    for statement in &subject.text.statements {
        Subject::sentences(statement, &mut |sentence, _| {
            if !matches!(sentence.keyword, Some(Keyword::Legal | Keyword::Goal | Keyword::Does)) {
                return;
            }
            let Some(Expression::Application(name, arguments, span)) = sentence.arguments.first() else {
                return;
            };
            let name = subject.text.symbols.name(*name);
            if !arguments.is_empty() || roles.iter().any(|role| role == name) || !reported.insert(name) {
                return;
            }
            let intended = match meant(name, roles.iter().map(String::as_str)) {
                Some(role) => Some(role.to_owned()),
                // A variable of this name exists, so the `?` is probably missing.
                None => subject.text.variables.find(name).map(|_| format!("?{name}")),
            };
            let hint = intended.as_ref().map_or_else(String::new, |role| format!("; did you mean `{role}`?"));
            let diagnostic = diagnostics.add(NOT_A_ROLE, *span, format!("`{name}` is not a role{hint}"));
            match (sentence.keyword, &sentence.arguments[..], intended) {
                (_, _, Some(name)) => diagnostic.help(format!("write `{name}`")),
                (Some(Keyword::Goal), [value, role], None) if name.parse::<i32>().is_ok() => {
                    let (value, role) = (subject.term(value, statement), subject.term(role, statement));
                    diagnostic.help(format!("put the role first: write `(goal {role} {value})`"))
                }
                (_, _, None) => diagnostic.expected(format!("one of {}", roles.join(", "))),
            };
        });
    }
}

/// Reports roles without a rule for goal value 100.
fn never_100(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let description = subject.description;
    let goals: Vec<&Rule> = description
        .rules
        .iter()
        .filter(|rule| description.relations[rule.head.relation.index()].kind == RelationKind::Goal)
        .collect();
    let random = description.random_role();
    let mut domains = None;
    for (number, &role) in description.roles.iter().enumerate() {
        if goals.is_empty() || random == Some(number) {
            continue;
        }
        let of_role = |rule: &&&Rule| may_be(&rule.head.arguments[0], role);
        let is_100 = |value: &TermId| description.term(*value).parse() == Ok(100);
        let gives_100 = |rule: &&Rule| match &rule.head.arguments[1] {
            Term::Ground(value) => is_100(value),
            Term::Compound(..) => false,
            Term::Variable(_) => {
                let domains = domains.get_or_insert_with(|| Domains::of(description));
                domains.argument(rule.head.relation, 1).terms.iter().any(is_100)
            }
        };
        if goals.iter().filter(of_role).any(gives_100) {
            continue;
        }
        let role = description.term(role);
        let (span, message) = match goals.iter().find(of_role) {
            Some(rule) => (rule.span, format!("no rule gives `{role}` the goal value 100")),
            None => (goals[0].span, format!("no rule gives `{role}` a goal value")),
        };
        diagnostics
            .add(NEVER_100, span, message)
            .note("first goal rule")
            .help(format!("add a rule `(<= (goal {role} 100) condition ...)`"));
    }
}

/// Whether a term in the head of a rule can be instantiated to `role`.
fn may_be(term: &Term, role: TermId) -> bool {
    !matches!(term, Term::Ground(other) if *other != role)
}

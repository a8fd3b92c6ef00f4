//! Whether a game can be played as GDL requires: every role can move until the end, the game ends, and then each
//! role has one goal value and could have had 100. Some of it shows in the rules; the rest random games show, which
//! `simulate::run_trial` plays.

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

/// `legal`, `goal` or `does` of something that is not a role.
pub const NOT_A_ROLE: Code = Code(52);
/// A role that no rule gives goal 100.
pub const NEVER_100: Code = Code(53);
/// A role that can't move before the end.
pub const NO_MOVE: Code = Code(54);
/// A role without a goal value, or with several, at the end.
pub const GOALS_AT_END: Code = Code(55);
/// Games that do not end.
pub const NO_END: Code = Code(56);

pub(super) const GROUP: Group = Group { name: "play", entries: ENTRIES, check };

const ENTRIES: &[Entry] = &[
    Entry {
        code: NOT_A_ROLE,
        severity: Severity::Warning,
        title: "not a role",
        cause: "`legal`, `goal` or `does` names something that is not a role, so the sentence says nothing about the game. \
                Mostly the role is misspelt.",
        example: "(role white)\n(legal whiet wait)",
        mended: "(role white)\n(legal white wait)",
        remedy: "write the name of a role, or add `(role name)`",
    },
    Entry {
        code: NEVER_100,
        severity: Severity::Warning,
        title: "role that can't get 100",
        cause: "No rule gives this role the goal value 100. GDL requires games in which every role can reach 100, \
                with the help of the others (weak winnability).",
        example: "(role a)\n(legal a go)\n(init (step 1))\n(<= (next (step 2)) (true (step 1)))\n\
                  (<= terminal (true (step 2)))\n(goal a 50)",
        mended: "(role a)\n(legal a go)\n(init (step 1))\n(<= (next (step 2)) (true (step 1)))\n\
                 (<= terminal (true (step 2)))\n(goal a 100)",
        remedy: "add a rule `(<= (goal role 100) ...)`",
    },
    Entry {
        code: NO_MOVE,
        severity: Severity::Warning,
        title: "role without a legal move",
        cause: "`ggp check` played random games, and in a position that is not terminal this role had no legal move. Then \
                no role can go on. A role that is not to move needs a move as well, such as `noop`.",
        example: "(role a)\n(init (step 1))\n(succ 1 2)\n(succ 2 3)\n(<= (legal a go) (true (step 1)))\n\
                  (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))\n(<= terminal (true (step 3)))\n(goal a 100)",
        mended: "(role a)\n(init (step 1))\n(succ 1 2)\n(succ 2 3)\n(legal a go)\n\
                 (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))\n(<= terminal (true (step 3)))\n(goal a 100)",
        remedy: "give the role a legal move in every position that is not terminal, such as `noop`",
    },
    Entry {
        code: GOALS_AT_END,
        severity: Severity::Warning,
        title: "no goal value, or several, at the end",
        cause: "`ggp check` played random games, and in a terminal position this role had no goal value, or several. GDL \
                requires exactly one.",
        example: "(role a)\n(legal a go)\n(init (step 1))\n(<= (next (step 2)) (true (step 1)))\n\
                  (<= terminal (true (step 2)))\n(<= (goal a 100) (true (step 1)))",
        mended: "(role a)\n(legal a go)\n(init (step 1))\n(<= (next (step 2)) (true (step 1)))\n\
                 (<= terminal (true (step 2)))\n(<= (goal a 100) (true (step 2)))",
        remedy: "let exactly one goal rule of the role hold in every terminal position",
    },
    Entry {
        code: NO_END,
        severity: Severity::Warning,
        title: "games that do not end",
        cause: "`ggp check` played random games, and some had not ended after 1000 moves. GDL requires every game \
                to end. Such a game may be very long, or never end.",
        example: "(role a)\n(legal a go)\n(init (step 1))\n(<= (next (step 1)) (true (step 1)))\n\
                  (<= terminal (true (step 2)))\n(<= (next (step 2)) (does a stop))\n(<= (legal a stop) (true (step 3)))\n\
                  (<= (next (step 3)) (true (step 2)))\n(goal a 100)",
        mended: "(role a)\n(legal a go)\n(init (step 1))\n(<= (next (step 2)) (true (step 1)))\n\
                 (<= terminal (true (step 2)))\n(goal a 100)",
        remedy: "check the rules for `terminal`, or count the moves and end the game at a number of them",
    },
];

fn check(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    // With part of the text unread, what looks missing may only be unread.
    if subject.complete && !subject.description.roles.is_empty() {
        strangers(subject, diagnostics);
        if !diagnostics.has_errors() {
            never_100(subject, diagnostics);
        }
    }
}

/// What is named as a role and is not one.
fn strangers(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
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
            let meant = meant(name, roles.iter().map(String::as_str));
            let hint = meant.map_or_else(String::new, |role| format!("; did you mean `{role}`?"));
            diagnostics
                .add(NOT_A_ROLE, *span, format!("`{name}` is not a role{hint}"))
                .note("named as a role")
                .expected(
                    meant.map_or_else(|| format!("one of {}", roles.join(", ")), |role| format!("`{role}`")),
                );
        });
    }
}

/// Roles that no rule gives the goal value 100.
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
            .note("goal values are given from here on")
            .expected(format!("a rule `(<= (goal {role} 100) ...)`"));
    }
}

/// Whether a term of a rule's head can be a role.
fn may_be(term: &Term, role: TermId) -> bool {
    !matches!(term, Term::Ground(other) if *other != role)
}

//! The parts that every game needs: roles, legal moves, successors, terminal states, goal values.

use super::misspelling::resembles;
use super::subject::Subject;
use super::{Entry, Group};
use crate::gdl::diagnostic::{Code, Diagnostics, Severity};
use crate::gdl::keyword::Keyword;
use crate::gdl::rule::Rule;
use crate::gdl::source::Span;

/// The game has no role.
pub const NO_ROLE: Code = Code(33);
/// The game has no rule for `legal`.
pub const NO_LEGAL: Code = Code(34);
/// The game has no rule for `next`.
pub const NO_NEXT: Code = Code(35);
/// The game has no rule for `terminal`.
pub const NO_TERMINAL: Code = Code(36);
/// The game has no rule for `goal`.
pub const NO_GOAL: Code = Code(37);

pub(super) const GROUP: Group = Group { name: "missing parts", entries: ENTRIES, check };

const ENTRIES: &[Entry] = &[
    Entry {
        code: NO_ROLE,
        severity: Severity::Error,
        title: "no role",
        cause: "A game has at least one role. Each role is a fact.",
        example: "(legal a b)",
        corrected: "(role a)",
        remedy: "add a fact for each player, such as `(role white)`",
    },
    Entry {
        code: NO_LEGAL,
        severity: Severity::Error,
        title: "no rule for `legal`",
        cause: "Rules for `legal` say which moves a role may choose. Without them no role can ever move.",
        example: "(role a)",
        corrected: "(role a)\n(legal a b)",
        remedy: "add a rule such as `(<= (legal ?player noop) (role ?player))`",
    },
    Entry {
        code: NO_NEXT,
        severity: Severity::Error,
        title: "no rule for `next`",
        cause: "Rules for `next` say what holds after a move. Without them every state but the first is empty.",
        example: "(role a)",
        corrected: "(role a)\n(<= (next (cell ?x)) (true (cell ?x)))",
        remedy: "add a rule such as `(<= (next (cell ?x)) (true (cell ?x)))`",
    },
    Entry {
        code: NO_TERMINAL,
        severity: Severity::Error,
        title: "no rule for `terminal`",
        cause: "Rules for `terminal` say when the game ends. Without them it never ends.",
        example: "(role a)",
        corrected: "(role a)\n(<= terminal (true (cell 3)))",
        remedy: "add a rule such as `(<= terminal (true (step 10)))`",
    },
    Entry {
        code: NO_GOAL,
        severity: Severity::Error,
        title: "no rule for `goal`",
        cause: "Rules for `goal` give each role a value from 0 to 100. Without them no role can win.",
        example: "(role a)",
        corrected: "(role a)\n(goal a 100)",
        remedy: "add a rule for each result, such as `(<= (goal white 100) (true (won white)))`",
    },
];

fn check(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let parts = [
        (Keyword::Role, NO_ROLE, "the game has no role"),
        (Keyword::Legal, NO_LEGAL, "no rule for `legal`: no role can ever move"),
        (Keyword::Next, NO_NEXT, "no rule for `next`: every state but the first is empty"),
        (Keyword::Terminal, NO_TERMINAL, "no rule for `terminal`: the game never ends"),
        (Keyword::Goal, NO_GOAL, "no rule for `goal`: no role gets a goal value"),
    ];
    let faulty = diagnostics.has_errors();
    for (keyword, code, message) in parts {
        let description = subject.description;
        let is_of =
            |rule: &Rule| Some(description.relations[rule.head.relation.index()].kind) == keyword.kind();
        let stated = subject.text.statements.iter().any(|statement| statement.head.keyword == Some(keyword));
        // Normalisation drops a correct statement if one of its conditions can never hold.
        let given = stated && (faulty || description.rules.iter().any(is_of));
        // The missing statement may be one that was not read because of another fault.
        let perhaps = !subject.complete && subject.text.symbols.find(keyword.name()).is_some();
        if given || perhaps {
            continue;
        }
        if stated {
            let message = format!("no rule for `{}` can ever apply", keyword.name());
            diagnostics.add(code, Span::default(), message).note("in the whole file");
        } else if let Some((written, span)) = misspelt(subject, keyword) {
            diagnostics
                .add(code, span, message)
                .note(format!("`{written}` may be a misspelling of `{}`", keyword.name()))
                .help(format!("write `{}` instead of `{written}`", keyword.name()));
        } else {
            let diagnostic = diagnostics.add(code, Span::default(), message).note("in the whole file");
            if let (NO_GOAL, Some(&role)) = (code, description.roles.first()) {
                let role = description.term(role);
                diagnostic.help(format!(
                    "add a rule for each result, such as `(<= (goal {role} 100) (true (won {role})))`"
                ));
            }
        }
    }
}

/// The first head whose name resembles a keyword and that has its number of arguments.
fn misspelt<'s>(subject: &Subject<'s>, keyword: Keyword) -> Option<(&'s str, Span)> {
    let heads = subject.text.statements.iter().map(|statement| &statement.head);
    let mut alike = heads.filter_map(|head| {
        let name = subject.text.symbols.name(head.name);
        let fits = head.keyword.is_none() && keyword.arity() == Some(head.arguments.len());
        (fits && resembles(name, keyword.name())).then_some((name, head.span))
    });
    alike.next()
}

//! Relations that nothing uses, and relations that nothing gives.

use super::misspelling::meant;
use super::subject::{Position, Subject};
use super::{Entry, Group};
use crate::gdl::dependency::Use;
use crate::gdl::diagnostic::{Code, Diagnostics, Severity};
use crate::gdl::keyword::Keyword;
use crate::gdl::rule::{Literal, Relation, RelationId, RelationKind};
use crate::gdl::source::Span;

/// A relation no rule uses.
pub const UNUSED: Code = Code(43);
/// A relation none of whose atoms can ever hold.
pub const NEVER_DERIVABLE: Code = Code(44);

pub(super) const GROUP: Group = Group { name: "usage", entries: ENTRIES, check };

/// Relations that programs around games look for: by convention they list the fluents and the moves, and say what
/// players see.
const CONVENTIONS: [&str; 3] = ["base", "input", "sees"];

const ENTRIES: &[Entry] = &[
    Entry {
        code: UNUSED,
        severity: Severity::Warning,
        title: "unused relation",
        cause: "A relation is defined and no rule of another relation asks for it. It costs time and may be a slip \
                of the pen. (`base`, `input` and `sees` are known conventions \
                and not reported.)",
        example: "(role a)\n(colour red)",
        mended: "(role a)\n(colour red)\n(<= (legal a (paint ?c)) (colour ?c))",
        remedy: "remove the relation, or use it",
    },
    Entry {
        code: NEVER_DERIVABLE,
        severity: Severity::Warning,
        title: "relation that can never hold",
        cause: "Nothing can make an atom of this relation true: it has no rule, or each of its rules needs another \
                such relation. A rule that needs it never fires; its negation always holds. Where a variable stands \
                for a whole fluent or move and nothing gives it one, the rule is reported itself. A relation that \
                nothing gives may be misspelt: the message names one that it resembles.",
        example: "(role a)\n(<= terminal (true (step 10)))",
        mended: "(role a)\n(init (step 1))\n(<= (next (step 10)) (true (step 1)))\n(<= terminal (true (step 10)))",
        remedy: "check the spelling and the number of arguments, or add the rule that is missing",
    },
];

fn check(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    unused(subject, diagnostics);
    // With part of the text unread, what looks missing may only be unread.
    if subject.complete {
        never_derivable(subject, diagnostics);
    }
}

/// A rule with a variable for a whole fluent or move that nothing can stand for.
pub(crate) fn never_fires(diagnostics: &mut Diagnostics, span: Span, name: &str) {
    diagnostics
        .add(NEVER_DERIVABLE, span, format!("nothing can stand for {name}, so this rule never fires"))
        .note("needed here")
        .expected(format!("a relation by which some fact or rule gives {name} a fluent or move"));
}

fn unused(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let description = subject.description;
    let mut used = vec![false; description.relations.len()];
    for (head, uses) in subject.dependencies.uses.iter().enumerate() {
        uses.iter()
            .filter(|other| other.relation.index() != head)
            .for_each(|u| used[u.relation.index()] = true);
    }
    for (id, relation) in description.relation_ids() {
        let name = description.symbols.name(relation.name);
        let Some(&rule) = description.rules_of[id.index()].first() else { continue };
        let asked_by_left_out = || subject.text.left_out.iter().any(|statement| subject.asks(statement, id));
        if relation.kind == RelationKind::View
            && !used[id.index()]
            && !CONVENTIONS.contains(&name)
            && !asked_by_left_out()
        {
            let place = subject.statement(rule).head.span;
            // The head may be meant to be a word of the language, or a relation that some rule asks for.
            let wanted = description.relation_ids().filter(|(other, asked)| {
                asked.kind == RelationKind::View && used[other.index()] && asked.arity == relation.arity
            });
            let wanted = wanted.map(|(_, asked)| description.symbols.name(asked.name));
            let words = Keyword::ALL.iter().filter(|word| word.arity() == Some(relation.arity));
            let meant = meant(name, words.map(|word| word.name()).chain(wanted));
            diagnostics
                .add(UNUSED, place, format!("no rule uses {}{}", subject.title(id), hint(meant)))
                .note("defined here")
                .expected("a rule of another relation that asks for it");
        }
    }
}

fn never_derivable(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let derivable = derivable(subject);
    let description = subject.description;
    let mut first_use: Vec<Option<Use>> = vec![None; description.relations.len()];
    for &used in subject.dependencies.uses.iter().flatten() {
        first_use[used.relation.index()].get_or_insert(used);
    }
    for (id, relation) in description.relation_ids() {
        if derivable[id.index()] || relation.kind == RelationKind::Auxiliary {
            continue;
        }
        let (span, note) = match (first_use[id.index()], description.rules_of[id.index()].first()) {
            (Some(used), _) if from_variable(subject, used) => continue,
            (Some(used), _) => (subject.place(used), "used here"),
            (None, Some(&rule)) => (subject.statement(rule).head.span, "this rule never fires"),
            (None, None) => continue,
        };
        let meant = hint(meant_instead(subject, relation));
        diagnostics
            .add(NEVER_DERIVABLE, span, format!("{} can never hold{meant}", subject.title(id)))
            .note(note)
            .expected("a relation that some fact or rule gives");
    }
}

/// What a relation that no rule gives is likely a misspelling of: a word of the language, or a name that rules give in its
/// place with as many arguments.
fn meant_instead<'s>(subject: &Subject<'s>, missing: &Relation) -> Option<&'s str> {
    let description = subject.description;
    let gives = |kind: RelationKind| match missing.kind {
        RelationKind::True => matches!(kind, RelationKind::Init | RelationKind::Next),
        RelationKind::Does => kind == RelationKind::Legal,
        own => kind == own,
    };
    let given = description.relation_ids().filter(|(id, other)| {
        gives(other.kind) && other.arity == missing.arity && !description.rules_of[id.index()].is_empty()
    });
    let given: Vec<&str> = given.map(|(_, other)| description.symbols.name(other.name)).collect();
    let name = description.symbols.name(missing.name);
    if given.contains(&name) {
        return None;
    }
    let words = Keyword::ALL.iter().filter(|word| {
        let operands = match word {
            Keyword::Not => Some(1),
            Keyword::Distinct => Some(2),
            word => word.arity(),
        };
        missing.kind == RelationKind::View && operands == Some(missing.arity)
    });
    meant(name, given.into_iter().chain(words.map(|word| word.name())))
}

/// The question at the end of a message.
fn hint(meant: Option<&str>) -> String {
    meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// Whether a use comes from a variable for a whole fluent or move: then not the use but the expansion made it.
fn from_variable(subject: &Subject<'_>, used: Use) -> bool {
    let mut exact = false;
    Subject::sentences(subject.statement(used.rule), &mut |sentence, position| {
        let whole = sentence.keyword.and_then(|keyword| sentence.arguments.get(keyword.whole()?));
        let variable = matches!(whole, Some(crate::gdl::statement::Expression::Variable(..)));
        exact |= position == Position::Body && !variable && subject.is_of(sentence, used.relation);
    });
    !exact
}

/// For every relation whether some atom of it can hold as far as positive literals tell.
fn derivable(subject: &Subject<'_>) -> Vec<bool> {
    let description = subject.description;
    let count = description.relations.len();
    // How many positive literals of each rule still wait, and which rules wait for a relation.
    let mut waiting: Vec<usize> = Vec::with_capacity(description.rules.len());
    let mut waiters: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut derivable = vec![false; count];
    let mut queue: Vec<RelationId> = Vec::new();
    let reach = |relation: RelationId, derivable: &mut Vec<bool>, queue: &mut Vec<RelationId>| {
        if !std::mem::replace(&mut derivable[relation.index()], true) {
            queue.push(relation);
        }
    };
    for (number, rule) in description.rules.iter().enumerate() {
        let atoms = rule.body.iter().filter_map(|literal| match literal {
            Literal::Positive(atom) => Some(atom.relation),
            _ => None,
        });
        let before: usize = atoms.map(|relation| waiters[relation.index()].push(number)).count();
        waiting.push(before);
        if before == 0 {
            reach(rule.head.relation, &mut derivable, &mut queue);
        }
    }
    while let Some(relation) = queue.pop() {
        for &rule in &waiters[relation.index()] {
            waiting[rule] -= 1;
            if waiting[rule] == 0 {
                reach(description.rules[rule].head.relation, &mut derivable, &mut queue);
            }
        }
        let given = &description.relations[relation.index()];
        let gives = match given.kind {
            RelationKind::Init | RelationKind::Next => RelationKind::True,
            RelationKind::Legal => RelationKind::Does,
            _ => continue,
        };
        if let Some(target) = description.relation(gives, given.name, given.arity) {
            reach(target, &mut derivable, &mut queue);
        }
    }
    derivable
}

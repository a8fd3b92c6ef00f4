//! Unused relations, and relations that can never hold.

use rustc_hash::FxHashSet;

use super::misspelling::{meant, resembles};
use super::subject::{Position, Subject};
use super::vocabulary::RELATION_ARITY;
use super::{Entry, Group, suggestion, words};
use crate::catalog::counted;
use crate::gdl::dependency::Use;
use crate::gdl::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::gdl::keyword::Keyword;
use crate::gdl::rule::{Literal, Relation, RelationId, RelationKind};
use crate::gdl::source::Span;
use crate::gdl::statement::{Expression, Sentence, Statement};
use crate::gdl::symbol::Symbol;

/// A relation that no rule uses.
pub const UNUSED: Code = Code(43);
/// A relation that can never hold.
pub const NEVER_DERIVABLE: Code = Code(44);

pub(super) const GROUP: Group = Group { name: "usage", entries: ENTRIES, check };

/// Relations for other programs: by convention `base` and `input` list the fluents and the moves, and `sees` what players see.
const CONVENTIONS: [&str; 3] = ["base", "input", "sees"];

const ENTRIES: &[Entry] = &[
    Entry {
        code: UNUSED,
        severity: Severity::Warning,
        title: "unused relation",
        cause: "A relation is defined, but no rule of another relation uses it. It may be misspelt, or a keyword such as \
                `init` or `next` is missing around it. `base`, `input` and `sees` are not reported: other programs use \
                them.",
        example: "(role a)\n(colour red)",
        corrected: "(role a)\n(colour red)\n(<= (legal a (paint ?c)) (colour ?c))",
        remedy: "use the relation in a rule, or remove it",
    },
    Entry {
        code: NEVER_DERIVABLE,
        severity: Severity::Warning,
        title: "relation that can never hold",
        cause: "No fact or rule makes this relation, fluent or move true, so a rule that needs it never applies, and its \
                negation always holds. Relations that can't hold because of it are not reported. The name may be \
                misspelt, or a keyword such as `true` is missing or superfluous.",
        example: "(role a)\n(init (step 1))\n(<= terminal (true (setp 10)))",
        corrected: "(role a)\n(init (step 1))\n(<= (next (step 10)) (true (step 1)))\n(<= terminal (true (step 10)))",
        remedy: "correct the spelling or the number of arguments, or add the missing fact or rule",
    },
];

fn check(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    check_unused(subject, diagnostics);
    // If a part of the text was not read, a relation may only seem to be undefined.
    if subject.complete {
        check_derivable(subject, diagnostics);
    }
}

/// Reports a rule with a variable for a whole fluent or move for which no fluent or move exists.
pub(crate) fn never_fires(diagnostics: &mut Diagnostics, span: Span, name: &str) {
    diagnostics
        .add(NEVER_DERIVABLE, span, format!("`{name}` has no value, so this rule never applies"))
        .note("needed here")
        .help(format!("add a fact or rule that gives `{name}` a fluent or move"));
}

fn check_unused(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let description = subject.description;
    let mut used = vec![false; description.relations.len()];
    for (head, uses) in subject.dependencies.uses.iter().enumerate() {
        uses.iter()
            .filter(|other| other.relation.index() != head)
            .for_each(|u| used[u.relation.index()] = true);
    }
    let defined = |relation: RelationId| !description.rules_of[relation.index()].is_empty();
    let in_faulty = uses_in_faulty_rules(subject, diagnostics);
    let mut stray: Vec<&Statement> = Vec::new();
    for (id, relation) in description.relation_ids() {
        let name = description.symbols.name(relation.name);
        let Some(&rule) = description.rules_of[id.index()].first() else { continue };
        let used_by_ignored = || subject.text.left_out.iter().any(|statement| subject.asks(statement, id));
        if relation.kind != RelationKind::View
            || used[id.index()]
            || CONVENTIONS.contains(&name)
            || used_by_ignored()
            || in_faulty.contains(&(relation.name, relation.arity))
            || subject.text.unread.contains(&relation.name)
        {
            continue;
        }
        let statement = subject.statement(rule);
        if is_word(statement, name) {
            // `words::punctuation` reports words with punctuation.
            stray.extend((!name.contains(words::MARKS)).then_some(statement));
            continue;
        }
        // `completeness` reports the head as a misspelt keyword.
        let reported =
            |fault: &Diagnostic| fault.severity == Severity::Error && fault.span() == statement.head.span;
        if diagnostics.listed().any(reported) {
            continue;
        }
        // `vocabulary` reports its only use, with another number of arguments.
        let is_label =
            |fault: &Diagnostic| fault.labels.iter().any(|label| label.span == statement.head.span);
        if diagnostics.listed().any(|fault| fault.code == RELATION_ARITY && is_label(fault)) {
            continue;
        }
        let used_views = description.relation_ids().filter(|(other, view)| {
            view.kind == RelationKind::View && used[other.index()] && view.arity == relation.arity
        });
        let used_views: Vec<(RelationId, &str)> =
            used_views.map(|(other, view)| (other, description.symbols.name(view.name))).collect();
        // A use of this relation is misspelt: `check_derivable` reports the use.
        if used_views.iter().any(|&(other, view)| !defined(other) && resembles(name, view)) {
            continue;
        }
        let views = used_views.iter().filter(|&&(other, _)| defined(other)).map(|&(_, view)| view);
        let keywords = Keyword::ALL.iter().filter(|word| word.arity() == Some(relation.arity));
        let meant = meant(name, keywords.map(|word| word.name()).chain(views));
        let head = &statement.head;
        let uses_itself = subject.dependencies.uses[id.index()].iter().any(|used| used.relation == id);
        let users = if uses_itself { "only its own rule uses" } else { "no rule uses" };
        let message = format!("{users} {}{}", subject.title(id), hint(meant));
        let diagnostic = diagnostics.add(UNUSED, head.span, message);
        diagnostic.note("defined here");
        match (meant, keyword_around(subject, relation, statement)) {
            (Some(meant), _) => diagnostic.help(format!("write `{meant}`, or use the relation in a rule")),
            (None, Some((keyword, what))) => {
                let term = subject.application(name, &head.arguments, statement);
                let role = if keyword == Keyword::Legal { "role " } else { "" };
                diagnostic.help(format!("write `({} {role}{term})`: `{name}` is a {what}", keyword.name()))
            }
            (None, None) => continue,
        };
    }
    report_stray_words(subject, stray, diagnostics);
}

/// The relations, by name and arity, that rules of other relations use, if some rule has an error. The description lacks
/// such rules.
fn uses_in_faulty_rules(subject: &Subject<'_>, diagnostics: &Diagnostics) -> FxHashSet<(Symbol, usize)> {
    let mut uses = FxHashSet::default();
    if diagnostics.has_errors() {
        for statement in &subject.text.statements {
            let key = |sentence: &Sentence| (sentence.name, sentence.arguments.len());
            Subject::sentences(statement, &mut |sentence, position| {
                if position == Position::Body && key(sentence) != key(&statement.head) {
                    uses.insert(key(sentence));
                }
            });
        }
    }
    uses
}

/// Whether a statement is a word outside parentheses.
fn is_word(statement: &Statement, name: &str) -> bool {
    statement.body.is_empty() && (statement.span.end - statement.span.start) as usize == name.len()
}

/// Reports words outside parentheses, one fault for words that follow each other.
fn report_stray_words(subject: &Subject<'_>, mut stray: Vec<&Statement>, diagnostics: &mut Diagnostics) {
    stray.sort_unstable_by_key(|statement| statement.span.start);
    // Only white space of one character is between them.
    for run in stray.chunk_by(|one, next| one.span.end + 1 == next.span.start) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
        let span = Span { start: first.span.start, end: last.span.end };
        words::outside(diagnostics, span, subject.text.symbols.name(first.head.name));
    }
}

/// The keyword that is missing around the head of a statement, with "fluent" or "move", if its relation is one elsewhere.
fn keyword_around(
    subject: &Subject<'_>,
    relation: &Relation,
    statement: &Statement,
) -> Option<(Keyword, &'static str)> {
    let exists =
        |kind, roles| subject.description.relation(kind, relation.name, relation.arity + roles).is_some();
    if exists(RelationKind::True, 0) || exists(RelationKind::Next, 0) || exists(RelationKind::Init, 0) {
        let keyword = if statement.body.is_empty() { Keyword::Init } else { Keyword::Next };
        Some((keyword, "fluent"))
    } else if exists(RelationKind::Does, 1) || exists(RelationKind::Legal, 1) {
        Some((Keyword::Legal, "move"))
    } else {
        None
    }
}

/// Reports relations that can never hold, without those that only follow from others.
fn check_derivable(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let derivable = derivable_relations(subject);
    let description = subject.description;
    let mut first_use: Vec<Option<Use>> = vec![None; description.relations.len()];
    for &used in subject.dependencies.uses.iter().flatten() {
        first_use[used.relation.index()].get_or_insert(used);
    }
    let causes = causes(subject, &derivable);
    // After an error, a fluent or move that is not misspelt may only be missing because of that error.
    let only_views = diagnostics.has_errors();
    let is_keyword = |name: &str| Keyword::ALL.iter().any(|keyword| keyword.name() == name);
    for (id, relation) in description.relation_ids() {
        let name = description.symbols.name(relation.name);
        if !causes[id.index()]
            || relation.kind == RelationKind::Auxiliary
            // `vocabulary` reports keywords in the place of a fluent or move.
            || relation.kind != RelationKind::View && is_keyword(name)
        {
            continue;
        }
        let (span, note, used) = match (first_use[id.index()], description.rules_of[id.index()].first()) {
            (Some(used), _) if from_variable(subject, used) => continue,
            (Some(used), _) => (subject.place(used), "used here", Some(used)),
            (None, Some(&rule)) => (subject.statement(rule).head.span, "this rule never applies", None),
            (None, None) => continue,
        };
        // `vocabulary` reports a use with the wrong number of arguments.
        if diagnostics.listed().any(|fault| fault.code == RELATION_ARITY && fault.span() == span) {
            continue;
        }
        let meant = meant_instead(subject, relation);
        if only_views && meant.is_none() && relation.kind != RelationKind::View {
            continue;
        }
        let message = match (relation.kind, description.rules_of[id.index()].is_empty()) {
            (RelationKind::View, true) => format!("no fact or rule defines {}", subject.title(id)),
            (RelationKind::True, _) => format!("{} can never hold", subject.title(id)),
            (RelationKind::Does, _) => format!("{} can never happen", subject.title(id)),
            (_, _) => format!("{} can never hold", subject.title(id)),
        };
        let diagnostic = diagnostics.add(NEVER_DERIVABLE, span, message + &hint(meant));
        diagnostic.note(note);
        let help = match meant {
            Some(meant) => Some(format!("write `{meant}`, or define `{name}`")),
            None => remedy(subject, id, used),
        };
        if let Some(help) = help {
            diagnostic.help(help);
        }
    }
}

/// The relations that can never hold for a reason of their own: those without rules that produce them, and one of each cycle
/// that is left.
fn causes(subject: &Subject<'_>, derivable: &[bool]) -> Vec<bool> {
    let description = subject.description;
    let producers = |id: RelationId| {
        let relation = &description.relations[id.index()];
        let kinds: &[RelationKind] = match relation.kind {
            RelationKind::True => &[RelationKind::Init, RelationKind::Next],
            RelationKind::Does => &[RelationKind::Legal],
            _ => return vec![id],
        };
        kinds.iter().filter_map(|&kind| description.relation(kind, relation.name, relation.arity)).collect()
    };
    // For every relation that can't hold: the relations that need it.
    let mut consequences: Vec<Vec<usize>> = vec![Vec::new(); derivable.len()];
    let mut pending = Vec::new();
    let mut causes = vec![false; derivable.len()];
    for (id, _) in description.relation_ids().filter(|(id, _)| !derivable[id.index()]) {
        let producers = producers(id);
        let rules = producers.iter().flat_map(|producer| &description.rules_of[producer.index()]);
        if rules.clone().next().is_none() {
            causes[id.index()] = true;
            pending.push(id.index());
        }
        for &rule in rules {
            for literal in &description.rules[rule as usize].body {
                if let Literal::Positive(atom) = literal
                    && !derivable[atom.relation.index()]
                {
                    consequences[atom.relation.index()].push(id.index());
                }
            }
        }
    }
    let mut explained = causes.clone();
    loop {
        while let Some(relation) = pending.pop() {
            for &consequence in &consequences[relation] {
                if !std::mem::replace(&mut explained[consequence], true) {
                    pending.push(consequence);
                }
            }
        }
        // The remaining relations form cycles, such as a fluent that only its own `next` rule could make true.
        let open = |kind: Option<RelationKind>| {
            description.relation_ids().find(|(id, relation)| {
                !derivable[id.index()]
                    && !explained[id.index()]
                    && kind.is_none_or(|kind| relation.kind == kind)
            })
        };
        let Some((id, _)) = open(Some(RelationKind::True)).or_else(|| open(None)) else { return causes };
        (causes[id.index()], explained[id.index()]) = (true, true);
        pending.push(id.index());
    }
}

/// The remedy for a relation that can never hold and resembles no other one.
fn remedy(subject: &Subject<'_>, id: RelationId, used: Option<Use>) -> Option<String> {
    let description = subject.description;
    let relation = &description.relations[id.index()];
    let name = description.symbols.name(relation.name);
    let exists = |kind, roles| description.relation(kind, relation.name, relation.arity + roles);
    let defined = |kind| exists(kind, 0).is_some_and(|id| !description.rules_of[id.index()].is_empty());
    let literal = used.and_then(|used| subject.literal_of(used));
    let text = |terms: &[Expression], statement| subject.application(name, terms, statement);
    match (relation.kind, literal) {
        (RelationKind::View, Some((sentence, statement))) => {
            let term = text(&sentence.arguments, statement);
            if let Some(help) = suggestion::for_operator(name) {
                Some(help.to_owned())
            } else if defined(RelationKind::Init) || defined(RelationKind::Next) {
                Some(format!("write `(true {term})`: `{name}` is a fluent"))
            } else if exists(RelationKind::Legal, 1).is_some() {
                Some(format!("write `(does role {term})`: `{name}` is a move"))
            } else {
                Some(format!("add a fact or rule for {}, or correct the spelling", subject.title(id)))
            }
        }
        (RelationKind::True, _)
            if exists(RelationKind::View, 0).is_some_and(|view| is_used(subject, view)) =>
        {
            Some(format!("remove `true`: `{name}` is a relation, not a fluent"))
        }
        (RelationKind::True, _) if let Some(arity) = other_arity(subject, relation) => {
            let arguments = counted(arity as u64, "argument", "arguments");
            Some(format!("write `{name}` with {arguments}, as elsewhere"))
        }
        (RelationKind::True, _) => {
            let fluent = subject.title(id).replace("(true ", "(init ");
            Some(format!("add {fluent} or a rule for `next`, or correct the spelling"))
        }
        (RelationKind::Does, _) => {
            let action = subject.title(id).replace("(does ", "(legal ");
            Some(format!("add a rule for {action}, or correct the spelling"))
        }
        (_, _) => None,
    }
}

/// Whether a rule of another relation uses a relation.
fn is_used(subject: &Subject<'_>, relation: RelationId) -> bool {
    let uses = subject.dependencies.uses.iter().enumerate();
    uses.filter(|(head, _)| *head != relation.index())
        .any(|(_, uses)| uses.iter().any(|used| used.relation == relation))
}

/// Another number of arguments with which rules produce a fluent of this name.
fn other_arity(subject: &Subject<'_>, fluent: &Relation) -> Option<usize> {
    let mut others = subject.description.relation_ids().filter(|(id, other)| {
        matches!(other.kind, RelationKind::Init | RelationKind::Next)
            && (other.name, other.arity == fluent.arity) == (fluent.name, false)
            && !subject.description.rules_of[id.index()].is_empty()
    });
    others.next().map(|(_, other)| other.arity)
}

/// The name that an undefined relation probably misspells: a keyword, or a defined name of the same kind and arity.
fn meant_instead<'s>(subject: &Subject<'s>, missing: &Relation) -> Option<&'s str> {
    let description = subject.description;
    let produces = |kind: RelationKind| match missing.kind {
        RelationKind::True => matches!(kind, RelationKind::Init | RelationKind::Next),
        RelationKind::Does => kind == RelationKind::Legal,
        own => kind == own,
    };
    let given = description.relation_ids().filter(|(id, other)| {
        produces(other.kind) && other.arity == missing.arity && !description.rules_of[id.index()].is_empty()
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

/// The question at the end of a message, if a misspelling is likely.
fn hint(meant: Option<&str>) -> String {
    meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// Whether `normalise::expand` made a use from a variable for a whole fluent or move.
fn from_variable(subject: &Subject<'_>, used: Use) -> bool {
    let mut exact = false;
    Subject::sentences(subject.statement(used.rule), &mut |sentence, position| {
        let whole = sentence.keyword.and_then(|keyword| sentence.arguments.get(keyword.whole()?));
        let variable = matches!(whole, Some(Expression::Variable(..)));
        exact |= position == Position::Body && !variable && subject.is_of(sentence, used.relation);
    });
    !exact
}

/// For every relation whether an atom of it can hold if all negated literals hold.
fn derivable_relations(subject: &Subject<'_>) -> Vec<bool> {
    let description = subject.description;
    let count = description.relations.len();
    // The number of conditions of each rule that are not derivable yet, and the rules with a condition of each relation.
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

//! Recursion: stratified negation, and bounded arguments of recursive literals.

use super::subject::Subject;
use super::{Entry, Group};
use crate::gdl::diagnostic::{Code, Diagnostics, Severity};
use crate::gdl::rule::{Atom, Literal};
use crate::gdl::source::Span;
use crate::gdl::term::Term;

/// A relation depends on its own negation.
pub const UNSTRATIFIED: Code = Code(30);
/// A relation depends on its own negation, for different constants.
pub const BROKEN_CYCLE: Code = Code(31);
/// A recursive literal has an unbounded argument.
pub const RECURSION: Code = Code(32);

pub(super) const GROUP: Group = Group { name: "recursion", entries: ENTRIES, check };

const ENTRIES: &[Entry] = &[
    Entry {
        code: UNSTRATIFIED,
        severity: Severity::Error,
        title: "relation that depends on its own negation",
        cause: "A relation depends on its own negation, through the rules shown. GDL forbids this, because such rules have \
                no unique meaning: with `p` if not `q`, and `q` if not `p`, either may hold. Negation must be stratified.",
        example: "(<= p (not q))\n(<= q (not p))",
        corrected: "(<= p (not q))\n(<= q (true r))",
        remedy: "break the cycle: define one of these relations without the others",
    },
    Entry {
        code: BROKEN_CYCLE,
        severity: Severity::Warning,
        title: "relation that depends on its own negation for another constant",
        cause: "A relation depends on its own negation, which GDL forbids, but only for another constant in one argument: \
                the value 100 if not the value 0. `ggp` treats it as one relation for each constant.",
        example: "(role a)\n(<= (goal a 0) (true lost))\n(<= (goal a 100) (not (goal a 0)))",
        corrected: "(role a)\n(<= (goal a 0) (true lost))\n(<= (goal a 100) (not (true lost)))",
        remedy: "define the negated condition as a relation, and use it in both rules",
    },
    Entry {
        code: RECURSION,
        severity: Severity::Warning,
        title: "unbounded recursion",
        cause: "An argument of a recursive literal is not ground, not an argument of the head, and not bound by a literal \
                outside the recursion. With functions, such rules can derive infinitely many atoms; a limit stops them \
                in play.",
        example: "(p (f a))\n(<= (p (f ?x)) (p ?x) (p ?y))",
        corrected: "(p (f a))\n(<= (p (f ?x)) (q ?x) (p ?x))",
        remedy: "add a condition that lists the values of this argument, such as facts",
    },
];

fn check(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    unstratified(subject, diagnostics);
    recursion(subject, diagnostics);
}

/// Reports each strongly connected component with a negative dependency, and labels the rules of a shortest cycle
/// through it.
fn unstratified(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let mut seen = Vec::new();
    for (head, negation) in subject.dependencies.unstratified() {
        let set = subject.dependencies.component_of[head.index()];
        if seen.contains(&set) {
            continue;
        }
        seen.push(set);
        let message = format!("{} depends on its own negation", subject.title(head));
        let back = subject.dependencies.path(negation.relation, head);
        let diagnostic = diagnostics.add(UNSTRATIFIED, subject.place(negation), message);
        diagnostic.note(format!(
            "{} needs {} to be false",
            subject.title(head),
            subject.title(negation.relation)
        ));
        let mut at = negation.relation;
        for used in back {
            let negated = if used.negative { " to be false" } else { "" };
            let text = format!("{} needs {}{negated}", subject.title(at), subject.title(used.relation));
            diagnostic.label(subject.place(used), text);
            at = used.relation;
        }
    }
}

/// Reports a cycle that `normalise::specialise` removed.
pub(crate) fn broken_cycle(diagnostics: &mut Diagnostics, span: Span, name: &str) {
    diagnostics.add(
        BROKEN_CYCLE,
        span,
        format!("`{name}` depends on its own negation, for another constant"),
    );
}

fn recursion(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let dependencies = &subject.dependencies;
    // Only components with functions in heads can derive infinitely many atoms.
    let mut grows = vec![false; dependencies.component_of.iter().max().map_or(0, |last| last + 1)];
    for rule in &subject.description.rules {
        let has_function = rule.head.arguments.iter().any(|term| matches!(term, Term::Compound(..)));
        grows[dependencies.component_of[rule.head.relation.index()]] |= has_function;
    }
    for (number, rule) in subject.description.rules.iter().enumerate() {
        let head = rule.head.relation;
        if !dependencies.recursive(head) {
            continue;
        }
        let atoms: Vec<&Atom> = rule
            .body
            .iter()
            .filter_map(|literal| match literal {
                Literal::Positive(atom) => Some(atom),
                _ => None,
            })
            .collect();
        for atom in &atoms {
            if !dependencies.mutual(head, atom.relation) {
                continue;
            }
            let outside = || atoms.iter().filter(|other| !dependencies.mutual(head, other.relation));
            let bounded = |term: &Term| {
                matches!(term, Term::Ground(_))
                    || rule.head.arguments.contains(term)
                    || outside().any(|other| other.arguments.contains(term))
            };
            if let Some(position) = atom.arguments.iter().position(|term| !bounded(term)) {
                let used = crate::gdl::dependency::Use {
                    relation: atom.relation,
                    negative: false,
                    rule: number as u32,
                };
                let literal = subject.literal_of(used);
                let argument = literal.and_then(|(sentence, statement)| {
                    Some(subject.term(sentence.arguments.get(position)?, statement))
                });
                let what = argument
                    .map_or_else(|| format!("argument {}", position + 1), |argument| format!("`{argument}`"));
                let unlimited = format!("nothing limits {what} in {}", subject.written(used));
                let name = subject.title(rule.head.relation);
                let message = match grows[dependencies.component_of[head.index()]] {
                    true => format!("{name} can grow without end: {unlimited}"),
                    false => format!("{name} is defined through itself, and {unlimited}"),
                };
                let diagnostic = diagnostics.add(RECURSION, subject.place(used), message);
                diagnostic.help(format!("add a condition that lists the values of {what}, such as facts"));
            }
        }
    }
}

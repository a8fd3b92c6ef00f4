//! Cycles of rules: none through a negation, and none that builds ever larger terms.

use super::subject::Subject;
use super::{Entry, Group};
use crate::gdl::diagnostic::{Code, Diagnostics, Severity};
use crate::gdl::rule::{Atom, Literal};
use crate::gdl::source::Span;
use crate::gdl::term::Term;

/// A cycle through a negation.
pub const UNSTRATIFIED: Code = Code(30);
/// A cycle through a negation between atoms that differ in a constant.
pub const BROKEN_CYCLE: Code = Code(31);
/// A recursive literal with an argument that nothing bounds.
pub const RECURSION: Code = Code(32);

pub(super) const GROUP: Group = Group { name: "recursion", entries: ENTRIES, check };

const ENTRIES: &[Entry] = &[
    Entry {
        code: UNSTRATIFIED,
        severity: Severity::Error,
        title: "cycle through a negation",
        cause: "A relation depends on its own negation, through the rules shown. Such rules have no one meaning: \
                `p` if not `q`, `q` if not `p`.",
        example: "(<= p (not q))\n(<= q (not p))",
        mended: "(<= p (not q))\n(<= q (true r))",
        remedy: "break the cycle: define one of the relations without the others",
    },
    Entry {
        code: BROKEN_CYCLE,
        severity: Severity::Warning,
        title: "cycle through a negation that a constant breaks",
        cause: "A relation depends on its own negation, which the language forbids, but only for another constant \
                in one argument: the value 100 if not the value 0. It is run as one relation for each constant.",
        example: "(role a)\n(<= (goal a 0) (true lost))\n(<= (goal a 100) (not (goal a 0)))",
        mended: "(role a)\n(<= (goal a 0) (true lost))\n(<= (goal a 100) (not (true lost)))",
        remedy: "name the negated condition by a relation of its own",
    },
    Entry {
        code: RECURSION,
        severity: Severity::Warning,
        title: "recursion that nothing bounds",
        cause: "A recursive literal has an argument that is neither ground, nor an argument of the head, nor bound \
                by a literal outside the recursion. With functions such rules can derive infinitely many atoms; a \
                budget stops them in play.",
        example: "(p (f a))\n(<= (p (f ?x)) (p ?x) (p ?y))",
        mended: "(p (f a))\n(<= (p (f ?x)) (q ?x) (p ?x))",
        remedy: "bind the argument by a relation that does not depend on the rule's head",
    },
];

fn check(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    unstratified(subject, diagnostics);
    recursion(subject, diagnostics);
}

/// One fault for each set of relations that has such a cycle, with a shortest one shown rule by rule.
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
        diagnostic
            .note(format!("{} needs not {}", subject.title(head), subject.title(negation.relation)))
            .expected("a relation that does not depend on the head");
        let mut at = negation.relation;
        for used in back {
            let not = if used.negative { "not " } else { "" };
            let text = format!("{} needs {not}{}", subject.title(at), subject.title(used.relation));
            diagnostic.label(subject.place(used), text);
            at = used.relation;
        }
    }
}

/// Reports a cycle that normalisation has taken apart.
pub(crate) fn broken_cycle(diagnostics: &mut Diagnostics, span: Span, name: &str) {
    diagnostics
        .add(BROKEN_CYCLE, span, format!("`{name}` depends on its own negation, for another constant"))
        .expected("a relation that does not depend on the head");
}

fn recursion(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let dependencies = &subject.dependencies;
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
                let name = subject.title(atom.relation);
                diagnostics
                    .add(
                        RECURSION,
                        subject.place(used),
                        format!("argument {} of the recursive {name} is not bounded", position + 1),
                    )
                    .expected("an argument of the head, or one that a literal outside the recursion has too");
            }
        }
    }
}

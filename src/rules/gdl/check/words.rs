//! Words that GDL reads as names although they were probably meant otherwise: text outside parentheses, punctuation in names.

use super::{Entry, Group};
use crate::gdl::diagnostic::{Code, Diagnostics, Severity};
use crate::gdl::source::{Source, Span};
use crate::gdl::tree::{Kind, Tree};

/// The text has no facts and rules.
pub const NO_RULES: Code = Code(57);
/// Words outside parentheses that no rule uses.
pub const OUTSIDE: Code = Code(58);
/// A name with a quotation mark, a comma, a brace or a bracket.
pub const PUNCTUATION: Code = Code(59);
/// A term such as `(+ ?n 1)`, which is not a sum.
pub const ARITHMETIC: Code = Code(60);

pub(super) const GROUP: Group = Group { name: "words", entries: ENTRIES, check: super::found_while_reading };

const ENTRIES: &[Entry] = &[
    Entry {
        code: NO_RULES,
        severity: Severity::Error,
        title: "no facts or rules",
        cause: "The file is empty, has only comments, or has no parentheses. It may be the wrong file.",
        example: "; a game for two",
        corrected: "; a game for two\n(role a)\n(role b)",
        remedy: "write facts and rules, beginning with a fact for each player, such as `(role white)`",
    },
    Entry {
        code: OUTSIDE,
        severity: Severity::Warning,
        title: "text outside parentheses",
        cause: "Words outside parentheses are facts without arguments, and no rule uses these. They may be a comment: \
                comments of GDL begin with `;` and end with the line. `//`, `#`, `--` and `/* */` are not comments.",
        example: "(role a)\n// the only player",
        corrected: "(role a)\n; the only player",
        remedy: "begin the comment with `;`, or remove the words",
    },
    Entry {
        code: PUNCTUATION,
        severity: Severity::Warning,
        title: "punctuation in a name",
        cause: "A name contains a quotation mark, a comma, a brace or a bracket. In GDL these are ordinary characters of a \
                name: `\"red\"` and `red` are different names. Arguments are separated by white space only.",
        example: "(role \"red\")",
        corrected: "(role red)",
        remedy: "remove the punctuation",
    },
    Entry {
        code: ARITHMETIC,
        severity: Severity::Warning,
        title: "arithmetic",
        cause: "GDL has no arithmetic. `(+ ?n 1)` is a term like any other and is never replaced by a number. Define the \
                relation between the numbers by facts.",
        example: "(role a)\n(<= (next (step (+ ?n 1))) (true (step ?n)))",
        corrected: "(role a)\n(succ 1 2)\n(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))",
        remedy: "define facts such as `(succ 1 2)`, and use them in a condition such as `(succ ?n ?m)`",
    },
];

/// The beginnings of comments in other languages.
const COMMENTS: [&str; 5] = ["//", "/*", "#", "--", "%"];

/// Characters of [`PUNCTUATION`].
pub(crate) const MARKS: [char; 11] =
    ['"', '\'', ',', '{', '}', '[', ']', '\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}'];

/// Returns whether the text has no list. If so, reports this, unless there are other errors.
pub(crate) fn report_empty(tree: &Tree, source: &Source, diagnostics: &mut Diagnostics) -> bool {
    if tree.roots.iter().any(|&root| matches!(tree.nodes[root as usize].kind, Kind::List { .. })) {
        return false;
    }
    if !diagnostics.has_errors() {
        let message = match (tree.roots.is_empty(), source.text().trim().is_empty()) {
            (true, true) => "the file is empty",
            (true, false) => "the file has only comments",
            (false, _) => "the file has no parentheses, so it has no facts and rules",
        };
        diagnostics.add(NO_RULES, Span::default(), message);
    }
    true
}

/// Reports a run of words outside parentheses.
pub(super) fn outside(diagnostics: &mut Diagnostics, span: Span, first: &str) {
    match COMMENTS.into_iter().find(|mark| first.starts_with(mark)) {
        Some(mark) => {
            let message = format!("`{mark}` does not begin a comment in GDL: these words are read as facts");
            diagnostics.add(OUTSIDE, span, message).help("begin the comment with `;`");
        }
        None => {
            diagnostics.add(OUTSIDE, span, "text outside parentheses: these words are read as facts");
        }
    }
}

/// Whether a function with this name and two arguments looks like arithmetic.
pub(super) fn is_operator(name: &str) -> bool {
    matches!(name, "+" | "-" | "*" | "/")
}

/// Reports a term that looks like arithmetic.
pub(super) fn arithmetic(diagnostics: &mut Diagnostics, span: Span, name: &str) {
    diagnostics.add(ARITHMETIC, span, format!("`{name}` does not compute anything: GDL has no arithmetic"));
}

/// Reports a name that contains punctuation.
pub(crate) fn punctuation(diagnostics: &mut Diagnostics, span: Span, word: &str) {
    let Some(mark) = word.chars().find(|sign| MARKS.contains(sign)) else { return };
    let plain = word.replace(|sign| MARKS.contains(&sign), "");
    let diagnostic = diagnostics.add(PUNCTUATION, span, format!("`{mark}` is a part of the name `{word}`"));
    if matches!(mark, '{' | '}' | '[' | ']') {
        diagnostic.help("write `(` and `)` around a list");
    } else if !plain.is_empty() {
        diagnostic.help(format!("write `{plain}`"));
    }
}

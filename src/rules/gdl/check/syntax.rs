//! Faults of the text: characters, parentheses, and lists that are not sentences. `tree.rs` and `statement_parser.rs` report
//! them.

use super::{Entry, Group};
use crate::gdl::diagnostic::{Code, Severity};

/// The text or its tree is too large.
pub const TOO_LARGE: Code = Code(1);
/// Bytes that are not UTF-8.
pub const INVALID_UTF8: Code = Code(2);
/// Bytes in a comment that are not UTF-8.
pub const INVALID_UTF8_IN_COMMENT: Code = Code(3);
/// A control character.
pub const CONTROL_CHARACTER: Code = Code(4);
/// A `(` without `)`.
pub const UNCLOSED: Code = Code(5);
/// A `)` without `(`, with rules after it.
pub const EXTRA_CLOSING: Code = Code(6);
/// A `)` without `(` at the end of the text.
pub const EXTRA_CLOSING_AT_END: Code = Code(7);
/// Parentheses nested too deeply.
pub const TOO_DEEP: Code = Code(8);
/// `()`.
pub const EMPTY_LIST: Code = Code(9);
/// A list that does not begin with a name.
pub const NO_NAME: Code = Code(10);
/// `<=` without a head, or not at the start of a rule.
pub const MISPLACED_ARROW: Code = Code(11);
/// The wrong number of operands for `not`, `and`, `or` or `distinct`.
pub const OPERANDS: Code = Code(12);
/// A variable where a sentence is required.
pub const VARIABLE_SENTENCE: Code = Code(13);
/// A rule whose `or`s multiply to too many conjunctions.
pub const UNFOLDS: Code = Code(14);

pub(super) const GROUP: Group =
    Group { name: "the text", entries: ENTRIES, check: super::found_while_reading };

const ENTRIES: &[Entry] = &[
    Entry {
        code: TOO_LARGE,
        severity: Severity::Error,
        title: "description too large",
        cause: "The file has more than 16 MiB, or its rules expand to more than 4 million literals. The largest public \
                game has 0.2 MB.",
        example: "a file of 50 MB",
        corrected: "a file of 50 kB",
        remedy: "check that the file is a game description; replace long lists of facts by rules",
    },
    Entry {
        code: INVALID_UTF8,
        severity: Severity::Error,
        title: "bytes that are not UTF-8",
        cause: "A name contains bytes that are not UTF-8, so the name is unknown. The file may have an older encoding, \
                such as Latin-1.",
        example: "(role caf\u{fffd})",
        corrected: "(role café)",
        remedy: "save the file as UTF-8",
    },
    Entry {
        code: INVALID_UTF8_IN_COMMENT,
        severity: Severity::Warning,
        title: "bytes in a comment that are not UTF-8",
        cause: "A comment contains bytes that are not UTF-8. The file may have an older encoding, such as Latin-1. The \
                rules are not affected.",
        example: "; caf\u{fffd}\n(role a)",
        corrected: "; café\n(role a)",
        remedy: "save the file as UTF-8",
    },
    Entry {
        code: CONTROL_CHARACTER,
        severity: Severity::Error,
        title: "control character",
        cause: "The text contains a NUL byte or another control character that is not white space. The file is damaged, \
                or it is not text.",
        example: "(role a\u{0})",
        corrected: "(role a)",
        remedy: "delete the character",
    },
    Entry {
        code: UNCLOSED,
        severity: Severity::Error,
        title: "missing `)`",
        cause: "An opening parenthesis has no closing one. Reading continues at the next line that begins with `(<=` or \
                `(init`, as if the `)` were there.",
        example: "(role a\n(init (p 1))",
        corrected: "(role a)\n(init (p 1))",
        remedy: "add the missing `)`",
    },
    Entry {
        code: EXTRA_CLOSING,
        severity: Severity::Error,
        title: "unmatched `)`",
        cause: "A closing parenthesis has no opening one, and rules follow it. Some programs ignore the rest of the file \
                without a warning.",
        example: "(role a))\n(init (p 1))",
        corrected: "(role a)\n(init (p 1))",
        remedy: "remove this `)`, or add the missing `(` before it",
    },
    Entry {
        code: EXTRA_CLOSING_AT_END,
        severity: Severity::Warning,
        title: "unmatched `)` at the end",
        cause: "A closing parenthesis at the end of the file has no opening one. It is ignored.",
        example: "(role a))",
        corrected: "(role a)",
        remedy: "remove this `)`",
    },
    Entry {
        code: TOO_DEEP,
        severity: Severity::Error,
        title: "nested too deeply",
        cause: "Parentheses are nested more than 500 deep. The rest of the file is not read.",
        example: "((((...",
        corrected: "(role a)",
        remedy: "check that the file is a game description; split a long formula into several rules",
    },
    Entry {
        code: EMPTY_LIST,
        severity: Severity::Error,
        title: "empty parentheses",
        cause: "`()` is neither a term nor a sentence.",
        example: "(role ())",
        corrected: "(role a)",
        remedy: "put a name into the parentheses, or remove them",
    },
    Entry {
        code: NO_NAME,
        severity: Severity::Error,
        title: "list without a name",
        cause: "A list begins with the name of a relation or function. This one begins with a variable or with another \
                `(`.",
        example: "(role a)\n((p 1))",
        corrected: "(role a)\n(p 1)",
        remedy: "put a name after the `(`, or remove the extra parentheses",
    },
    Entry {
        code: MISPLACED_ARROW,
        severity: Severity::Error,
        title: "misplaced `<=`",
        cause: "`<=` is the first word of a rule: `(<= head condition ...)`. It is not allowed anywhere else. Inside a \
                rule it usually means that a `)` is missing before it.",
        example: "(<= (p 1) (<= (p 2) (p 3)))",
        corrected: "(<= (p 1) (p 2))\n(<= (p 2) (p 3))",
        remedy: "write each rule as `(<= head condition ...)`",
    },
    Entry {
        code: OPERANDS,
        severity: Severity::Error,
        title: "wrong number of operands",
        cause: "`not` takes one condition, `and` and `or` take at least one, `distinct` takes two terms.",
        example: "(<= p (not))",
        corrected: "(<= p (not q))",
        remedy: "add or remove operands",
    },
    Entry {
        code: VARIABLE_SENTENCE,
        severity: Severity::Error,
        title: "variable in place of a sentence",
        cause: "A variable is a term. Inside `true`, `does` and the like it can also be a whole fluent or move. It can \
                never be a condition.",
        example: "(<= p ?x)",
        corrected: "(<= p (true ?x))",
        remedy: "write a relation around the variable, such as `(true ?x)`",
    },
    Entry {
        code: UNFOLDS,
        severity: Severity::Error,
        title: "rule with too many alternatives",
        cause: "The `or`s of a rule multiply to more than 1,000 conjunctions. They can't be split off, because a \
                variable in them is bound only by a later literal, or by none.",
        example: "a rule of eleven `(or (not (p ?x)) (not (q ?x)))` with `?x` bound after them",
        corrected: "the literals that bind the variables first",
        remedy: "move the literals that bind the variables in front of the `or`s, or define each `or` as a relation",
    },
];

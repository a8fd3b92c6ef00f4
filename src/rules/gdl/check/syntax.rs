//! Faults of the text: what is no KIF, or no sentence of the language. The reader finds them as it goes.

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
/// A parenthesis that is never closed.
pub const UNCLOSED: Code = Code(5);
/// A closing parenthesis too many, with rules after it.
pub const EXTRA_CLOSING: Code = Code(6);
/// A closing parenthesis too many at the end of the text.
pub const EXTRA_CLOSING_AT_END: Code = Code(7);
/// Parentheses nested too deeply.
pub const TOO_DEEP: Code = Code(8);
/// `()`.
pub const EMPTY_LIST: Code = Code(9);
/// A list that does not begin with a name.
pub const NO_NAME: Code = Code(10);
/// `<=` without a head, or inside a sentence.
pub const MISPLACED_ARROW: Code = Code(11);
/// The wrong number of operands for `not`, `and`, `or` or `distinct`.
pub const OPERANDS: Code = Code(12);
/// A variable where a sentence must stand.
pub const VARIABLE_SENTENCE: Code = Code(13);
/// A rule that unfolds into too many.
pub const UNFOLDS: Code = Code(14);

pub(super) const GROUP: Group =
    Group { name: "the text", entries: ENTRIES, check: super::found_while_reading };

const ENTRIES: &[Entry] = &[
    Entry {
        code: TOO_LARGE,
        severity: Severity::Error,
        title: "description too large",
        cause: "The file is over 16 MiB, or its rules normalise into over four million literals. No game written by \
                hand comes near.",
        example: "a file of 50 MB",
        mended: "a file of 50 kB",
        remedy: "check that it is a game description; write long lists of facts as rules",
    },
    Entry {
        code: INVALID_UTF8,
        severity: Severity::Error,
        title: "bytes that are not UTF-8",
        cause: "A name holds bytes that are not UTF-8, so that it is not known which name it is.",
        example: "(role caf\u{fffd})",
        mended: "(role café)",
        remedy: "save the file as UTF-8",
    },
    Entry {
        code: INVALID_UTF8_IN_COMMENT,
        severity: Severity::Warning,
        title: "bytes in a comment that are not UTF-8",
        cause: "A comment holds bytes that are not UTF-8, most often an older encoding. The rules are not touched.",
        example: "; caf\u{fffd}\n(role a)",
        mended: "; café\n(role a)",
        remedy: "save the file as UTF-8",
    },
    Entry {
        code: CONTROL_CHARACTER,
        severity: Severity::Error,
        title: "control character",
        cause: "The text holds a NUL byte or another control character that is no white space: it is no text, \
                or it is damaged.",
        example: "(role a\u{0})",
        mended: "(role a)",
        remedy: "remove the character",
    },
    Entry {
        code: UNCLOSED,
        severity: Severity::Error,
        title: "parenthesis never closed",
        cause: "An opening parenthesis has no closing one. Where a later rule begins at the start of a line, \
                reading goes on there.",
        example: "(role a\n(init (p 1))",
        mended: "(role a)\n(init (p 1))",
        remedy: "add the missing `)`",
    },
    Entry {
        code: EXTRA_CLOSING,
        severity: Severity::Error,
        title: "closing parenthesis too many",
        cause: "A closing parenthesis closes nothing, and rules follow it. Some readers drop the rest of the file \
                there without a word; which rules were meant can't be known.",
        example: "(role a))\n(init (p 1))",
        mended: "(role a)\n(init (p 1))",
        remedy: "remove the `)`, or add the `(` that it closes",
    },
    Entry {
        code: EXTRA_CLOSING_AT_END,
        severity: Severity::Warning,
        title: "closing parenthesis too many at the end",
        cause: "A closing parenthesis closes nothing. Nothing follows it, so nothing is lost.",
        example: "(role a))",
        mended: "(role a)",
        remedy: "remove the `)`",
    },
    Entry {
        code: TOO_DEEP,
        severity: Severity::Error,
        title: "nested too deeply",
        cause: "Parentheses stand in each other over 500 deep. Nothing after that place is read.",
        example: "((((...",
        mended: "(role a)",
        remedy: "check that the file is a game description; split the formula over several rules",
    },
    Entry {
        code: EMPTY_LIST,
        severity: Severity::Error,
        title: "empty parentheses",
        cause: "`()` is neither a term nor a sentence.",
        example: "(role ())",
        mended: "(role a)",
        remedy: "write a name into the parentheses, or remove them",
    },
    Entry {
        code: NO_NAME,
        severity: Severity::Error,
        title: "parentheses without a name in front",
        cause: "After `(` comes the name of a relation or function; here comes a variable or another `(`.",
        example: "(role a)\n((p 1))",
        mended: "(role a)\n(p 1)",
        remedy: "write `(name argument ...)`",
    },
    Entry {
        code: MISPLACED_ARROW,
        severity: Severity::Error,
        title: "misplaced `<=`",
        cause: "`<=` stands at the start of a rule, `(<= head body ...)`, and nowhere else. Inside a rule it mostly \
                shows that a parenthesis is missing before it.",
        example: "(<= (p 1) (<= (p 2) (p 3)))",
        mended: "(<= (p 1) (p 2))\n(<= (p 2) (p 3))",
        remedy: "write each rule as `(<= head body ...)` of its own; look for a missing `)` before it",
    },
    Entry {
        code: OPERANDS,
        severity: Severity::Error,
        title: "wrong number of operands",
        cause: "`not` takes one formula, `and` and `or` at least one, `distinct` two terms.",
        example: "(<= p (not))",
        mended: "(<= p (not q))",
        remedy: "give it the operands it takes",
    },
    Entry {
        code: VARIABLE_SENTENCE,
        severity: Severity::Error,
        title: "variable in place of a sentence",
        cause: "A variable stands for a term (a whole fluent or move too, inside `true`, `does` and the like), \
                never for a sentence of its own.",
        example: "(<= p ?x)",
        mended: "(<= p (true ?x))",
        remedy: "write a relation around it, such as `(true ?x)`",
    },
    Entry {
        code: UNFOLDS,
        severity: Severity::Error,
        title: "rule unfolds into too many",
        cause: "The disjunctions of a rule multiply to over a thousand conjunctions, and they can't be factored out \
                because a variable of theirs is bound by a literal that comes later, or nowhere.",
        example: "a rule of eleven `(or (not (p ?x)) (not (q ?x)))` with `?x` bound after them",
        mended: "the literals that bind the variables first",
        remedy: "move the literals that bind the variables to the front, or name each disjunction by a relation of \
                 its own",
    },
];

//! Texts in another notation than prefix KIF in UTF-8. A whole file in another notation is one fault, as everything else
//! that could be said of its words would be wrong.

use super::{Entry, Group};
use crate::catalog::counted;
use crate::gdl::Utf16;
use crate::gdl::diagnostic::{Code, Diagnostics, Severity};
use crate::gdl::keyword::Keyword;
use crate::gdl::source::{Source, Span};
use crate::gdl::tree::{Token, Tokens};

/// Infix rules, or another arrow than `<=`.
pub const OTHER_NOTATION: Code = Code(50);
/// A text in UTF-16.
pub const UTF16: Code = Code(51);

pub(super) const GROUP: Group =
    Group { name: "notation", entries: ENTRIES, check: super::found_while_reading };

const ENTRIES: &[Entry] = &[
    Entry {
        code: OTHER_NOTATION,
        severity: Severity::Error,
        title: "rules in another notation",
        cause: "The rules are written in infix notation (`head :- body`, as the files that end in .hrf), or with another \
                arrow than `<=`. Only prefix KIF is read, in which the arrow comes first and then the head. `=>` is not \
                read as `<=`, because in KIF it puts the condition first. Nothing else of the file is checked.",
        example: "role(a)\nlegal(a, go) :- true(step(1))",
        mended: "(role a)\n(<= (legal a go) (true (step 1)))",
        remedy: "write each rule as `(<= head condition ...)`, and each fact as `(name argument ...)`",
    },
    Entry {
        code: UTF16,
        severity: Severity::Warning,
        title: "text in UTF-16",
        cause: "The file is UTF-16, as some editors and shells on Windows write it. It is decoded and read; most other \
                programs for GDL expect UTF-8.",
        example: "(role a), saved as UTF-16",
        mended: "(role a)",
        remedy: "save the file as UTF-8",
    },
];

/// Arrows that people write in place of `<=`.
const ARROWS: [&str; 13] = [
    ":-", "=>", "<-", "->", "<==", "==>", "\u{21d0}", "\u{21d2}", "\u{2190}", "\u{2192}", "\u{27f8}",
    "\u{27f9}", "\u{2264}",
];

/// Words with which infix descriptions begin their facts, besides those of the language.
const INFIX: [&str; 4] = ["base", "input", "action", "percept"];

/// Reports that a text is UTF-16.
pub(crate) fn encoding(source: &Source, diagnostics: &mut Diagnostics) {
    let order = match source.utf16() {
        None => return,
        Some(Utf16::LittleEndian) => "little-endian",
        Some(Utf16::BigEndian) => "big-endian",
    };
    diagnostics
        .add(UTF16, Span::default(), format!("the text is UTF-16 ({order}); it is read as such"))
        .note("from here on")
        .expected("UTF-8");
}

/// Reports another notation than prefix KIF; says whether there is one.
pub(crate) fn is_other(source: &Source, diagnostics: &mut Diagnostics) -> bool {
    let text = source.text();
    let seen = look(text);
    let word = |span: Span| &text[span.start as usize..span.end as usize];
    match (seen.call, seen.arrows.first()) {
        (Some(call), _) if !seen.prefix => {
            diagnostics
                .add(OTHER_NOTATION, call, "the rules are in infix notation; only prefix KIF is read")
                .note("infix: the name is before the parenthesis")
                .expected(format!("`({} ...)`", word(call)));
        }
        (_, Some(&first)) => {
            let (arrow, count) = (word(first), seen.arrows.len() as u64);
            let rules = counted(count, "rule has", "rules have");
            diagnostics
                .add(
                    OTHER_NOTATION,
                    first,
                    format!("{rules} another arrow than `<=`: the first has `{arrow}`"),
                )
                .note("this arrow")
                .expected("`(<= head condition ...)`");
        }
        _ => return false,
    }
    true
}

/// What the words of a text show of its notation.
#[derive(Default)]
struct Look {
    /// The first word of the language outside of parentheses that has its arguments right behind it.
    call: Option<Span>,
    /// Whether some list begins with a word of the language, as in prefix KIF.
    prefix: bool,
    /// Other arrows where a rule has its own.
    arrows: Vec<Span>,
}

fn look(text: &str) -> Look {
    let (mut seen, mut depth, mut first) = (Look::default(), 0_usize, false);
    // The token before: whether a head can end with it, and where it ends.
    let (mut head, mut end) = (false, 0);
    let (mut tokens, mut comments) = (Tokens::of(text), Vec::new());
    let is_keyword =
        |word: &str| Keyword::ALL.iter().any(|keyword| word.eq_ignore_ascii_case(keyword.name()));
    while let Some((token, span)) = tokens.next(&mut comments) {
        let (start, stop) = (span.start as usize, span.end as usize);
        if text[..start].ends_with(['\n', '\r', '\u{feff}']) && text[start..].starts_with('%')
            || start == 0 && text.starts_with('%')
        {
            // A comment of infix files: its words say nothing.
            tokens.skip_line();
            continue;
        }
        match token {
            Token::Open => {
                // Right behind a word outside of lists these are its arguments.
                first = depth > 0 || end < start || end == 0;
                depth += 1;
                head = false;
            }
            Token::Close => {
                depth = depth.saturating_sub(1);
                (first, head) = (false, true);
            }
            Token::Word => {
                let word = &text[start..stop];
                let rest = &text[stop..];
                let keyword = is_keyword(word);
                if depth == 0 && rest.starts_with('(') && (keyword || INFIX.contains(&word)) {
                    seen.call.get_or_insert(span);
                }
                seen.prefix |= first && keyword;
                let goes_on = || {
                    let rest = rest.trim_start();
                    let next = rest.split(|sign: char| sign.is_whitespace() || "()".contains(sign)).next();
                    rest.starts_with('(') || next.is_some_and(is_keyword)
                };
                if depth <= 1 && (first || head || depth == 0) && ARROWS.contains(&word) && goes_on() {
                    seen.arrows.push(span);
                }
                (first, head) = (false, keyword);
            }
        }
        end = stop;
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_and_infix_are_told_from_names() {
        let found = |text: &str| {
            let mut diagnostics = Diagnostics::default();
            is_other(&Source::from_text("t", text), &mut diagnostics);
            diagnostics.into_sorted().first().map(|fault| fault.span().start)
        };
        for (text, place) in [
            ("% role(x) (role a)\nrole(a)\nlegal(a, go) :- true(step(1))", Some(19)),
            ("(role a) (=> (legal a go) (true (step 1)))", Some(10)),
            ("(role a) (:- terminal (true (step 1)))", Some(10)),
            ("(role a) ((legal a go) :- (true (step 1)))", Some(23)),
            ("(role a) terminal \u{21d0} (true over)", Some(18)),
            // Names that look like arrows, and a fact whose parenthesis is missing.
            ("(role a) (=> 5 3) (<= (p ?x) (=> ?x 3))", None),
            ("(role a) (<= (=> ?x ?y) (-> ?y ?x)) (-> up down) (turn left ->)", None),
            ("(role a) role(b))", None),
            ("(<= terminal(true over))", None),
        ] {
            assert_eq!(found(text), place, "{text}");
        }
    }
}

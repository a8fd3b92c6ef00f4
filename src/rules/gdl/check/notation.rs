//! Files that are not prefix KIF in UTF-8: infix rules, web pages, JSON, UTF-16. Such a file gets one fault, because all
//! other checks would misread it.

use super::{Entry, Group};
use crate::gdl::Utf16;
use crate::gdl::diagnostic::{Code, Diagnostics, Severity};
use crate::gdl::keyword::Keyword;
use crate::gdl::source::{Source, Span};
use crate::gdl::tree::{Token, Tokens};

/// Infix rules, another arrow than `<=`, HTML or JSON.
pub const OTHER_NOTATION: Code = Code(50);
/// A text in UTF-16.
pub const UTF16: Code = Code(51);

pub(super) const GROUP: Group =
    Group { name: "notation", entries: ENTRIES, check: super::found_while_reading };

const ENTRIES: &[Entry] = &[
    Entry {
        code: OTHER_NOTATION,
        severity: Severity::Error,
        title: "not prefix KIF",
        cause: "Rules are read in prefix KIF only: `(<= head condition ...)`. This file has infix rules (`head :- body`, as \
                in Prolog and in .hrf files), another arrow than `<=`, or is HTML or JSON. `=>` is not read as `<=`, \
                because in KIF its condition comes first. The rest of the file is not checked.",
        example: "role(a)\nlegal(a, go) :- true(step(1))",
        corrected: "(role a)\n(<= (legal a go) (true (step 1)))",
        remedy: "write each rule as `(<= head condition ...)`, and each fact as `(name argument ...)`",
    },
    Entry {
        code: UTF16,
        severity: Severity::Warning,
        title: "text in UTF-16",
        cause: "The file is UTF-16, which some editors and shells on Windows write. `ggp` decodes it; most other GDL \
                programs expect UTF-8.",
        example: "(role a), saved as UTF-16",
        corrected: "(role a)",
        remedy: "save the file as UTF-8",
    },
];

/// Arrows that people write in place of `<=`.
const ARROWS: [&str; 13] = [
    ":-", "=>", "<-", "->", "<==", "==>", "\u{21d0}", "\u{21d2}", "\u{2190}", "\u{2192}", "\u{27f8}",
    "\u{27f9}", "\u{2264}",
];

/// Relations other than keywords with which infix facts often begin.
const INFIX: [&str; 4] = ["base", "input", "action", "percept"];

/// Reports that a text is UTF-16.
pub(crate) fn encoding(source: &Source, diagnostics: &mut Diagnostics) {
    let order = match source.utf16() {
        None => return,
        Some(Utf16::LittleEndian) => "little-endian",
        Some(Utf16::BigEndian) => "big-endian",
    };
    diagnostics.add(UTF16, Span::default(), format!("the file is UTF-16 ({order}), not UTF-8"));
}

/// Reports a text that is not prefix KIF. Returns whether it is such a text.
pub(crate) fn is_other(source: &Source, diagnostics: &mut Diagnostics) -> bool {
    let text = source.text();
    if let Some(format) = other_format(text) {
        let start = (text.len() - text.trim_start_matches(is_blank).len()) as u32;
        diagnostics
            .add(OTHER_NOTATION, Span { start, end: start + 1 }, format!("this file is {format}, not GDL"))
            .help("save only the text of the rules, as `(name argument ...)` and `(<= head condition ...)`");
        return true;
    }
    let seen = Notation::of(text);
    let word = |span: Span| &text[span.start as usize..span.end as usize];
    match (seen.call, seen.arrows.first()) {
        (Some(call), _) if !seen.prefix => {
            diagnostics
                .add(
                    OTHER_NOTATION,
                    call,
                    "the rules are in infix notation, such as Prolog; `ggp` reads prefix KIF",
                )
                .note("the name is before the parenthesis")
                .help(format!(
                    "write `({} ...)` here, and each rule as `(<= head condition ...)`",
                    word(call)
                ));
        }
        (_, Some(&first)) => {
            let (arrow, count) = (word(first), seen.arrows.len());
            let message = match count {
                1 => format!("`{arrow}` is not the arrow of GDL, which is `<=`"),
                _ => format!(
                    "`{arrow}` is not the arrow of GDL, which is `<=`; {count} rules have such an arrow"
                ),
            };
            diagnostics
                .add(OTHER_NOTATION, first, message)
                .help("write `(<= head condition ...)`: the head comes before the conditions");
        }
        _ => return false,
    }
    true
}

/// White space, or a byte order mark.
fn is_blank(sign: char) -> bool {
    sign.is_whitespace() || sign == '\u{feff}'
}

/// The format of a text that begins like HTML, XML or JSON.
fn other_format(text: &str) -> Option<&'static str> {
    let text = text.trim_start_matches(is_blank);
    let after = |prefix: char| text.strip_prefix(prefix).and_then(|rest| rest.trim_start().chars().next());
    match (text.chars().next()?, after('<'), after('{'), after('[')) {
        ('<', Some('?' | '!' | 'a'..='z' | 'A'..='Z'), ..) => Some("HTML or XML"),
        ('{', _, Some('"'), _) | ('[', _, _, Some('"' | '{')) => Some("JSON"),
        _ => None,
    }
}

/// Signs of the notation of a text.
#[derive(Default)]
struct Notation {
    /// The first keyword outside parentheses that is directly followed by `(`, as in `role(white)`.
    call: Option<Span>,
    /// Whether a list begins with a keyword, as in prefix KIF.
    prefix: bool,
    /// Arrows other than `<=` in the place of `<=`.
    arrows: Vec<Span>,
}

impl Notation {
    fn of(text: &str) -> Notation {
        let (mut seen, mut depth, mut first) = (Notation::default(), 0_usize, false);
        // Whether a head can end with the previous token, and where that token ends.
        let (mut head, mut end) = (false, 0);
        let (mut tokens, mut comments) = (Tokens::of(text), Vec::new());
        let is_keyword =
            |word: &str| Keyword::ALL.iter().any(|keyword| word.eq_ignore_ascii_case(keyword.name()));
        while let Some((token, span)) = tokens.next(&mut comments) {
            let (start, stop) = (span.start as usize, span.end as usize);
            if text[..start].ends_with(['\n', '\r', '\u{feff}']) && text[start..].starts_with('%')
                || start == 0 && text.starts_with('%')
            {
                // A comment of Prolog.
                tokens.skip_line();
                continue;
            }
            match token {
                Token::Open => {
                    // A `(` directly after a word outside lists opens the arguments of that word.
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
                        let next =
                            rest.split(|sign: char| sign.is_whitespace() || "()".contains(sign)).next();
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_and_infix_rules_are_not_names() {
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
            ("\n<!DOCTYPE html><p>(role a)", Some(1)),
            ("{ \"rules\": \"(role a)\" }", Some(0)),
            // Names that look like arrows, and a fact without its `(`.
            ("(role a) (=> 5 3) (<= (p ?x) (=> ?x 3))", None),
            ("(role a) (<= (=> ?x ?y) (-> ?y ?x)) (-> up down) (turn left ->)", None),
            ("(role a) role(b))", None),
            ("(<= terminal(true over))", None),
        ] {
            assert_eq!(found(text), place, "{text}");
        }
    }
}

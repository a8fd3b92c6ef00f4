//! Splits prefix KIF into words and lists without changing a letter, so that messages keep their spelling.

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    Open,
    Close,
    Word(&'t str),
}

/// Errors in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// The text is empty.
    #[error("the text is empty")]
    Nothing,
    /// A parenthesis is not closed.
    #[error("the text ends before its last `)`")]
    Unclosed,
    /// A parenthesis closes nothing, or text follows the last one.
    #[error("there is text after the last `)`")]
    Surplus,
    /// A word where a list is expected.
    #[error("this is not a list in parentheses")]
    Word,
}

/// The tokens of a text, each with the byte at which it begins. A `;` begins a comment, as in rules.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = (usize, Token<'_>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = &text[at..];
            let sign = rest.chars().next()?;
            let start = at;
            let token = match sign {
                '(' => Token::Open,
                ')' => Token::Close,
                ';' => {
                    at += rest.find(['\r', '\n']).unwrap_or(rest.len());
                    continue;
                }
                _ if is_space(sign) => {
                    at += sign.len_utf8();
                    continue;
                }
                _ => {
                    let ends = |sign: char| matches!(sign, '(' | ')' | ';') || is_space(sign);
                    at += rest.find(ends).unwrap_or(rest.len());
                    return Some((start, Token::Word(&text[start..at])));
                }
            };
            at += 1;
            return Some((start, token));
        }
    })
}

/// Whether this is white space; a byte order mark is.
fn is_space(sign: char) -> bool {
    sign.is_whitespace() || sign == '\u{feff}'
}

/// The expressions of a text in order, unchanged.
///
/// # Errors
/// Parentheses don't match.
pub(super) fn expressions(text: &str) -> Result<Vec<&str>, ExpressionError> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, token) in tokens(text) {
        match token {
            Token::Open => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            Token::Close => {
                depth = depth.checked_sub(1).ok_or(ExpressionError::Surplus)?;
                if depth == 0 {
                    found.push(&text[start..=at]);
                }
            }
            Token::Word(word) if depth == 0 => found.push(word),
            Token::Word(_) => {}
        }
    }
    if depth > 0 { Err(ExpressionError::Unclosed) } else { Ok(found) }
}

/// The text between the parentheses of a list.
///
/// # Errors
/// The text is not a list.
pub(super) fn inside(list: &str) -> Result<&str, ExpressionError> {
    let list = list.trim();
    list.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).ok_or(ExpressionError::Word)
}

/// Finds the end of the first list of a text that arrives in pieces, in time linear in its length.
#[derive(Debug, Default)]
pub(super) struct ListScanner {
    depth: usize,
    in_comment: bool,
    /// Whether a complete list has arrived.
    complete: bool,
    /// The last byte that is not white space.
    last: u8,
}

impl ListScanner {
    /// Reads the next piece. All characters that matter have one byte.
    pub(super) fn scan(&mut self, piece: &[u8]) {
        for &byte in piece {
            if !byte.is_ascii_whitespace() {
                self.last = byte;
            }
            match byte {
                b'\r' | b'\n' => self.in_comment = false,
                _ if self.in_comment => {}
                b';' => self.in_comment = true,
                b'(' => self.depth += 1,
                b')' => {
                    self.complete |= self.depth <= 1;
                    self.depth = self.depth.saturating_sub(1);
                }
                _ => {}
            }
        }
    }

    /// Whether the text contains a complete list and ends with `)`, so that the rest of the stream need not be read.
    pub(super) fn is_at_end(&self) -> bool {
        self.complete && self.last == b')'
    }
}

/// Replaces the words of a text and normalises the rest: one blank between words, none inside parentheses, no comments.
pub(super) fn rewritten<'w>(text: &'w str, mut word: impl FnMut(&'w str) -> &'w str) -> String {
    let mut out = String::with_capacity(text.len());
    for (_, token) in tokens(text) {
        if !matches!(token, Token::Close) && !out.is_empty() && !out.ends_with('(') {
            out.push(' ');
        }
        match token {
            Token::Open => out.push('('),
            Token::Close => out.push(')'),
            Token::Word(text) => out.push_str(word(text)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_split_at_the_ends_of_lists() {
        assert_eq!(expressions("(a(b c))d ; e )\n f").unwrap(), ["(a(b c))", "d", "f"]);
        assert_eq!(expressions("(a").unwrap_err(), ExpressionError::Unclosed);
        assert_eq!(expressions("a)").unwrap_err(), ExpressionError::Surplus);
        assert_eq!(inside(" (a b) ").unwrap(), "a b");
        assert_eq!(inside("nil").unwrap_err(), ExpressionError::Word);
        assert_eq!(rewritten("( Mark 1(f  x) ; no\n)", |word| word), "(Mark 1 (f x))");
    }

    #[test]
    fn texts_are_complete_if_their_list_is_closed() {
        for (text, complete) in [
            ("( INFO )\n", true),
            ("( INFO", false),
            ("(a ; )\n", false),
            ("", false),
            ("x", false),
            ("(a)b", false),
        ] {
            let mut scanner = ListScanner::default();
            text.as_bytes().chunks(2).for_each(|piece| scanner.scan(piece));
            assert_eq!(scanner.is_at_end(), complete, "{text}");
        }
    }
}

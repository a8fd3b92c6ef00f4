//! The canonical spelling of atoms, so that recordings and machines can be compared.

use rustc_hash::FxHashMap;

use crate::machine::{FluentId, Machine, MoveId};

/// A word or parenthesis of a text.
enum Token<'t> {
    Open,
    Close,
    Word(&'t str),
    /// A parenthesis around a single item, which is redundant.
    Redundant,
}

/// The canonical spelling of a ground atom: lower case, one space between words, no spaces inside parentheses, and `p` for
/// `(p)`. Every text has one; a text that is not an atom does not become one.
pub fn canonical(text: &str) -> String {
    let mut tokens = tokens(text);
    // For each open parenthesis, its index in `tokens` and the number of items in it so far.
    let mut open: Vec<(usize, usize)> = Vec::new();
    for index in 0..tokens.len() {
        if matches!(tokens[index], Token::Close) {
            if let Some((start, 1)) = open.pop() {
                (tokens[start], tokens[index]) = (Token::Redundant, Token::Redundant);
            }
            continue;
        }
        if let Some((_, items)) = open.last_mut() {
            *items += 1;
        }
        if matches!(tokens[index], Token::Open) {
            open.push((index, 0));
        }
    }
    let mut out = String::with_capacity(text.len());
    for token in tokens {
        if matches!(token, Token::Open | Token::Word(_)) && !out.is_empty() && !out.ends_with('(') {
            out.push(' ');
        }
        match token {
            Token::Open => out.push('('),
            Token::Close => out.push(')'),
            // The same folding as in the reader of rules.
            Token::Word(word) => out.push_str(&word.to_lowercase()),
            Token::Redundant => {}
        }
    }
    out
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    for piece in text.split_inclusive(['(', ')']) {
        let (words, parenthesis) = match piece.as_bytes().last() {
            Some(b'(') => (&piece[..piece.len() - 1], Some(Token::Open)),
            Some(b')') => (&piece[..piece.len() - 1], Some(Token::Close)),
            _ => (piece, None),
        };
        tokens.extend(words.split_whitespace().map(Token::Word));
        tokens.extend(parenthesis);
    }
    tokens
}

/// The machine's text in the spelling of recordings, which ignore case.
fn recorded_spelling(machine: &dyn Machine, text: &str) -> String {
    let text = canonical(text);
    let spellings = &machine.description().spellings;
    if spellings.is_empty() {
        return text;
    }
    let folded = |piece: &str| {
        let (word, end) = piece.split_at(piece.trim_end_matches(['(', ')', ' ']).len());
        spellings.folded(word).into_owned() + end
    };
    text.split_inclusive(['(', ')', ' ']).map(folded).collect()
}

/// A cache of the texts of a machine's fluents and moves.
#[derive(Default)]
pub(super) struct AtomTexts {
    fluents: FxHashMap<FluentId, Box<str>>,
    moves: FxHashMap<MoveId, Box<str>>,
}

impl AtomTexts {
    /// Adds the texts of these fluents to the cache.
    pub(super) fn cache_fluents(&mut self, machine: &dyn Machine, fluents: &[FluentId]) {
        for &fluent in fluents {
            let text = || recorded_spelling(machine, &machine.fluent_text(fluent)).into();
            self.fluents.entry(fluent).or_insert_with(text);
        }
    }

    /// Adds the texts of these moves to the cache.
    pub(super) fn cache_moves(&mut self, machine: &dyn Machine, moves: &[MoveId]) {
        for &action in moves {
            let text = || recorded_spelling(machine, &machine.move_text(action)).into();
            self.moves.entry(action).or_insert_with(text);
        }
    }

    /// The cached text of a fluent.
    pub(super) fn fluent(&self, fluent: FluentId) -> &str {
        &self.fluents[&fluent]
    }

    /// The cached text of a move.
    pub(super) fn action(&self, action: MoveId) -> &str {
        &self.moves[&action]
    }

    /// The cached texts of fluents, sorted and without duplicates.
    pub(super) fn sorted_fluents(&self, fluents: &[FluentId]) -> Vec<&str> {
        sorted(fluents.iter().map(|&fluent| self.fluent(fluent)))
    }

    /// The cached texts of moves, sorted and without duplicates.
    pub(super) fn sorted_moves(&self, moves: &[MoveId]) -> Vec<&str> {
        sorted(moves.iter().map(|&action| self.action(action)))
    }
}

fn sorted<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut texts: Vec<&str> = texts.collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::canonical;

    proptest! {
        #[test]
        fn canonicalisation_is_idempotent(text in "[()a-cA-C \\t\u{e9}]{0,40}") {
            let spelling = canonical(&text);
            prop_assert_eq!(canonical(&spelling), spelling);
        }
    }

    #[test]
    fn deep_nesting_is_linear() {
        let deep = 1_000_000;
        assert_eq!(canonical(&("(".repeat(deep) + "p" + &")".repeat(deep))), "p");
    }

    #[test]
    fn spellings_have_one_canonical_form() {
        for (text, spelling) in [
            ("(Cell 1  2 B)", "(cell 1 2 b)"),
            (" noop\n", "noop"),
            ("(noop)", "noop"),
            ("( move\t(to (a) ) )", "(move (to a))"),
            ("((p))", "p"),
            ("(f(g a)(h b))", "(f (g a) (h b))"),
            ("(f (g) (h x))", "(f g (h x))"),
            ("", ""),
            ("a)b", "a) b"),
        ] {
            assert_eq!(canonical(text), spelling, "{text:?}");
            assert_eq!(canonical(spelling), spelling);
        }
    }
}

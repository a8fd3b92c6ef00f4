//! Atoms as text: one spelling for each, so that a recording and a machine can be compared.

use rustc_hash::FxHashMap;

use crate::machine::{FluentId, Machine, MoveId};

/// The one spelling of a ground atom: lower case, one space between words, none inside parentheses, and `p`
/// for `(p)`. Any text has one; what is no atom stays none.
pub fn canonical(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // For every open parenthesis its place in `out` and the number of items in it so far.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut word_ended = true;
    for symbol in text.chars() {
        if symbol == ')' {
            match open.pop() {
                Some((start, 1)) => drop(out.remove(start)),
                _ => out.push(')'),
            }
            word_ended = true;
        } else if symbol.is_whitespace() {
            word_ended = true;
        } else {
            let opens = symbol == '(';
            if word_ended || opens {
                if let Some((_, items)) = open.last_mut() {
                    *items += 1;
                }
                if !out.is_empty() && !out.ends_with('(') {
                    out.push(' ');
                }
            }
            if opens {
                open.push((out.len(), 0));
                out.push('(');
            } else {
                out.extend(symbol.to_lowercase());
            }
            word_ended = opens;
        }
    }
    out
}

/// The texts of a machine's fluents and moves, each made once.
#[derive(Default)]
pub(super) struct Texts {
    fluents: FxHashMap<FluentId, Box<str>>,
    moves: FxHashMap<MoveId, Box<str>>,
}

impl Texts {
    /// Makes sure that these fluents have their texts.
    pub(super) fn learn_fluents(&mut self, machine: &dyn Machine, fluents: &[FluentId]) {
        for &fluent in fluents {
            self.fluents.entry(fluent).or_insert_with(|| canonical(&machine.fluent_text(fluent)).into());
        }
    }

    /// Makes sure that these moves have their texts.
    pub(super) fn learn_moves(&mut self, machine: &dyn Machine, moves: &[MoveId]) {
        for &action in moves {
            self.moves.entry(action).or_insert_with(|| canonical(&machine.move_text(action)).into());
        }
    }

    /// The text of a fluent that was learned.
    pub(super) fn fluent(&self, fluent: FluentId) -> &str {
        &self.fluents[&fluent]
    }

    /// The text of a move that was learned.
    pub(super) fn action(&self, action: MoveId) -> &str {
        &self.moves[&action]
    }

    /// The texts of fluents that were learned, sorted, each once.
    pub(super) fn sorted_fluents(&self, fluents: &[FluentId]) -> Vec<&str> {
        sorted(fluents.iter().map(|&fluent| self.fluent(fluent)))
    }

    /// The texts of moves that were learned, sorted, each once.
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
    use super::canonical;

    #[test]
    fn one_spelling() {
        for (text, spelling) in [
            ("(Cell 1  2 B)", "(cell 1 2 b)"),
            (" noop\n", "noop"),
            ("(noop)", "noop"),
            ("( move\t(to (a) ) )", "(move (to a))"),
            ("((p))", "p"),
            ("(f(g a)(h b))", "(f (g a) (h b))"),
            ("(f (g) (h x))", "(f g (h x))"),
            ("", ""),
            ("a) b", "a) b"),
        ] {
            assert_eq!(canonical(text), spelling, "{text:?}");
            assert_eq!(canonical(spelling), spelling);
        }
    }
}

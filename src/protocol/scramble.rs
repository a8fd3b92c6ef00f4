//! Scrambles the words of a game, so that players can't recognise it by its names.

use rustc_hash::{FxHashMap, FxHashSet};

use super::expression::{Token, rewritten, tokens};
use crate::simulate::Choices;

/// Words that are not replaced: those of the language, and the role `random`.
const KEPT: [&str; 19] = [
    "<=", "role", "init", "true", "next", "does", "legal", "goal", "terminal", "not", "or", "and",
    "distinct", "base", "input", "random", "sees", "nil", "_",
];

/// Syllables of new words: one of these consonants and a vowel.
const CONSONANTS: &[u8; 16] = b"bdfghjklmnprstvz";
const VOWELS: &[u8; 5] = b"aeiou";

/// Syllables of a word: at least this number, and one more after this number of tries without a new word.
const SYLLABLES: usize = 2;
const TRIES: usize = 50;

/// A renaming of the words of rules. Constants and variables become other words, in lower case; whole numbers and the
/// words of the language stay.
#[derive(Clone, Debug, Default)]
pub struct Scramble {
    there: FxHashMap<String, String>,
    back: FxHashMap<String, String>,
}

impl Scramble {
    /// A renaming of the words of rules in lower case, chosen by a seed.
    pub fn new(rules: &str, seed: u64) -> Scramble {
        let mut choices = Choices::new(seed, 0);
        let mut scramble = Scramble::default();
        let mut taken: FxHashSet<String> = KEPT.iter().map(|&word| word.to_owned()).collect();
        for (_, token) in tokens(rules) {
            let Token::Word(word) = token else { continue };
            if KEPT.contains(&word) || word.parse::<i64>().is_ok() || scramble.there.contains_key(word) {
                continue;
            }
            let mark = if word.starts_with('?') { "?" } else { "" };
            let new = format!("{mark}{}", fresh(&mut choices, &mut taken));
            scramble.back.insert(new.clone(), word.to_owned());
            scramble.there.insert(word.to_owned(), new);
        }
        scramble
    }

    /// Converts a text of the game to the words that are sent.
    pub fn sent(&self, text: &str) -> String {
        rewritten(text, |word| self.there.get(word).map_or(word, String::as_str))
    }

    /// Converts a received text, in any case, to the game's own words.
    pub fn received(&self, text: &str) -> String {
        rewritten(&text.to_lowercase(), |word| self.back.get(word).map_or(word, String::as_str))
    }
}

/// A word that is not used yet.
fn fresh(choices: &mut Choices, taken: &mut FxHashSet<String>) -> String {
    for tries in 0.. {
        let mut word = String::new();
        for _ in 0..SYLLABLES + choices.below(2) + tries / TRIES {
            word.push(CONSONANTS[choices.below(CONSONANTS.len())].into());
            word.push(VOWELS[choices.below(VOWELS.len())].into());
        }
        if taken.insert(word.clone()) {
            return word;
        }
    }
    unreachable!("words get longer until one is free")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RULES: &str = "(role white) (role random) (init (cell 1 b)) \
        (<= (legal ?p (mark ?x)) (true (cell ?x b)) (role ?p)) (<= (goal ?p 100) (role ?p)) (<= terminal (not open))";

    #[test]
    fn words_are_scrambled_and_restored() {
        let scramble = Scramble::new(RULES, 1);
        let sent = scramble.sent(RULES);
        for word in ["white", "cell", " b)", "?p", "mark", "open"] {
            assert!(!sent.contains(word), "{sent}");
        }
        for word in ["(role random)", "(legal ?", "terminal (not ", " 100)", " 1 ", "(<= "] {
            assert!(sent.contains(word), "{sent}");
        }
        assert_eq!(scramble.received(&sent.to_uppercase()), RULES);
        assert_eq!(Scramble::new(RULES, 1).sent(RULES), sent);
        assert_ne!(Scramble::new(RULES, 2).sent(RULES), sent);
    }

    proptest! {
        #[test]
        fn every_text_is_restored(words in proptest::collection::vec("[a-z?][a-z0-9+-]{0,3}", 1..300), seed: u64) {
            let text = words.join(" ");
            let scramble = Scramble::new(&text, seed);
            prop_assert_eq!(scramble.received(&scramble.sent(&text)), text);
        }
    }
}

//! Short signs for what stands on cells: a letter or two for each of its words, and the legend that explains them.

use std::collections::{BTreeMap, BTreeSet};

/// Contents that need no sign of their own, being as short as one.
const SHORT: usize = 2;

/// Words that the legend explains, at most.
const MOST: usize = 60;

/// Signs for contents.
pub(super) struct Signs {
    contents: Vec<Vec<String>>,
    signs: Vec<String>,
    /// Characters of the longest sign.
    pub(super) width: usize,
    /// What the letters of a sign stand for, place by place.
    legend: Vec<BTreeMap<String, String>>,
}

impl Signs {
    /// Signs for contents, each of which is a list of words.
    pub(super) fn new(contents: Vec<Vec<String>>) -> Signs {
        let words = contents.iter().map(Vec::len).max().unwrap_or(0);
        let plain = contents.iter().all(|words| words.join("").chars().count() <= SHORT);
        let mut signs = vec![String::new(); contents.len()];
        let mut legend = Vec::new();
        for place in 0..words {
            let of = |words: &Vec<String>| words.get(place).cloned().unwrap_or_default();
            let different: BTreeSet<String> = contents.iter().map(of).collect();
            // A word that all have tells nothing.
            if different.len() < 2 && words > 1 && contents.len() > 1 {
                continue;
            }
            let mut taken = BTreeSet::new();
            let letters: BTreeMap<String, String> = (different.into_iter())
                .map(|word| {
                    let sign = if plain { word.clone() } else { letter(&word, &mut taken).to_string() };
                    (word, sign)
                })
                .collect();
            for (sign, words) in signs.iter_mut().zip(&contents) {
                sign.push_str(&letters[&of(words)]);
            }
            legend.push(letters);
        }
        let width = signs.iter().map(|sign| sign.chars().count()).max().unwrap_or(1);
        Signs { contents, signs, width, legend }
    }

    /// The number and the sign of contents.
    pub(super) fn of(&self, contents: &Vec<String>) -> (usize, &str) {
        let number = self.contents.iter().position(|known| known == contents).unwrap_or(0);
        (number, self.signs.get(number).map_or("?", String::as_str))
    }

    /// What the letters stand for, where they are no whole words.
    pub(super) fn legend(&self) -> String {
        let mut told = String::new();
        for letters in &self.legend {
            let pairs = letters.iter().filter(|(word, letter)| word != letter).take(MOST);
            let pairs: Vec<String> = pairs.map(|(word, letter)| format!("{letter} {word}")).collect();
            if !pairs.is_empty() {
                told.push_str(&format!("; {}", pairs.join(", ")));
            }
        }
        told
    }
}

/// A letter for a word: its first one that is free, in lower case or in upper case, else any.
fn letter(word: &str, taken: &mut BTreeSet<char>) -> char {
    let own: Vec<char> = word.chars().filter(|symbol| symbol.is_alphanumeric()).collect();
    let upper = own.iter().flat_map(|symbol| symbol.to_uppercase());
    let any = ('a'..='z').chain('A'..='Z').chain('0'..='9');
    let mut candidates = own.iter().copied().chain(upper).chain(any);
    let found = candidates.find(|symbol| !taken.contains(symbol)).unwrap_or('?');
    taken.insert(found);
    found
}

//! Short signs for the contents of cells: a letter or two for each word, and the legend that explains them.

use std::collections::{BTreeMap, BTreeSet};

use super::cells::Contents;

/// If no contents have more characters than this, they are their own signs.
const MAX_OWN_SIGN: usize = 2;

/// Limit of the words in the legend; further words are left out.
const MAX_LEGEND_WORDS: usize = 60;

/// Signs for contents.
pub(super) struct CellSigns {
    contents: Vec<Contents>,
    signs: Vec<String>,
    /// The number of characters of the longest sign.
    pub(super) width: usize,
    /// For each letter position of a sign the words and their letters.
    legend: Vec<BTreeMap<String, String>>,
}

impl CellSigns {
    /// Makes signs for contents, each of which is a list of words. Earlier contents get their letters first.
    pub(super) fn new(contents: Vec<Contents>) -> CellSigns {
        let words = contents.iter().map(Vec::len).max().unwrap_or(0);
        let plain = contents.iter().all(|words| words.join("").chars().count() <= MAX_OWN_SIGN);
        let mut signs = vec![String::new(); contents.len()];
        let mut legend = Vec::new();
        for place in 0..words {
            let of = |words: &Contents| words.get(place).cloned().unwrap_or_default();
            let mut distinct: Vec<String> = Vec::new();
            for word in contents.iter().map(of) {
                if !distinct.contains(&word) {
                    distinct.push(word);
                }
            }
            // A word that all contents share is left out.
            if distinct.len() < 2 && words > 1 && contents.len() > 1 {
                continue;
            }
            let mut taken = BTreeSet::new();
            let letters: BTreeMap<String, String> = (distinct.into_iter())
                .map(|word| {
                    let sign = match plain || word.is_empty() {
                        true => word.clone(),
                        false => letter(&word, &mut taken).to_string(),
                    };
                    (word, sign)
                })
                .collect();
            for (sign, words) in signs.iter_mut().zip(&contents) {
                sign.push_str(&letters[&of(words)]);
            }
            legend.push(letters);
        }
        let width = signs.iter().map(|sign| sign.chars().count()).max().unwrap_or(1);
        CellSigns { contents, signs, width, legend }
    }

    /// The sign of contents.
    pub(super) fn of(&self, contents: &Contents) -> &str {
        let number = self.contents.iter().position(|known| known == contents);
        number.map_or("?", |number| &self.signs[number])
    }

    /// The meaning of the letters by their position in a sign, except for letters that are whole words.
    pub(super) fn legend(&self) -> Vec<String> {
        let entry = |letters: &BTreeMap<String, String>| {
            let pairs = letters.iter().filter(|(word, letter)| word != letter).take(MAX_LEGEND_WORDS);
            pairs.map(|(word, letter)| format!("{letter} {word}")).collect::<Vec<_>>().join(", ")
        };
        self.legend.iter().map(entry).filter(|entry| !entry.is_empty()).collect()
    }
}

/// Chooses a letter for a word: its first free one in lower or upper case, or else any free one.
fn letter(word: &str, taken: &mut BTreeSet<char>) -> char {
    let word_letters: Vec<char> = word.chars().filter(|symbol| symbol.is_alphanumeric()).collect();
    let upper = word_letters.iter().flat_map(|symbol| symbol.to_uppercase());
    let any = ('a'..='z').chain('A'..='Z').chain('0'..='9');
    let mut candidates = word_letters.iter().copied().chain(upper).chain(any);
    let chosen = candidates.find(|symbol| !taken.contains(symbol)).unwrap_or('?');
    taken.insert(chosen);
    chosen
}

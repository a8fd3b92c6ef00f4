//! Short signs for the contents of cells: a letter or two for each word, and the legend that explains them.

use std::collections::{BTreeMap, BTreeSet};

use super::cells::Contents;

/// The most characters of contents that are their own sign.
const SHORT: usize = 2;

/// The most words in the legend.
const MOST: usize = 60;

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
    /// Makes signs for contents, each of which is a list of words. The first ones choose their letters first.
    pub(super) fn new(contents: Vec<Contents>) -> CellSigns {
        let words = contents.iter().map(Vec::len).max().unwrap_or(0);
        let plain = contents.iter().all(|words| words.join("").chars().count() <= SHORT);
        let mut signs = vec![String::new(); contents.len()];
        let mut legend = Vec::new();
        for place in 0..words {
            let of = |words: &Contents| words.get(place).cloned().unwrap_or_default();
            let mut different: Vec<String> = Vec::new();
            for word in contents.iter().map(of) {
                if !different.contains(&word) {
                    different.push(word);
                }
            }
            // A word that all contents share is left out.
            if different.len() < 2 && words > 1 && contents.len() > 1 {
                continue;
            }
            let mut taken = BTreeSet::new();
            let letters: BTreeMap<String, String> = (different.into_iter())
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
            let pairs = letters.iter().filter(|(word, letter)| word != letter).take(MOST);
            pairs.map(|(word, letter)| format!("{letter} {word}")).collect::<Vec<_>>().join(", ")
        };
        self.legend.iter().map(entry).filter(|entry| !entry.is_empty()).collect()
    }
}

/// Chooses a letter for a word: its first free one in lower or upper case, or else any free one.
fn letter(word: &str, taken: &mut BTreeSet<char>) -> char {
    let own: Vec<char> = word.chars().filter(|symbol| symbol.is_alphanumeric()).collect();
    let upper = own.iter().flat_map(|symbol| symbol.to_uppercase());
    let any = ('a'..='z').chain('A'..='Z').chain('0'..='9');
    let mut candidates = own.iter().copied().chain(upper).chain(any);
    let found = candidates.find(|symbol| !taken.contains(symbol)).unwrap_or('?');
    taken.insert(found);
    found
}

//! Short signs for the contents of cells: a letter or two for each word, and the legend that explains them.

use std::collections::{BTreeMap, BTreeSet};

/// The most characters of contents that are their own sign.
const SHORT: usize = 2;

/// The most words in the legend.
const MOST: usize = 60;

/// Signs for contents.
pub(super) struct CellSigns {
    contents: Vec<Vec<String>>,
    signs: Vec<String>,
    /// The number of characters of the longest sign.
    pub(super) width: usize,
    /// For each letter position of a sign the words and their letters.
    legend: Vec<BTreeMap<String, String>>,
}

impl CellSigns {
    /// Makes signs for contents, each of which is a list of words.
    pub(super) fn new(contents: Vec<Vec<String>>) -> CellSigns {
        let words = contents.iter().map(Vec::len).max().unwrap_or(0);
        let plain = contents.iter().all(|words| words.join("").chars().count() <= SHORT);
        let mut signs = vec![String::new(); contents.len()];
        let mut legend = Vec::new();
        for place in 0..words {
            let of = |words: &Vec<String>| words.get(place).cloned().unwrap_or_default();
            let different: BTreeSet<String> = contents.iter().map(of).collect();
            // A word that all contents share is left out.
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
        CellSigns { contents, signs, width, legend }
    }

    /// The index and the sign of contents.
    pub(super) fn of(&self, contents: &Vec<String>) -> (usize, &str) {
        let number = self.contents.iter().position(|known| known == contents).unwrap_or(0);
        (number, self.signs.get(number).map_or("?", String::as_str))
    }

    /// The meaning of the letters, except for letters that are whole words.
    pub(super) fn legend(&self) -> String {
        let mut text = String::new();
        for letters in &self.legend {
            let pairs = letters.iter().filter(|(word, letter)| word != letter).take(MOST);
            let pairs: Vec<String> = pairs.map(|(word, letter)| format!("{letter} {word}")).collect();
            if !pairs.is_empty() {
                text.push_str(&format!("; {}", pairs.join(", ")));
            }
        }
        text
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

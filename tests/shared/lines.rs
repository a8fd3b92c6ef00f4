//! Searches messages for names and numbers, because their wording may change.

#![allow(dead_code, reason = "each test uses a part of it")]

/// Whether one line of a text has all these names and numbers. Each must be a word, apart from punctuation; a name with a
/// space may be anywhere in the line.
pub(crate) fn has_line(text: &str, names: &[&str]) -> bool {
    let punctuation: &[char] = &[',', '.', ';', ':', '(', ')', '`', '*'];
    let has = |line: &str, name: &str| {
        let mut words = line.split_whitespace().map(|word| word.trim_matches(punctuation));
        if name.contains(' ') {
            line.contains(name)
        } else {
            words.any(|word| word == name.trim_matches(punctuation))
        }
    };
    text.lines().any(|line| names.iter().all(|name| has(line, name)))
}

/// The whole numbers of a text, in order, except those inside names.
pub(crate) fn numbers(text: &str) -> Vec<u64> {
    let words = text.split_whitespace().map(|word| word.trim_matches([',', '.', ';', ':', '(', ')']));
    words.filter_map(|word| word.replace(',', "").parse().ok()).collect()
}

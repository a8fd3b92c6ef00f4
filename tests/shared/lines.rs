//! Looks for names and numbers in messages, whose wording may change.

#![allow(dead_code, reason = "each test uses a part of it")]

/// Whether one line of a text has all these names and numbers: each as a word of its own, punctuation aside, or, if it has a
/// space in it, anywhere.
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

/// The whole numbers of a text, in its order; those in names are left out.
pub(crate) fn numbers(text: &str) -> Vec<u64> {
    let words = text.split_whitespace().map(|word| word.trim_matches([',', '.', ';', ':', '(', ')']));
    words.filter_map(|word| word.replace(',', "").parse().ok()).collect()
}

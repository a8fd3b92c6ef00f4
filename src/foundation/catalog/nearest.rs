//! Suggestions for misspelt names.

/// The name most similar to `text` by normalized Damerau-Levenshtein distance; empty if `names` is empty.
pub fn nearest<'n>(text: &str, names: impl IntoIterator<Item = &'n str>) -> &'n str {
    let like = |name: &&str| strsim::normalized_damerau_levenshtein(text, name);
    names.into_iter().max_by(|a, b| like(a).total_cmp(&like(b))).unwrap_or("")
}

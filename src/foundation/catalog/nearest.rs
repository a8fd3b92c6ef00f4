//! The name that may have been meant.

/// The name that is most like a text; empty where there is none.
pub fn nearest<'n>(text: &str, names: impl IntoIterator<Item = &'n str>) -> &'n str {
    let like = |name: &&str| strsim::normalized_damerau_levenshtein(text, name);
    names.into_iter().max_by(|a, b| like(a).total_cmp(&like(b))).unwrap_or("")
}

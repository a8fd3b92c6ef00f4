//! Detects misspelt names by their edit distance to other names.

/// The name that `written` probably misspells: the one with the smallest Damerau-Levenshtein distance; the first of several.
pub(super) fn meant<'n>(written: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let alike = names.into_iter().filter(|name| resembles(written, name));
    alike.min_by_key(|name| strsim::damerau_levenshtein(written, name))
}

/// Whether two names differ by one letter, or by two if both have at least six. Names that differ only in digits, such as
/// `row1` and `row2`, do not resemble each other.
pub(super) fn resembles(one: &str, other: &str) -> bool {
    let letters = |name: &str| name.chars().filter(|sign| !sign.is_ascii_digit()).collect::<String>();
    let most = match one.chars().count().min(other.chars().count()) {
        0..3 => return false,
        3..6 => 1,
        _ => 2,
    };
    letters(one) != letters(other) && strsim::damerau_levenshtein(one, other) <= most
}

/// [`resembles`] for the variables of one rule, with one differing letter. Names of equal length that differ in the first or
/// last letter do not resemble each other: `?oldx` and `?oldy` are two coordinates.
pub(super) fn variables_resemble(one: &str, other: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let pair = || a.len() == b.len() && (a[1..] == b[1..] || a[..a.len() - 1] == b[..b.len() - 1]);
    resembles(one, other) && strsim::damerau_levenshtein(one, other) == 1 && !pair()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_differ_from_numbered_names_and_pairs() {
        for (one, other) in
            [("adjacent", "adjcent"), ("legal", "leagl"), ("column", "colunm"), ("coll", "col")]
        {
            assert!(resembles(one, other) && variables_resemble(one, other), "{one} {other}");
        }
        for (one, other) in [("x", "y"), ("row1", "row2"), ("col", "row"), ("cell", "cell"), ("p", "pp")] {
            assert!(!resembles(one, other) && !variables_resemble(one, other), "{one} {other}");
        }
        for (one, other) in [("oldx", "oldy"), ("xpos", "ypos"), ("cappon", "cappay")] {
            assert!(!variables_resemble(one, other), "{one} {other}");
        }
        assert_eq!(meant("adjcent", ["adjacency", "adjacent"]), Some("adjacent"));
        assert_eq!(meant("", ["adjacent", ""]), None);
    }
}

//! Whether one name is likely a misspelling of another.

/// The name of `names` that `written` is likely a misspelling of: the nearest, of several as near the first.
pub(super) fn meant<'n>(written: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let alike = names.into_iter().filter(|name| resembles(written, name));
    alike.min_by_key(|name| strsim::damerau_levenshtein(written, name))
}

/// Whether two different names differ by one letter, long ones by two. Names that differ in digits alone are a series.
pub(super) fn resembles(one: &str, other: &str) -> bool {
    let letters = |name: &str| name.chars().filter(|sign| !sign.is_ascii_digit()).collect::<String>();
    let most = match one.chars().count().min(other.chars().count()) {
        0..3 => return false,
        3..6 => 1,
        _ => 2,
    };
    letters(one) != letters(other) && strsim::damerau_levenshtein(one, other) <= most
}

/// The same for the variables of a rule, which people name alike: one letter differs. `?oldx` and `?oldy` are two
/// coordinates: names that differ in the first or last letter are meant to differ.
pub(super) fn variables_resemble(one: &str, other: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let pair = || a.len() == b.len() && (a[1..] == b[1..] || a[..a.len() - 1] == b[..b.len() - 1]);
    resembles(one, other) && strsim::damerau_levenshtein(one, other) == 1 && !pair()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_told_from_series_and_pairs() {
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

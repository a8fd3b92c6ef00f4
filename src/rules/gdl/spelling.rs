//! Case-sensitive names.
//!
//! GDL does not distinguish upper and lower case, and all later steps use lower case. But some public games give two
//! meanings to one word in two spellings, and some game managers distinguish them. If a text is read case-sensitively, the
//! second spelling of a name becomes a name of its own in lower case, such as `timeout.2` for `timeOut` next to `timeout`.
//! `protocol/case_map.rs` translates back for such game managers.

use std::borrow::Cow;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::keyword::Keyword;

/// The words of a text that have several spellings, each with its own name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spellings {
    /// For each spelling, its name.
    own: FxHashMap<String, String>,
    /// For each name, its spelling.
    spelled: FxHashMap<String, String>,
}

impl Spellings {
    /// Collects the spellings of words other than keywords. The spelling in lower case, or else the first, keeps the name.
    /// The others get numbers in order of appearance.
    pub(crate) fn of<'t>(words: impl Iterator<Item = &'t str>) -> Spellings {
        let mut names: IndexMap<String, IndexSet<&str, FxBuildHasher>, FxBuildHasher> = IndexMap::default();
        for word in words {
            let name = word.to_lowercase();
            if !Keyword::ALL.iter().any(|keyword| keyword.name() == name) {
                names.entry(name).or_default().insert(word);
            }
        }
        let mut spellings = Spellings::default();
        for (name, forms) in names.iter().filter(|(_, forms)| forms.len() > 1) {
            let keeps = forms.get(name.as_str()).or_else(|| forms.first()).copied().unwrap_or_default();
            let mut number = 1;
            for &form in forms {
                let own = if form == keeps {
                    name.clone()
                } else {
                    loop {
                        number += 1;
                        let own = format!("{name}.{number}");
                        if !names.contains_key(&own) {
                            break own;
                        }
                    }
                };
                spellings.spelled.insert(own.clone(), form.to_owned());
                spellings.own.insert(form.to_owned(), own);
            }
        }
        spellings
    }

    /// Whether no word has several spellings.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// The name of a word.
    pub fn name<'n>(&'n self, word: &str) -> Cow<'n, str> {
        self.own.get(word).map_or_else(|| Cow::Owned(word.to_lowercase()), |own| Cow::Borrowed(own.as_str()))
    }

    /// The name of a word that has several spellings; none for other words.
    pub fn own(&self, word: &str) -> Option<&str> {
        self.own.get(word).map(String::as_str)
    }

    /// A name in lower case without the number of its spelling, as case-insensitive programs write it.
    pub fn folded<'n>(&'n self, name: &'n str) -> Cow<'n, str> {
        self.spelled.get(name).map_or(Cow::Borrowed(name), |spelled| Cow::Owned(spelled.to_lowercase()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_spelling_is_a_separate_name() {
        let words = ["TRUE", "true", "nextSpot", "nextspot", "NextSpot", "a", "Go", "GO", "go.2", "?X", "?x"];
        let spellings = Spellings::of(words.into_iter());
        for (word, name) in [
            ("TRUE", "true"),
            ("nextspot", "nextspot"),
            ("nextSpot", "nextspot.2"),
            ("NextSpot", "nextspot.3"),
            ("Go", "go"),
            ("GO", "go.3"),
            ("A", "a"),
            ("?x", "?x"),
            ("?X", "?x.2"),
        ] {
            assert_eq!(spellings.name(word), name);
        }
        assert_eq!((spellings.folded("nextspot.3"), spellings.folded("a")), ("nextspot".into(), "a".into()));
        assert!(Spellings::of(["A", "b"].into_iter()).is_empty());
    }
}

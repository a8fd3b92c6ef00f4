//! The spelling of words by a manager. Rules are read in lower case, and replies use the manager's case. If rules are
//! case-sensitive, names in different case are different.

use rustc_hash::FxHashMap;

use super::expression::{Token, rewritten, tokens};
use crate::gdl::{Spellings, spellings};

/// The first spelling of each word that is not in lower case. If names in different case are different, also the names of
/// a word's spellings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseMap {
    first: FxHashMap<String, String>,
    different: Spellings,
}

impl CaseMap {
    /// The spelling of rules. For a word with two spellings the first one counts, as GDL treats them as equal, unless
    /// names are case-sensitive.
    pub fn of(rules: &str, case_sensitive: bool) -> CaseMap {
        let different = if case_sensitive { spellings(rules) } else { Spellings::default() };
        let mut first: FxHashMap<String, String> = FxHashMap::default();
        for (_, token) in tokens(rules) {
            if let Token::Word(word) = token {
                let name = different.name(word).into_owned();
                first.entry(name).or_insert_with(|| word.to_owned());
            }
        }
        first.retain(|folded, word| folded != word);
        CaseMap { first, different }
    }

    /// Converts a term in lower case to the manager's spelling.
    pub fn restore(&self, text: &str) -> String {
        rewritten(text, |word| self.first.get(word).map_or(word, String::as_str))
    }

    /// Converts a term of the manager to the names of the game.
    pub fn received(&self, text: &str) -> String {
        rewritten(text, |word| self.different.own(word).unwrap_or(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_use_the_case_of_the_rules() {
        let upper = CaseMap::of("(ROLE WHITE) (<= (LEGAL WHITE (MARK 1 ?X)))", false);
        assert_eq!(upper.restore("(mark 1 1)"), "(MARK 1 1)");
        let mixed = CaseMap::of("(legal White (moveTo A1)) (legal white (moveto a1))", false);
        assert_eq!(mixed.restore("(moveto a1)"), "(moveTo A1)");
        assert_eq!(CaseMap::of("(role white)", false), CaseMap::default());
        let different = CaseMap::of("(legal White (moveTo A1)) (legal white (moveto a1))", true);
        for (spelled, name) in [("(moveTo A1)", "(moveto.2 a1.2)"), ("(moveto a1)", "(moveto a1)")] {
            assert_eq!(different.restore(name), spelled);
            assert_eq!(crate::simulate::canonical(&different.received(spelled)), name);
        }
        assert_eq!(CaseMap::default().restore("noop"), "noop");
    }
}

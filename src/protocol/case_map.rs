//! How a manager spells words: rules are folded to lower case when they are read, and a reply goes out in the case that
//! came in. Where case counts, a name in another case is another name.

use rustc_hash::FxHashMap;

use super::expression::{Token, rewritten, tokens};
use crate::gdl::{Spellings, spellings};

/// The first spelling of every word that is not in lower case, and of words in several spellings the names of all, where
/// they are different names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseMap {
    first: FxHashMap<String, String>,
    different: Spellings,
}

impl CaseMap {
    /// The spelling of rules. Of a word in two spellings the first counts, as the language knows them as one, unless they
    /// are to be different names.
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

    /// A term in lower case as the manager spells it.
    pub fn restore(&self, text: &str) -> String {
        rewritten(text, |word| self.first.get(word).map_or(word, String::as_str))
    }

    /// A term of the manager's in the names of the game.
    pub fn received(&self, text: &str) -> String {
        rewritten(text, |word| self.different.own(word).unwrap_or(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_go_out_as_rules_came_in() {
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

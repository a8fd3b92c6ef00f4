//! How a manager spells words: rules are folded to lower case when they are read, and a reply goes out in the case that
//! came in.

use rustc_hash::FxHashMap;

use super::expression::{Token, rewritten, tokens};

/// The first spelling of every word that is not in lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseMap {
    first: FxHashMap<String, String>,
}

impl CaseMap {
    /// The spelling of rules. Of a word in two spellings the first counts: the language knows them as one.
    pub fn of(rules: &str) -> CaseMap {
        let mut first: FxHashMap<String, String> = FxHashMap::default();
        for (_, token) in tokens(rules) {
            if let Token::Word(word) = token {
                let folded = word.to_lowercase();
                first.entry(folded).or_insert_with(|| word.to_owned());
            }
        }
        first.retain(|folded, word| folded != word);
        CaseMap { first }
    }

    /// A term in lower case as the manager spells it.
    pub fn restore(&self, text: &str) -> String {
        rewritten(text, |word| self.first.get(word).map_or(word, String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_go_out_as_rules_came_in() {
        let upper = CaseMap::of("(ROLE WHITE) (<= (LEGAL WHITE (MARK 1 ?X)))");
        assert_eq!(upper.restore("(mark 1 1)"), "(MARK 1 1)");
        let mixed = CaseMap::of("(legal White (moveTo A1)) (legal white (moveto a1))");
        assert_eq!(mixed.restore("(moveto a1)"), "(moveTo A1)");
        assert_eq!(CaseMap::of("(role white)"), CaseMap::default());
        assert_eq!(CaseMap::default().restore("noop"), "noop");
    }
}

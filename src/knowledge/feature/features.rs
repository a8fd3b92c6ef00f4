//! The list of features that the families of a game make: names are unique, and no feature occurs twice.

use std::collections::{BTreeMap, BTreeSet};

use super::definition::{Family, Feature};
use super::pattern::Pattern;
use super::range::range;
use super::sources::Sources;
use super::spec::Spec;

/// The features of a game, and notes on what was left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Features {
    /// The features, by family.
    pub list: Vec<Feature>,
    /// Sentences that name what exceeded a budget.
    pub notes: Vec<String>,
    ids: BTreeSet<String>,
    formulas: BTreeSet<String>,
}

impl Features {
    /// Adds a feature, unless it is an expression that exists already. If the name is taken, a number is appended.
    pub(super) fn add(
        &mut self,
        sources: &Sources<'_>,
        family: Family,
        role: Option<&str>,
        id: &str,
        spec: Spec,
    ) {
        let Some(range) = range(&spec, sources) else { return };
        let formula = spec.to_string();
        // Expressions come last, and many repeat a feature of another family or its negation.
        let mirror = match &spec {
            Spec::Difference { first, second } => format!("{second} - {first}"),
            _ => String::new(),
        };
        let known = self.formulas.contains(&mirror) || !self.formulas.insert(formula.clone());
        if known && family == Family::Expression {
            return;
        }
        let numbered = (2..).map(|number| format!("{id}~{number}"));
        let free = std::iter::once(id.to_owned()).chain(numbered).find(|id| self.ids.insert(id.clone()));
        let id = free.unwrap_or_default();
        let role = role.map(str::to_owned);
        self.list.push(Feature { id, family, role, formula, range, beyond_source: false, spec });
    }

    /// Adds a feature without a role that the source of its family does not have.
    pub(super) fn add_beyond(&mut self, sources: &Sources<'_>, family: Family, id: &str, spec: Spec) {
        let before = self.list.len();
        self.add(sources, family, None, id, spec);
        self.list[before..].iter_mut().for_each(|feature| feature.beyond_source = true);
    }
}

/// A pattern as part of a name: words with dots between them, `_` for a variable.
pub(super) fn slug(pattern: &Pattern) -> String {
    let text = pattern.to_string();
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    let words: Vec<&str> = text.split([' ', '(', ')']).filter(|word| !word.is_empty()).collect();
    words.iter().for_each(|word| *count.entry(word).or_default() += 1);
    let mut repeated: Vec<&str> = Vec::new();
    let mut names = Vec::with_capacity(words.len());
    for word in words {
        names.push(match word.starts_with('?') {
            false => word.to_owned(),
            true if count[word] == 1 => "_".to_owned(),
            true => {
                let index = repeated.iter().position(|known| *known == word).unwrap_or(repeated.len());
                if index == repeated.len() {
                    repeated.push(word);
                }
                format!("_{}", index + 1)
            }
        });
    }
    names.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_readable_names() {
        let name = |text: &str| slug(&Pattern::parse(text).unwrap());
        assert_eq!(name("(cell ?x ?y b)"), "cell._._.b");
        assert_eq!(name("(cell ?x ?x b)"), "cell._1._1.b");
        assert_eq!(name("(at (pos ?x 1) tree)"), "at.pos._.1.tree");
        assert_eq!(name("over"), "over");
    }
}

//! The list of families, with the documentation that stands in their files, and the features they make of a game.

use std::collections::{BTreeMap, BTreeSet};

use crate::structure::finding::{FluentFinding, FluentKind, Structures};

use super::definition::{Family, Feature};
use super::fluent_index::FluentIndex;
use super::ownership::Ownership;
use super::pattern::Pattern;
use super::range::range;
use super::spec::Spec;
use super::{expression, goal_progress, kuhlmann, material, mobility, novelty};

/// What features are made from.
pub struct Sources<'a> {
    /// The fluents.
    pub fluent_index: &'a FluentIndex<'a>,
    /// What the game is made of.
    pub structures: &'a Structures,
    /// Whose symbols are whose, as play shows it.
    pub ownership: &'a Ownership,
}

/// Features of a game, and what was left out of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Features {
    /// The features, by family.
    pub list: Vec<Feature>,
    /// Sentences that name what passed a budget.
    pub notes: Vec<String>,
    ids: BTreeSet<String>,
    formulas: BTreeSet<String>,
}

/// A family of features.
#[derive(Clone, Copy)]
pub struct FamilyEntry {
    /// Which.
    pub family: Family,
    /// Its name, that of its file.
    pub name: &'static str,
    /// What it counts, in a few words.
    pub title: &'static str,
    /// Where the definition comes from.
    pub source: &'static str,
    /// Its file; the lines that start with `//!` are its documentation.
    pub text: &'static str,
    make: fn(&Sources<'_>, &mut Features),
}

macro_rules! family {
    ($family:ident, $file:ident, $title:literal, $source:literal) => {
        FamilyEntry {
            family: Family::$family,
            name: stringify!($file),
            title: $title,
            source: $source,
            text: include_str!(concat!(stringify!($file), ".rs")),
            make: $file::make,
        }
    };
}

/// All families, in the order in which their features are listed.
pub const FAMILIES: &[FamilyEntry] = &[
    family!(
        Kuhlmann,
        kuhlmann,
        "Coordinates, distances, markers and quantities",
        "Kuhlmann, Dresner and Stone 2006"
    ),
    family!(Mobility, mobility, "Legal moves", "Clune 2007; Genesereth and Thielscher 2014"),
    family!(Novelty, novelty, "Changed facts", "Genesereth and Thielscher 2014"),
    family!(Material, material, "Own symbols", "Draper and Rose 2014"),
    family!(Expression, expression, "Expressions of the rules", "Walędzik and Mańdziuk 2014"),
    family!(GoalProgress, goal_progress, "Goals fulfilled", "Schiffel and Thielscher 2007"),
];

impl FamilyEntry {
    /// Its documentation, as Markdown.
    pub fn documentation(&self) -> String {
        let lines = self.text.lines().map_while(|line| line.strip_prefix("//!"));
        lines.flat_map(|line| [line.strip_prefix(' ').unwrap_or(line), "\n"]).collect()
    }
}

/// The features of a game, of all families.
pub fn features(sources: &Sources<'_>) -> Features {
    let mut features = Features::default();
    for family in FAMILIES {
        (family.make)(sources, &mut features);
    }
    features
}

impl Features {
    /// Adds a feature, unless it is an expression that is there already. Where its name is taken it gets a number.
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
        // Expressions come last and are many: what another family has already, or its mirror, is not said again.
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
        self.list.push(Feature { id, family, role: role.map(str::to_owned), formula, range, spec });
    }
}

/// Part of a name: a pattern as words with dots between, `_` for a variable.
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
                let place = repeated.iter().position(|known| *known == word).unwrap_or(repeated.len());
                if place == repeated.len() {
                    repeated.push(word);
                }
                format!("_{}", place + 1)
            }
        });
    }
    names.join(".")
}

impl Sources<'_> {
    /// The finding about a fluent, `name/arity`.
    pub(super) fn finding(&self, signature: &str) -> Option<&FluentFinding> {
        self.structures.fluents.iter().find(|finding| finding.fluent == signature)
    }

    /// The fluents of some kinds.
    pub(super) fn of_kind<'s>(&'s self, kinds: &'s [FluentKind]) -> impl Iterator<Item = &'s FluentFinding> {
        self.structures.fluents.iter().filter(move |finding| kinds.contains(&finding.kind))
    }

    /// The elements of an order from first to last, as far as they span the terms given; none where fewer than two
    /// of them are in it.
    pub(super) fn order(&self, relation: &str, terms: &BTreeSet<&str>) -> Option<Vec<String>> {
        let found = self.structures.successors.iter().find(|successor| successor.relation == relation)?;
        let inside = |element: &String| terms.contains(element.as_str());
        let first = found.elements.iter().position(inside)?;
        let last = found.elements.iter().rposition(inside)?;
        (last > first).then(|| found.elements[first..=last].to_vec())
    }

    /// The terms that can stand at an argument (from 1) of a fluent: of the fluents of the network, or by the
    /// domains of the rules.
    pub(super) fn terms<'s>(&'s self, finding: &'s FluentFinding, argument: usize) -> BTreeSet<&'s str> {
        if !self.fluent_index.is_complete() {
            return finding.domains[argument - 1].iter().map(String::as_str).collect();
        }
        let name = name_of(finding);
        let pattern = Pattern::with(name, finding.arity, &[]);
        let Ok(relation) = self.fluent_index.relation(&pattern) else { return BTreeSet::new() };
        self.fluent_index.members(relation).map(|(_, arguments)| arguments[argument - 1]).collect()
    }
}

/// The name of a fluent without its arity.
pub(super) fn name_of(finding: &FluentFinding) -> &str {
    finding.fluent.rsplit_once('/').map_or(finding.fluent.as_str(), |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_all_headings_in_order() {
        let headings = ["What it does", "How", "Guarantee", "Cost", "Example", "Source"];
        for family in FAMILIES {
            let text = family.documentation();
            let found: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# ")).collect();
            assert_eq!(found, headings, "{}", family.name);
        }
    }

    #[test]
    fn names_of_patterns() {
        let name = |text: &str| slug(&Pattern::parse(text).unwrap());
        assert_eq!(name("(cell ?x ?y b)"), "cell._._.b");
        assert_eq!(name("(cell ?x ?x b)"), "cell._1._1.b");
        assert_eq!(name("(at (pos ?x 1) tree)"), "at.pos._.1.tree");
        assert_eq!(name("over"), "over");
    }
}

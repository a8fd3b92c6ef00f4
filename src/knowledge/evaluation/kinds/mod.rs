//! The registry of kinds of evaluation functions: their documentation, options and constructors. Help, errors,
//! documents, `docs/functions.md` and tests use it.

mod fuzzy;
mod learned;
mod one_feature;
mod statistical;

use crate::catalog::{CatalogEntry, OptionValues, page};
use crate::feature::Family;

use super::build_context::{BuildContext, Functions, Parameters};
use super::kind::Kind;

/// The reason why options of a kind can't be used together.
pub type OptionConflict = Box<dyn std::error::Error + Send + Sync>;

/// A kind of evaluation functions.
pub trait FunctionKind: CatalogEntry + Sync {
    /// The kind, as documents name it.
    fn kind(&self) -> Kind;

    /// The family of features if each function has one feature, else `None`. [`Kind::of`] returns this kind for the family.
    fn family(&self) -> Option<Family> {
        None
    }

    /// Whether its functions use features.
    fn is_made_of_features(&self) -> bool {
        true
    }

    /// Whether its functions are made by default. Functions that take long are made only if their kind is named.
    fn is_usual(&self) -> bool {
        true
    }

    /// Sets parameters from the given options.
    ///
    /// # Errors
    /// The values can't be used together.
    fn set(&self, _: &OptionValues, _: &mut Parameters) -> Result<(), OptionConflict> {
        Ok(())
    }

    /// Makes the functions of a game, by role, and notes those that can't be made.
    fn make(&self, material: &BuildContext<'_>, parameters: &Parameters, made: &mut Functions);
}

/// All kinds, in the order in which functions are listed: that of [`Kind::ALL`].
pub static KINDS: &[&dyn FunctionKind] = &[
    &one_feature::KUHLMANN,
    &one_feature::MOBILITY,
    &one_feature::NOVELTY,
    &one_feature::MATERIAL,
    &one_feature::ORDER,
    &fuzzy::FuzzyKind,
    &statistical::StatisticalKind,
    &learned::LearnedKind,
];

/// The entry of a kind.
///
/// # Panics
/// Never: a test compares the list with [`Kind::ALL`].
pub fn entry(kind: Kind) -> &'static dyn FunctionKind {
    *KINDS.iter().find(|entry| entry.kind() == kind).expect("every kind has an entry")
}

/// The page about all kinds, `docs/functions.md`.
pub fn functions_page() -> String {
    let introduction = "# Kinds of evaluation functions\n\n\
        An evaluation function gives a state a value for a role; a greater value is better for the role. \
        [evaluations.md](evaluations.md) describes the documents of functions, and [fuzzy.md](fuzzy.md) has the \
        formulas of fuzzy functions. This page is made from the entries in `src/knowledge/evaluation/kinds/`; \
        `GGP_BLESS=1 cargo test --test documents schema` writes it again.\n";
    page(introduction, KINDS.iter().map(|entry| *entry as &dyn CatalogEntry))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{HEADINGS, OptionValue, headings};

    #[test]
    fn every_kind_has_one_entry() {
        let kinds: Vec<Kind> = KINDS.iter().map(|entry| entry.kind()).collect();
        assert_eq!(kinds, Kind::ALL);
        for entry in KINDS {
            assert_eq!(entry.name(), entry.kind().name());
            assert_eq!(headings(&entry.documentation()), HEADINGS, "{}", entry.name());
            assert!(!entry.title().is_empty() && !entry.source().is_empty(), "{}", entry.name());
        }
    }

    #[test]
    fn families_and_kinds_agree() {
        for family in crate::feature::FAMILIES.iter().map(|entry| entry.family()) {
            let of = KINDS.iter().filter(|entry| entry.family() == Some(family));
            let of: Vec<Kind> = of.map(|entry| entry.kind()).collect();
            assert_eq!(of.first().copied(), Kind::of(family));
            assert!(of.len() <= 1);
        }
    }

    #[test]
    fn omitted_options_change_nothing() {
        for entry in KINDS {
            let mut parameters = Parameters::default();
            parameters.statistical.seed = 7;
            let before = parameters;
            entry.set(&OptionValues::default(), &mut parameters).unwrap();
            assert_eq!(parameters, before, "{}", entry.name());
        }
    }

    #[test]
    fn every_option_sets_a_parameter() {
        for (entry, option) in
            KINDS.iter().flat_map(|entry| entry.options().into_iter().map(move |o| (entry, o)))
        {
            let text = match (option.name, option.default) {
                ("since", _) => "root".to_owned(),
                ("p", _) => "0.9".to_owned(),
                ("threshold", _) => "0.7".to_owned(),
                ("lambda" | "noise" | "ridge", _) => "0.5".to_owned(),
                ("plies", _) => "1".to_owned(),
                (_, OptionValue::Flag(on)) => u8::from(!on).to_string(),
                (_, OptionValue::Integer(number)) => (number + 1).to_string(),
                (_, OptionValue::Real(number)) => (number + 1.0).to_string(),
                (_, OptionValue::Choice(_) | OptionValue::Member(..) | OptionValue::Text(_)) => {
                    "yager:4".to_owned()
                }
            };
            let mut given = OptionValues::default();
            given.set(&option, option.kind.read(&text).expect("a value in its range"));
            let mut parameters = Parameters::default();
            entry.set(&given, &mut parameters).unwrap();
            assert_ne!(parameters, Parameters::default(), "--{}-{}", entry.name(), option.name);
        }
    }
}

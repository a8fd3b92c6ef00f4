//! The list of kinds of evaluation functions: what each says of itself, and how its functions are made. Everything that
//! names kinds (help, errors, documents, `docs/functions.md`, tests) goes through it.

mod fuzzy;
mod one_feature;
mod statistical;

use crate::catalog::{CatalogEntry, page};
use crate::feature::Family;

use super::construct::{BuildContext, Functions, Parameters};
use super::function::Kind;

/// A kind of evaluation functions.
pub trait FunctionKind: CatalogEntry + Sync {
    /// Which, as documents have it.
    fn kind(&self) -> Kind;

    /// The family that its functions stand on one feature of each; none where they are made otherwise.
    fn family(&self) -> Option<Family> {
        None
    }

    /// Whether its functions are made of features.
    fn is_made_of_features(&self) -> bool {
        true
    }

    /// Makes the functions of a game, by role; what can't be made is noted.
    fn make(&self, material: &BuildContext<'_>, parameters: &Parameters, made: &mut Functions);
}

/// All kinds, in the order in which functions are listed.
pub static KINDS: &[&dyn FunctionKind] = &[
    &one_feature::KUHLMANN,
    &one_feature::MOBILITY,
    &one_feature::NOVELTY,
    &one_feature::MATERIAL,
    &fuzzy::Fuzzy,
    &statistical::Statistical,
];

/// The entry of a kind.
///
/// # Panics
/// Never: a test holds the list against [`Kind::ALL`].
pub fn entry(kind: Kind) -> &'static dyn FunctionKind {
    *KINDS.iter().find(|entry| entry.kind() == kind).expect("every kind has an entry")
}

/// The page about all kinds, `docs/functions.md`.
pub fn functions_page() -> String {
    let introduction = "# Kinds of evaluation functions\n\n\
        Made from the entries in `src/evaluation/kinds/` and the files they document; \
        `GGP_BLESS=1 cargo test --release --test documents schema` writes it anew. What a document of a function holds is \
        in [evaluations.md](evaluations.md), the formulas of fuzzy functions are in [fuzzy.md](fuzzy.md).\n";
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
    fn options_have_the_defaults_that_functions_are_made_by() {
        let parameters = Parameters::default();
        let told = |kind: Kind, name: &str| {
            let options = entry(kind).options();
            options.iter().find(|option| option.name == name).map(|option| option.default)
        };
        assert_eq!(told(Kind::Fuzzy, "p"), Some(OptionValue::Real(parameters.fuzzy.p)));
        assert_eq!(told(Kind::Fuzzy, "threshold"), Some(OptionValue::Real(parameters.fuzzy.threshold)));
        let statistical = parameters.statistical;
        for (name, wanted) in [
            ("sequences", statistical.sequences),
            ("length", statistical.length),
            ("gap", statistical.gap),
            ("playouts", statistical.playouts),
            ("components", statistical.components),
        ] {
            assert_eq!(told(Kind::Statistical, name), Some(OptionValue::Integer(wanted.into())), "{name}");
        }
        assert_eq!(told(Kind::Statistical, "within"), Some(OptionValue::Real(statistical.within)));
    }
}

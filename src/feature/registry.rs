//! The list of families, with the documentation that stands in their files, and the features they make of a game.

use super::definition::Family;
use super::features::Features;
use super::sources::Sources;
use super::{expression, goal_progress, kuhlmann, material, mobility, novelty};

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
}

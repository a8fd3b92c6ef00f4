//! The list of families, and the features that they make for a game.

use super::definition::Feature;
use super::expression::ExpressionFamily;
use super::family::{FeatureFamily, Origin};
use super::features::Features;
use super::goal_progress::GoalProgressFamily;
use super::kuhlmann::KuhlmannFamily;
use super::latch::LatchFamily;
use super::material::MaterialFamily;
use super::mobility::MobilityFamily;
use super::novelty::NoveltyFamily;
use super::order::OrderFamily;
use super::sources::Sources;

/// All families, in the order in which their features are listed.
pub const FAMILIES: &[&dyn FeatureFamily] = &[
    &KuhlmannFamily,
    &MobilityFamily,
    &NoveltyFamily,
    &MaterialFamily,
    &OrderFamily,
    &LatchFamily,
    &ExpressionFamily,
    &GoalProgressFamily,
];

/// The features of a game that don't depend on its evaluation functions.
pub fn features(sources: &Sources<'_>) -> Features {
    let mut features = Features::default();
    for family in FAMILIES {
        if let Origin::Structures(make) = family.origin() {
            make(sources, &mut features);
        }
    }
    features
}

/// The features whose values are those of a role's goal function, which is given by its name.
pub fn features_of_goal_function(role: &str, function: &str) -> Vec<Feature> {
    let of = |family: &&dyn FeatureFamily| match family.origin() {
        Origin::GoalFunction(make) => Some(make(role, function)),
        Origin::Structures(_) => None,
    };
    FAMILIES.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{HEADINGS, headings};
    use crate::feature::Family;

    #[test]
    fn every_family_has_all_headings_in_order() {
        for family in FAMILIES {
            assert_eq!(headings(&family.documentation()), HEADINGS, "{}", family.name());
        }
    }

    #[test]
    fn every_family_of_the_documents_is_listed_once() {
        let schema = serde_json::to_value(schemars::schema_for!(Family)).unwrap();
        let mut named: Vec<&str> = schema["oneOf"]
            .as_array()
            .unwrap()
            .iter()
            .map(|family| family["const"].as_str().unwrap())
            .collect();
        let mut listed: Vec<&str> = FAMILIES.iter().map(|family| family.family().name()).collect();
        named.sort_unstable();
        listed.sort_unstable();
        assert_eq!(named, listed);
    }
}

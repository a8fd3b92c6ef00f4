//! # What it does
//! Says how far a state fulfils the conditions of a role's goals.
//!
//! # How
//! The value of the role's fuzzy goal function, from 0 to 1: an evaluation function, whose document the feature names.
//! These features are added to the others once the functions are made; a function too large for all states of the
//! sample is measured on the first ones.
//!
//! # Guarantee
//! That of the function, on the same states as the other features.
//!
//! # Cost
//! That of the function.
//!
//! # Example
//! Blocks world: the share of blocks that stand where the goal wants them, in fuzzy logic.
//!
//! # Source
//! Schiffel and Thielscher, "Fluxplayer: A Successful General Game Player", AAAI 2007. Where the
//! function departs from it is said in its own parts, `src/knowledge/evaluation/fuzzy/`, and in `docs/fuzzy.md`.

use crate::catalog_entry;

use super::definition::{Family, Feature};
use super::family::{FeatureFamily, Origin};
use super::spec::Spec;

catalog_entry!(
    GoalProgressFamily,
    "goal-progress" in "goal_progress.rs",
    "Goals fulfilled",
    "Schiffel and Thielscher 2007"
);

impl FeatureFamily for GoalProgressFamily {
    fn family(&self) -> Family {
        Family::GoalProgress
    }

    fn origin(&self) -> Origin {
        Origin::GoalFunction(feature)
    }
}

/// The value of a role's goal function, given by its name among the evaluation functions, as a feature.
fn feature(role: &str, function: &str) -> Feature {
    let spec = Spec::GoalProgress { role: role.to_owned(), function: function.to_owned() };
    Feature {
        id: format!("goal-progress.{role}"),
        family: Family::GoalProgress,
        role: Some(role.to_owned()),
        formula: spec.to_string(),
        range: [0.0, 1.0],
        beyond_source: false,
        spec,
    }
}

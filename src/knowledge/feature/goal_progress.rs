//! # What it does
//! Measures how close the conditions of a role's goals are to being true.
//!
//! # How
//! The value is that of the role's fuzzy function, from 0 to 1. The feature names the document of this function.
//! These features are added after the functions are made. If a function costs too much for all sampled states, it is
//! measured on the first ones.
//!
//! # Guarantee
//! That of the function, on the same states as the other features.
//!
//! # Cost
//! That of the function.
//!
//! # Example
//! Blocks world: the share of blocks that are where the goal requires them, in fuzzy logic.
//!
//! # Source
//! Schiffel and Thielscher, "Fluxplayer: A Successful General Game Player", AAAI 2007.
//! `src/knowledge/evaluation/fuzzy/` and `docs/fuzzy.md` list the departures from it.

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

/// The value of a role's goal function, given by its name, as a feature.
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

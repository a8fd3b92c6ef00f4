//! What a family of features is.

use crate::catalog::CatalogEntry;

use super::definition::{Family, Feature};
use super::features::Features;
use super::sources::Sources;

/// Features that are made in one way.
pub trait FeatureFamily: CatalogEntry + Sync {
    /// Which, as the documents of its features say.
    fn family(&self) -> Family;

    /// What its features are made of.
    fn origin(&self) -> Origin;
}

/// What the features of a family are made of.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    /// Of the rules, what was found in them, and what play showed.
    Structures(fn(&Sources<'_>, &mut Features)),
    /// Each of a role's goal function, given by role and name: its value is the feature.
    GoalFunction(fn(&str, &str) -> Feature),
}

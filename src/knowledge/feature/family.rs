//! The interface of a family of features.

use crate::catalog::CatalogEntry;

use super::definition::{Family, Feature};
use super::features::Features;
use super::sources::Sources;

/// Features that are derived by one method.
pub trait FeatureFamily: CatalogEntry + Sync {
    /// The family, as the documents of its features name it.
    fn family(&self) -> Family;

    /// The data that its features are made from.
    fn origin(&self) -> Origin;
}

/// The data that the features of a family are made from.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    /// The rules, the findings and the results of playouts. The function adds features to the list.
    Structures(fn(&Sources<'_>, &mut Features)),
    /// Each goal function of a role: its value is the feature. The arguments are the role and the name of the
    /// function.
    GoalFunction(fn(&str, &str) -> Feature),
}

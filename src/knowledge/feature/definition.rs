//! A feature: a named number of a state.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::spec::Spec;

/// Where a feature comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Coordinates and distances of pieces, counts of markers, values of quantities.
    Kuhlmann,
    /// How many legal moves roles have.
    Mobility,
    /// How much of the state changed.
    Novelty,
    /// Numbers of solutions of expressions of the rules.
    Expression,
    /// What a role owns, weighted by use.
    Material,
    /// Sums and extremes of what a role's things have along an order.
    Order,
    /// Flags, and what is done for good.
    Latch,
    /// How far the goals of a role are fulfilled, in fuzzy logic.
    GoalProgress,
}

impl Family {
    /// Its name, as in documents.
    pub fn name(self) -> &'static str {
        match self {
            Family::Kuhlmann => "kuhlmann",
            Family::Mobility => "mobility",
            Family::Novelty => "novelty",
            Family::Expression => "expression",
            Family::Material => "material",
            Family::Order => "order",
            Family::Latch => "latch",
            Family::GoalProgress => "goal-progress",
        }
    }
}

/// A named number of a state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// Its name among the features of a game: the same for the same rules.
    pub id: String,
    /// Where it comes from.
    pub family: Family,
    /// The role it is about, or null.
    pub role: Option<String>,
    /// What it counts, in KIF terms.
    pub formula: String,
    /// The least and the greatest value by the domains of the rules; no state need have them.
    pub range: [f64; 2],
    /// Whether the publication that its family comes from does not have such a feature.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beyond_source: bool,
    /// The feature itself.
    pub spec: Spec,
}

//! A feature: a named number of a state.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::spec::Spec;

/// The family that made a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Coordinates and distances of pieces, counts of markers, values of quantities.
    Kuhlmann,
    /// The numbers of legal moves of roles.
    Mobility,
    /// The share of the state that changed.
    Novelty,
    /// The number of solutions of an expression of the rules.
    Expression,
    /// The material of a role, weighted by use.
    Material,
    /// Sums and extremes, along an order, of what a role owns.
    Order,
    /// Flags, and the number of facts that never change back.
    Latch,
    /// How close the conditions of a role's goals are to being true, in fuzzy logic.
    GoalProgress,
}

impl Family {
    /// The name in documents.
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
    /// The name, unique among the features of a game; the same rules give the same names.
    pub id: String,
    /// The family that made it.
    pub family: Family,
    /// The role that the feature describes, or null.
    pub role: Option<String>,
    /// The definition in KIF terms, for readers.
    pub formula: String,
    /// The least and the greatest value that the domains of the rules allow; no reachable state need have them.
    pub range: [f64; 2],
    /// Whether the publication that the family comes from lacks such a feature.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beyond_source: bool,
    /// The definition that can be bound to a machine.
    pub spec: Spec,
}

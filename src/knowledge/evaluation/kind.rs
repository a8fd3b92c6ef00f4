//! The kinds of evaluation functions by name; `kinds/` has their entries.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::feature::Family;

/// The method by which an evaluation function is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// One feature of Kuhlmann, Dresner and Stone, scaled.
    Kuhlmann,
    /// One feature of mobility, scaled.
    Mobility,
    /// The share of changed facts, scaled.
    Novelty,
    /// The material of a role, scaled.
    Material,
    /// One sum or extreme along an order, scaled.
    Order,
    /// Goal conditions in fuzzy logic.
    Fuzzy,
    /// A weighted sum of features, learned from random play.
    Statistical,
    /// Weighted conjunctions of facts, learned from self-play.
    Learned,
}

impl Kind {
    /// All kinds, in the order of the registry.
    pub const ALL: &[Kind] = &[
        Kind::Kuhlmann,
        Kind::Mobility,
        Kind::Novelty,
        Kind::Material,
        Kind::Order,
        Kind::Fuzzy,
        Kind::Statistical,
        Kind::Learned,
    ];

    /// The name in documents and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Kuhlmann => "kuhlmann",
            Kind::Mobility => "mobility",
            Kind::Novelty => "novelty",
            Kind::Material => "material",
            Kind::Order => "order",
            Kind::Fuzzy => "fuzzy",
            Kind::Statistical => "statistical",
            Kind::Learned => "learned",
        }
    }

    /// The kind of functions of one feature of a family; none for families without such a kind.
    pub fn of(family: Family) -> Option<Kind> {
        match family {
            Family::Kuhlmann => Some(Kind::Kuhlmann),
            Family::Mobility => Some(Kind::Mobility),
            Family::Novelty => Some(Kind::Novelty),
            Family::Material => Some(Kind::Material),
            Family::Order => Some(Kind::Order),
            _ => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

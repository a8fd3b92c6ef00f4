//! How an evaluation function is made, by name. What there is to say of each kind is in `kinds/`.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::feature::Family;

/// How an evaluation function is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// One feature of Kuhlmann's, scaled.
    Kuhlmann,
    /// One number of legal moves, scaled.
    Mobility,
    /// The share of changed facts, scaled.
    Novelty,
    /// What a role owns, scaled.
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
    /// All kinds.
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

    /// Its name, as in documents.
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

    /// The kind of a function of one feature; none for features that no function stands on alone.
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

//! Elements at one end of an order that can't be compared with each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The elements at one end of an order that can't be compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Uncompared {
    /// Their number, at least 2.
    pub elements: usize,
    /// Their end, in the direction of the relation whose closure the order is.
    pub end: End,
}

impl Uncompared {
    /// `last 3`.
    pub fn sentence(self) -> String {
        format!("{} {}", self.end, self.elements)
    }
}

/// An end of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// Before all other elements.
    First,
    /// After all other elements.
    Last,
}

display_as_in_documents!(End);

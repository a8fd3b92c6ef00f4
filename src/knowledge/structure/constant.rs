//! Fluents whose facts never change.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the facts of a fluent were in all states seen alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Constant {
    /// No state had a fact.
    Never,
    /// Every state had the same facts, one at least.
    Always,
}

display_as_in_documents!(Constant);

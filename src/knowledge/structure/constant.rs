//! Fluents whose facts never change.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The facts of a fluent that were the same in all states seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Constant {
    /// No state had a fact.
    Never,
    /// Every state had the same facts, at least one.
    Always,
}

display_as_in_documents!(Constant);

//! When a quantity has a value.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When every key of a quantity has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Presence {
    /// From the initial state on.
    FromStart,
    /// Some time.
    Sometimes,
    /// In terminal states alone.
    AtEnd,
}

//! The times at which a quantity has a value.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The times at which every key of a quantity has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Presence {
    /// From the initial state on.
    FromStart,
    /// At some times.
    Sometimes,
    /// Only in terminal states.
    AtEnd,
}

impl Presence {
    /// The default, which documents leave out.
    pub(super) fn from_start() -> Presence {
        Presence::FromStart
    }

    /// Whether there is a value from the initial state on.
    pub(super) fn is_from_start(&self) -> bool {
        *self == Presence::FromStart
    }
}

display_as_in_documents!(Presence);

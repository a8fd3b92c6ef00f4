//! The stages of an analysis, and what is said of each.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::simulate::StopReason;

/// A stage of an analysis, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Random play, and what the game is made of.
    Detect,
    /// Which rules random play uses.
    Rules,
    /// Proofs of findings and of the game's properties.
    Prove,
    /// Sequences of states from random play.
    Sample,
    /// Exact values of these states, where the game is small.
    ExactValues,
    /// Features, and what the sequences say of them.
    Features,
    /// Evaluation functions.
    Functions,
    /// What the sequences say of the functions.
    FunctionStatistics,
    /// Play by functions one move ahead, against random play.
    OnePly,
    /// Correlations on states from games of the function that plays best.
    GuidedStates,
    /// Search for a way to a goal value that random play did not reach.
    Solve,
}

/// Its name, as in documents.
impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// How a stage ended.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StageReport {
    /// Which.
    pub name: Stage,
    /// Work that was counted, in the stage's own units: of playouts as in `simulation`, of statistics the values taken.
    pub work: u64,
    /// Whether it did all that it was to do.
    pub complete: bool,
    /// What was left out, and why; null where nothing was.
    pub note: Option<String>,
    /// How long it took.
    #[serde(skip)]
    pub seconds: f64,
}

/// How far a stage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageProgress {
    /// Which.
    pub stage: Stage,
    /// Playouts, or values taken, so far.
    pub done: u64,
    /// How many there will be, where that is known.
    pub total: Option<u64>,
}

/// Why a stage ended early, as the end of a sentence.
pub(super) fn because(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Playouts => "all was done",
        StopReason::Work => "the limit of work was reached",
        StopReason::Seconds => "the time was over",
        StopReason::Interrupted => "it was interrupted",
    }
}

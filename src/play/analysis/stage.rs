//! The stages of an analysis, and their reports.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::simulate::StopReason;

/// A stage of an analysis. `Plan::stages` has the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Random play and the structures of the game.
    Detect,
    /// Which rules random play uses.
    Rules,
    /// Proofs of findings and of the game's properties.
    Prove,
    /// Sequences of states from random play.
    Sample,
    /// Exact values of these states in small games.
    ExactValues,
    /// Features with their statistics.
    Features,
    /// Evaluation functions.
    Functions,
    /// The statistics of functions.
    FunctionStatistics,
    /// Play by functions one move ahead, against random play.
    OnePly,
    /// Correlations on states from games of the function that plays best.
    GuidedStates,
    /// Search for a goal value that random play did not reach.
    Solve,
}

impl Stage {
    /// Its title for readers who don't know the stages.
    pub fn title(self) -> &'static str {
        match self {
            Stage::Detect => "Random play and structures",
            Stage::Rules => "Rules used",
            Stage::Prove => "Proofs",
            Stage::Sample => "States for statistics",
            Stage::ExactValues => "Exact values",
            Stage::Features => "Features",
            Stage::Functions => "Evaluation functions",
            Stage::FunctionStatistics => "Quality of evaluation functions",
            Stage::OnePly => "Play one move ahead",
            Stage::GuidedStates => "States from good play",
            Stage::Solve => "Search for better goals",
        }
    }
}

/// Its name in documents.
impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// How a stage ended.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StageReport {
    /// The stage.
    pub name: Stage,
    /// Counted work in the stage's own unit: for playouts as in `simulation`, for statistics the number of values.
    pub work: u64,
    /// Whether it did all its work.
    pub complete: bool,
    /// What was left out, and why; null if nothing was.
    pub note: Option<String>,
    /// Its duration in seconds.
    #[serde(skip)]
    pub seconds: f64,
}

/// The progress of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageProgress {
    /// The stage.
    pub stage: Stage,
    /// Playouts or values so far.
    pub done: u64,
    /// Their total number, if known.
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

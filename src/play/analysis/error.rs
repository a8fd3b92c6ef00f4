//! Why a game could not be analysed.

use crate::evaluation::FunctionStatisticsError;
use crate::feature::MeasureError;
use crate::judge::GuidedError;
use crate::machine::MachineError;
use crate::search::SearchError;
use crate::simulate::SimulateError;
use crate::structure::DetectError;

/// Why a game could not be analysed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// Nothing could be played.
    #[error(transparent)]
    Detect(#[from] DetectError),
    /// No sequences could be drawn.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// Features could not be measured.
    #[error(transparent)]
    Features(#[from] MeasureError),
    /// Functions could not be measured.
    #[error(transparent)]
    Functions(#[from] FunctionStatisticsError),
    /// A function could not be followed in play.
    #[error("a function can't be followed in play: {0}")]
    OnePly(#[from] GuidedError),
    /// A state can't be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The game could not be searched.
    #[error("the game can't be searched: {0}")]
    Search(#[from] SearchError),
}

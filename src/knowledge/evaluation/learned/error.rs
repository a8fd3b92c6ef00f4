//! The reasons why nothing could be learned.

use crate::ground::Interrupted;
use crate::machine::MachineError;
use crate::simulate::{EarlyEnd, SimulateError, StopReason};

use super::parameters::LearnedParameterError;

/// The reason why nothing could be learned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearningError {
    /// A parameter is invalid.
    #[error(transparent)]
    Parameters(#[from] LearnedParameterError),
    /// No game could be played.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// A state could not be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// Learning was interrupted before the first result.
    #[error(transparent)]
    Stopped(#[from] EarlyEnd),
}

impl From<Interrupted> for LearningError {
    fn from(_: Interrupted) -> LearningError {
        LearningError::Stopped(EarlyEnd(StopReason::Interrupted))
    }
}

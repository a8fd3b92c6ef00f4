//! Why nothing could be learned.

use crate::ground::Interrupted;
use crate::machine::MachineError;
use crate::simulate::{SimulateError, StopReason, Stopped};

use super::parameters::LearnedParameterError;

/// Why nothing could be learned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearningError {
    /// The parameters.
    #[error(transparent)]
    Parameters(#[from] LearnedParameterError),
    /// Nothing could be played.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// A state could not be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// It ended before anything was learned.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl From<Interrupted> for LearningError {
    fn from(_: Interrupted) -> LearningError {
        LearningError::Stopped(Stopped(StopReason::Interrupted))
    }
}

//! Why there is no demonstration of a game.

use crate::evaluation::{CalibrationError, FunctionError};
use crate::machine::MachineError;
use crate::simulate::SimulateError;

/// Why there is no demonstration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DemonstrationError {
    /// Nothing could be played.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// A function does not fit the game.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// A function could not be calibrated.
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    /// A state could not be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

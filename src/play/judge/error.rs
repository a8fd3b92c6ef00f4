//! Why functions could not be judged.

use crate::evaluation::FunctionError;
use crate::machine::MachineError;
use crate::simulate::SimulateError;

use super::candidate::Candidate;
use super::guided::GuidedError;

/// Why functions could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// Nothing could be played.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// A function does not fit the game.
    #[error("{id}: {error}")]
    Function {
        /// Its name.
        id: String,
        /// Why.
        error: FunctionError,
    },
    /// A state can't be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The functions could not be followed on other computers.
    #[error("{0}")]
    Elsewhere(String),
    /// The threads could not be started.
    #[error("the threads could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl JudgeError {
    /// Adds the candidate's name to an error.
    pub(super) fn of(candidate: &Candidate, error: GuidedError) -> JudgeError {
        match error {
            GuidedError::Function(error) => JudgeError::Function { id: candidate.id.clone(), error },
            GuidedError::Machine(error) => error.into(),
            GuidedError::Threads(error) => error.into(),
            GuidedError::OtherRole => JudgeError::Elsewhere(format!("{}: {error}", candidate.id)),
        }
    }
}

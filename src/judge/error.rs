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
    /// Playouts can't follow functions, as there are no lanes.
    #[error(
        "playouts follow functions in lanes alone, which this game has not: it has no network, or too large a one"
    )]
    NoLanes,
    /// Playouts can't follow a function, as lanes can't tell its values.
    #[error(
        "{id}: playouts can't follow it, as lanes don't tell its values; those of {kinds} functions they do"
    )]
    NotInLanes {
        /// Its name.
        id: String,
        /// Kinds that they tell.
        kinds: &'static str,
    },
    /// A function that playouts are to follow is too large for lanes, alone or with those of other roles.
    #[error("{id}: playouts can't follow it, as it is too large; a function of fewer terms would do")]
    TooLarge {
        /// Its name.
        id: String,
    },
    /// A state can't be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// Functions could not be followed elsewhere, for this reason.
    #[error("{0}")]
    Elsewhere(String),
    /// The threads could not be started.
    #[error("the threads could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl JudgeError {
    /// What a candidate's own trouble is.
    pub(super) fn of(candidate: &Candidate, error: GuidedError) -> JudgeError {
        match error {
            GuidedError::Function(error) => JudgeError::Function { id: candidate.id.clone(), error },
            GuidedError::Machine(error) => error.into(),
        }
    }
}

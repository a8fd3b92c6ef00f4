//! The interface of the work itself: what callers implement to process units.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::manifest::Manifest;

/// The outcome of a unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitResult {
    /// The result, in the encoding that the master reads.
    pub bytes: Vec<u8>,
    /// Number of visited states, if it is known.
    pub states: Option<u64>,
}

/// The reason why a unit has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnitError {
    /// This unit failed. It may be tried again.
    Unit(String),
    /// No unit of the run can be done, by any worker.
    Run(String),
    /// The worker was interrupted.
    Interrupted,
}

/// The work of one run, ready for several threads.
pub trait Task: Send + Sync {
    /// Processes a unit. Checks the interrupt, and returns soon after it is set.
    ///
    /// # Errors
    /// The unit has no result.
    fn run(&self, unit: u64, interrupt: &Arc<AtomicBool>) -> Result<UnitResult, UnitError>;
}

/// The files of a run, by their SHA-256.
pub trait Files: Send + Sync {
    /// The bytes of a file.
    ///
    /// # Errors
    /// The file does not exist, or can't be fetched.
    fn get(&self, hash: &str) -> Result<Vec<u8>, String>;
}

/// Prepares the work of runs.
pub trait Tasks: Sync {
    /// Prepares the work that the body of a run describes.
    ///
    /// # Errors
    /// The reason why it can't be done.
    fn open(&self, manifest: &Manifest, body: &[u8], files: Arc<dyn Files>) -> Result<Arc<dyn Task>, String>;
}

/// A question of a master.
pub struct Question {
    /// The content of the question.
    pub bytes: Vec<u8>,
    /// Set when the question is withdrawn.
    pub stop: Arc<AtomicBool>,
}

/// Searches on behalf of masters.
pub trait Searches: Send + Sync {
    /// Serves a session from its setup to its end. `next` waits for a question and returns `None` at the end; `say` sends an
    /// answer.
    ///
    /// # Errors
    /// The reason why the session can't be served.
    fn serve(
        &self,
        setup: &[u8],
        next: &mut dyn FnMut() -> Option<Question>,
        say: &dyn Fn(Vec<u8>),
    ) -> Result<(), String>;
}

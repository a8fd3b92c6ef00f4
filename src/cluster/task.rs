//! What is done with units: the side of those who know the work.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::manifest::Manifest;

/// What came of a unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// The result, as the asking side reads it.
    pub bytes: Vec<u8>,
    /// States that were visited, where that is known.
    pub states: Option<u64>,
}

/// Why nothing came of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// This unit failed; it may be tried again.
    Unit(String),
    /// No unit of the run can be done, anywhere.
    Run(String),
    /// The worker was asked to end.
    Interrupted,
}

/// The work of one run, ready to be done on several threads.
pub trait Task: Send + Sync {
    /// Does a unit. Looks at the interrupt, and ends soon after it is set.
    ///
    /// # Errors
    /// Nothing came of it.
    fn run(&self, unit: u64, interrupt: &Arc<AtomicBool>) -> Result<Done, Fault>;
}

/// Files of a run, by their SHA-256.
pub trait Files: Send + Sync {
    /// The bytes of a file.
    ///
    /// # Errors
    /// It is not there, or can't be fetched.
    fn get(&self, hash: &str) -> Result<Vec<u8>, String>;
}

/// Makes the work of runs ready.
pub trait Tasks: Sync {
    /// The work that a run's body describes.
    ///
    /// # Errors
    /// It can't be done, with the reason.
    fn open(&self, manifest: &Manifest, body: &[u8], files: Arc<dyn Files>) -> Result<Arc<dyn Task>, String>;
}

/// A question of a master.
pub struct Question {
    /// What is asked.
    pub bytes: Vec<u8>,
    /// Once true, it is no longer asked.
    pub stop: Arc<AtomicBool>,
}

/// Searches for masters elsewhere.
pub trait Searches: Send + Sync {
    /// Serves a session from its setup to its end: `next` waits for a question, and gives none when there will be no more;
    /// `say` answers.
    ///
    /// # Errors
    /// The session can't be served, with the reason.
    fn serve(
        &self,
        setup: &[u8],
        next: &mut dyn FnMut() -> Option<Question>,
        say: &dyn Fn(Vec<u8>),
    ) -> Result<(), String>;
}

//! What a worker says of itself.

use serde::{Deserialize, Serialize};

use super::error::ClusterError;
use super::session::Session;

/// A worker, as it told a few seconds ago at most.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerState {
    /// Its name: computer, process, and digits that tell it from others of the same.
    pub name: String,
    /// The program's version.
    pub version: String,
    /// Units at once.
    pub threads: usize,
    /// What it is at: the run and the unit.
    pub running: Vec<(String, u64)>,
    /// Units that it holds beside those, to be begun next.
    pub held: usize,
    /// Units done since it began.
    pub done: u64,
    /// Tries that came to nothing.
    pub failed: u64,
    /// Units a second, over the last seconds.
    pub units_per_second: f64,
    /// States a second, over the last seconds; none where units do not tell.
    pub states_per_second: Option<f64>,
    /// Runs that it refuses, as they are of another version, each with the reason.
    pub refused: Vec<String>,
    /// Searches it does for masters.
    pub searches: usize,
}

/// All workers that were heard of lately, by name.
///
/// # Errors
/// The cluster does not tell.
pub(super) async fn workers(session: &Session) -> Result<Vec<WorkerState>, ClusterError> {
    let kept = Session::kept(&session.workers).await;
    let kept = kept.map_err(|error| ClusterError::store("the cluster does not tell its workers", error))?;
    let mut found: Vec<WorkerState> =
        kept.iter().filter_map(|bytes| serde_json::from_slice(bytes).ok()).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

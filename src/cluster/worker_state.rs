//! The heartbeat of a worker: its state for lists.

use serde::{Deserialize, Serialize};

use super::connection::Connection;
use super::error::ClusterError;

/// The state of a worker, at most a few seconds old.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerState {
    /// Its name: computer, process id, and digits that make it unique.
    pub name: String,
    /// The program's version.
    pub version: String,
    /// Number of units it processes at once.
    pub threads: usize,
    /// The units in progress: run and unit.
    pub running: Vec<(String, u64)>,
    /// Units that it has taken and not started.
    pub held: usize,
    /// Units done since it started.
    pub done: u64,
    /// Failed attempts.
    pub failed: u64,
    /// Units per second, over the last seconds.
    pub units_per_second: f64,
    /// States per second, over the last seconds; `None` if units do not report states.
    pub states_per_second: Option<f64>,
    /// Runs of other versions, each with the reason why it is refused.
    pub refused: Vec<String>,
    /// Number of searches in progress on behalf of masters.
    pub searches: usize,
}

/// The workers that sent a heartbeat lately, by name.
///
/// # Errors
/// The cluster does not answer.
pub(super) async fn workers(session: &Connection) -> Result<Vec<WorkerState>, ClusterError> {
    let kept = Connection::kept(&session.workers).await;
    let kept = kept.map_err(|error| ClusterError::store("can't read the workers of the cluster", error))?;
    let mut found: Vec<WorkerState> =
        kept.iter().filter_map(|bytes| serde_json::from_slice(bytes).ok()).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

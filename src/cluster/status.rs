//! The state of a cluster: its runs and workers.

use std::time::Duration;

use futures_util::StreamExt as _;
use serde::Serialize;

use super::address::Address;
use super::connection::{Connection, runtime};
use super::error::ClusterError;
use super::manifest::{Manifest, RunState};
use super::streams;
use super::worker_state::{WorkerState, workers};

/// Time limit for collecting the state.
const STATUS_TIMEOUT: Duration = Duration::from_secs(20);

/// The state of a cluster.
#[derive(Clone, Debug, Serialize)]
pub struct ClusterStatus {
    /// Its runs, ordered by id.
    pub runs: Vec<RunStatus>,
    /// The workers that sent a heartbeat lately.
    pub workers: Vec<WorkerState>,
}

/// The state of a run.
#[derive(Clone, Debug, Serialize)]
pub struct RunStatus {
    /// Its id.
    pub id: String,
    /// The kind of work.
    pub kind: String,
    /// The title of the run.
    pub name: String,
    /// The master.
    pub asker: String,
    /// The version of the program.
    pub version: String,
    /// How it stands.
    pub state: RunState,
    /// Maximum number of units.
    pub units: u64,
    /// Units on the stream that no worker has taken.
    pub waiting: u64,
    /// Units that workers have taken.
    pub running: u64,
    /// Units done.
    pub done: u64,
    /// Units given up.
    pub failed: u64,
}

/// Collects the state of a cluster.
///
/// # Errors
/// The cluster is unreachable or does not answer.
pub fn status(address: &Address) -> Result<ClusterStatus, ClusterError> {
    let runtime = runtime()?;
    let found = runtime.block_on(async {
        let late = |_| Err(ClusterError::store("can't read the state of the cluster", "timed out"));
        tokio::time::timeout(STATUS_TIMEOUT, read_status(address)).await.unwrap_or_else(late)
    });
    runtime.shutdown_background();
    found
}

async fn read_status(address: &Address) -> Result<ClusterStatus, ClusterError> {
    let session = Connection::open(address, "ggp cluster status").await?;
    let workers = workers(&session).await?;
    let mut found = Vec::new();
    for manifest in runs(&session).await? {
        let token = manifest.token();
        let units = counts(&session.units, &streams::units_of(&manifest.version, &token)).await?;
        let queued = units.len() as u64;
        let of_run =
            |worker: &WorkerState| worker.running.iter().filter(|(run, _)| *run == manifest.id).count();
        let running = (workers.iter().map(of_run).sum::<usize>() as u64).min(queued);
        let (mut done, mut failed) = (manifest.done - manifest.failed, manifest.failed);
        if manifest.state != RunState::Over {
            for (subject, count) in counts(&session.results, &format!("ggp.result.{token}.*")).await? {
                match subject.ends_with(".done") {
                    // Results of an earlier command are in its log, and may no longer be on the stream.
                    true => done = done.max(count),
                    false => failed = failed.max(count),
                }
            }
        }
        let Manifest { id, kind, name, asker, version, state, units, .. } = manifest;
        let waiting = queued - running;
        found.push(RunStatus {
            id,
            kind,
            name,
            asker,
            version,
            state,
            units,
            waiting,
            running,
            done,
            failed,
        });
    }
    Ok(ClusterStatus { runs: found, workers })
}

/// All runs of the cluster, ordered by id.
pub(super) async fn runs(session: &Connection) -> Result<Vec<Manifest>, ClusterError> {
    let kept = Connection::kept(&session.runs).await;
    let kept = kept.map_err(|error| ClusterError::store("can't read the runs of the cluster", error))?;
    let mut found: Vec<Manifest> =
        kept.iter().filter_map(|bytes| serde_json::from_slice(bytes).ok()).collect();
    found.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(found)
}

/// The subjects of a stream that match, with their numbers of messages.
async fn counts(
    stream: &async_nats::jetstream::stream::Stream,
    filter: &str,
) -> Result<Vec<(String, u64)>, ClusterError> {
    let failed =
        |error: &dyn std::fmt::Display| ClusterError::store("can't read the units of the cluster", error);
    let mut info = stream.info_with_subjects(filter).await.map_err(|error| failed(&error))?;
    let mut found = Vec::new();
    while let Some(next) = info.next().await {
        let (subject, count) = next.map_err(|error| failed(&error))?;
        found.push((subject, count as u64));
    }
    Ok(found)
}

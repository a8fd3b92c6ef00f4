//! What a cluster is at.

use std::time::Duration;

use futures_util::StreamExt as _;
use serde::Serialize;

use super::address::Address;
use super::error::ClusterError;
use super::manifest::{Manifest, RunState};
use super::session::{Session, runtime};
use super::streams;
use super::worker_state::{WorkerState, workers};

/// How long a cluster may take to tell all of it.
const TOLD: Duration = Duration::from_secs(20);

/// What a cluster is at.
#[derive(Clone, Debug, Serialize)]
pub struct ClusterStatus {
    /// The runs that it knows, by their names.
    pub runs: Vec<RunStatus>,
    /// The workers that were heard of lately.
    pub workers: Vec<WorkerState>,
}

/// How a run stands.
#[derive(Clone, Debug, Serialize)]
pub struct RunStatus {
    /// Its id.
    pub id: String,
    /// Which work it is.
    pub kind: String,
    /// What is shown of it.
    pub name: String,
    /// Who asked.
    pub asker: String,
    /// The program's version.
    pub version: String,
    /// How it stands.
    pub state: RunState,
    /// Units in all, at most.
    pub units: u64,
    /// Units on the stream that no worker is at.
    pub waiting: u64,
    /// Units that workers are at.
    pub running: u64,
    /// Units done.
    pub done: u64,
    /// Units given up.
    pub failed: u64,
}

/// Asks a cluster what it is at.
///
/// # Errors
/// It can't be reached, or does not tell.
pub fn status(address: &Address) -> Result<ClusterStatus, ClusterError> {
    let runtime = runtime()?;
    let found = runtime.block_on(async {
        let late = |_| Err(ClusterError::store("the cluster does not tell what it is at", "timed out"));
        tokio::time::timeout(TOLD, look(address)).await.unwrap_or_else(late)
    });
    runtime.shutdown_background();
    found
}

async fn look(address: &Address) -> Result<ClusterStatus, ClusterError> {
    let session = Session::open(address, "ggp cluster status").await?;
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
                    // Those of an earlier command are in its log, and may be on the stream no longer.
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

/// All runs that the cluster knows, by their ids.
pub(super) async fn runs(session: &Session) -> Result<Vec<Manifest>, ClusterError> {
    let kept = Session::kept(&session.runs).await;
    let kept = kept.map_err(|error| ClusterError::store("the cluster does not tell its runs", error))?;
    let mut found: Vec<Manifest> =
        kept.iter().filter_map(|bytes| serde_json::from_slice(bytes).ok()).collect();
    found.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(found)
}

/// Subjects of a stream that fit, with their messages.
async fn counts(
    stream: &async_nats::jetstream::stream::Stream,
    filter: &str,
) -> Result<Vec<(String, u64)>, ClusterError> {
    let failed =
        |error: &dyn std::fmt::Display| ClusterError::store("the cluster does not tell its units", error);
    let mut info = stream.info_with_subjects(filter).await.map_err(|error| failed(&error))?;
    let mut found = Vec::new();
    while let Some(next) = info.next().await {
        let (subject, count) = next.map_err(|error| failed(&error))?;
        found.push((subject, count as u64));
    }
    Ok(found)
}

//! A run on a worker, and the failed attempts of its units.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::super::connection::Connection;
use super::super::manifest::{Manifest, RunState};
use super::super::task::{Files, Task, Tasks};

/// Limit of attempts to fetch a missing file from a reachable server; then fetching fails.
const FETCHES: u32 = 20;
/// The time between two attempts.
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// A run from which units were taken.
pub(super) struct WorkerRun {
    pub(super) manifest: Manifest,
    body: Vec<u8>,
    task: OnceLock<Result<Arc<dyn Task>, String>>,
}

impl WorkerRun {
    /// Fetches a run; `None` if it is over.
    pub(super) async fn fetch(session: &Connection, token: &str) -> Result<Option<WorkerRun>, String> {
        let id = token.split('-').next().unwrap_or(token);
        let bytes = session.runs.get(id).await.map_err(|error| error.to_string())?;
        let manifest: Option<Manifest> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let asked = manifest.filter(|run| run.token() == token && run.state == RunState::Asked);
        let Some(manifest) = asked else { return Ok(None) };
        let body = session.file(&manifest.body).await?;
        Ok(Some(WorkerRun { manifest, body, task: OnceLock::new() }))
    }

    /// Fetches a file of the run. While the server is away, this waits. A missing file is given up after some attempts.
    pub(super) async fn file(
        &self,
        session: &Connection,
        hash: &str,
        ended: &AtomicBool,
    ) -> Result<Vec<u8>, String> {
        let mut tries = 0;
        loop {
            let error = match session.file(hash).await {
                Ok(bytes) => return Ok(bytes),
                Err(error) => error,
            };
            let connected = session.client.connection_state() == async_nats::connection::State::Connected;
            tries += u32::from(connected);
            if tries > FETCHES || ended.load(Ordering::Relaxed) {
                return Err(error);
            }
            tokio::time::sleep(RETRY_DELAY).await;
        }
    }

    /// The work of the run, prepared once.
    pub(super) fn task(
        &self,
        tasks: &dyn Tasks,
        files: impl FnOnce() -> Arc<dyn Files>,
    ) -> Result<Arc<dyn Task>, String> {
        self.task.get_or_init(|| tasks.open(&self.manifest, &self.body, files())).clone()
    }
}

/// The attempts of a unit that failed or ended with a redelivery.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Attempts {
    /// The number of these attempts.
    begun: u32,
    /// The last worker.
    by: String,
    /// The last error, if one was reported.
    error: String,
}

impl Attempts {
    async fn of(session: &Connection, key: &str) -> Attempts {
        let bytes = session.tries.get(key).await.ok().flatten();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    async fn store(&self, session: &Connection, key: &str) {
        if let Ok(bytes) = serde_json::to_vec(self) {
            // If the server is away, the attempt does not count.
            let _ = session.tries.put(key, bytes.into()).await;
        }
    }

    fn key(run: &WorkerRun, unit: u64) -> String {
        format!("{}.{unit}", run.manifest.token())
    }

    /// Counts a new attempt of a redelivered unit, or reports that there were too many.
    pub(super) async fn begin(
        session: &Connection,
        run: &WorkerRun,
        unit: u64,
        worker: &str,
    ) -> Result<(), String> {
        let key = Attempts::key(run, unit);
        let mut attempts = Attempts::of(session, &key).await;
        attempts.begun += 1;
        if attempts.begun > run.manifest.tries {
            let error = match attempts.error.as_str() {
                "" => "its workers ended without an error message",
                error => error,
            };
            return Err(format!("given up after {} tries: {error}", run.manifest.tries));
        }
        attempts.by = worker.to_owned();
        attempts.store(session, &key).await;
        Ok(())
    }

    /// Records a failed attempt; `counted` says whether [`Attempts::begin`] counted it already. Returns whether it was
    /// the last one.
    pub(super) async fn failed(
        session: &Connection,
        run: &WorkerRun,
        unit: u64,
        counted: bool,
        error: &str,
        worker: &str,
    ) -> bool {
        let key = Attempts::key(run, unit);
        let mut attempts = Attempts::of(session, &key).await;
        attempts.begun += u32::from(!counted);
        (attempts.by, attempts.error) = (worker.to_owned(), error.to_owned());
        attempts.store(session, &key).await;
        attempts.begun >= run.manifest.tries
    }
}

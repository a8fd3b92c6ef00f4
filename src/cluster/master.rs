//! The master's side: publishes the units of a run and gathers its results.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::address::Address;
use super::connection::{Connection, POLL_INTERVAL, interrupted, runtime};
use super::error::ClusterError;
use super::manifest::{Manifest, RunState, id_of, process_name, unique_name};
use super::publish::{PublishOutcome, publish};
use super::results::{self, ReportedError, UnitOutcome};
use super::streams;
use super::worker_state::{WorkerState, workers};

/// Maximum number of units being published at the same time.
const IN_FLIGHT: usize = 256;

/// Time between two readings of the list of workers, and between two updates of the stored state of the run.
const STATE_INTERVAL: Duration = Duration::from_secs(1);

/// Time limit for publishing the end of the run.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(250);

/// A run that a master asks a cluster to do.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// The kind of work, such as `tournament`.
    pub kind: String,
    /// The title of the run for status lists.
    pub name: String,
    /// Everything that the results depend on, as text. Requests with the same text are the same run.
    pub identity: String,
    /// The description of the work: bytes that the workers' [`Tasks`](super::Tasks) read.
    pub body: Vec<u8>,
    /// Files that the body refers to by their hashes.
    pub files: Vec<Vec<u8>>,
    /// Maximum number of units.
    pub units: u64,
    /// Whether to drop the results of an earlier command.
    pub fresh: bool,
    /// The version of the program. Workers of other versions do not take its units.
    pub version: String,
    /// Maximum number of attempts for each unit.
    pub tries: u32,
    /// Lease of a unit: it is redelivered to another worker if its worker sends no heartbeat for this long.
    pub lease: Option<Duration>,
    /// Maximum number of units on the stream at the same time.
    pub window: usize,
}

/// The source of the units, and the destination of their results.
pub trait UnitSource {
    /// The next unit, each once. `None` if there is none at present.
    fn next(&mut self) -> Option<u64>;

    /// Whether the result of a published unit is still needed.
    fn wants(&self, _unit: u64) -> bool {
        true
    }

    /// Takes the result of a unit.
    ///
    /// # Errors
    /// The bytes are not a result, or it can't be stored. The run ends.
    fn take(&mut self, unit: u64, bytes: &[u8]) -> Result<(), String>;

    /// Records that a unit was given up.
    fn given_up(&mut self, unit: u64, error: &str);

    /// Stores the results taken so far; called after every few results.
    ///
    /// # Errors
    /// The results can't be stored. The run ends.
    fn keep(&mut self) -> Result<(), String> {
        Ok(())
    }

    /// Receives the list of workers about once a second.
    fn at_work(&mut self, _workers: &[WorkerState]) {}
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOutcome {
    /// Whether the run was interrupted.
    pub interrupted: bool,
    /// Units that were given up, each with its error.
    pub given_up: Vec<(u64, String)>,
}

/// Lets the workers of a cluster do a run, and resumes it where an earlier command was interrupted.
///
/// # Errors
/// The cluster is unreachable, the run can't be done, or a result can't be stored.
pub fn run(
    address: &Address,
    request: &RunRequest,
    source: &mut dyn UnitSource,
    interrupt: &Arc<AtomicBool>,
) -> Result<RunOutcome, ClusterError> {
    let runtime = runtime()?;
    let ended = runtime.block_on(run_async(address, request, source, interrupt));
    runtime.shutdown_background();
    ended
}

async fn run_async(
    address: &Address,
    request: &RunRequest,
    source: &mut dyn UnitSource,
    interrupt: &Arc<AtomicBool>,
) -> Result<RunOutcome, ClusterError> {
    let opening = async {
        let session = Connection::open(address, "ggp asks").await?;
        let manifest = create_or_resume(&session, request).await?;
        Ok::<_, ClusterError>((session, manifest))
    };
    let (session, manifest) = tokio::select! {
        opened = opening => opened?,
        () = interrupted(interrupt) => return Err(ClusterError::Interrupted),
    };
    let mut run = Run { session: &session, manifest, source, known: BTreeSet::new(), given_up: Vec::new() };
    let mut heard = match run.gather_stored(request, interrupt).await {
        Ok(heard) => heard,
        Err(error) => return Err(run.fail(request, error).await),
    };
    let mut workers = watch_workers(session.clone());
    let ended = Arc::new(AtomicBool::new(false));
    let nonce = unique_name();
    let mut open: BTreeSet<u64> = BTreeSet::new();
    let mut in_flight = FuturesUnordered::new();
    let mut exhausted = false;
    let mut glance = tokio::time::interval(POLL_INTERVAL);
    glance.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut written = Instant::now();
    loop {
        while open.len() < request.window && in_flight.len() < IN_FLIGHT {
            let Some(unit) = run.source.next() else {
                exhausted = true;
                break;
            };
            if run.known.contains(&unit) {
                continue;
            }
            exhausted = false;
            open.insert(unit);
            let (subject, id) =
                (streams::unit(&request.version, &run.manifest.token(), unit), format!("{nonce}.{unit}"));
            let (context, ended) = (session.context.clone(), Arc::clone(&ended));
            in_flight.push(async move {
                publish(&context, &subject, &id, HeaderMap::new(), Bytes::new(), &ended).await
            });
        }
        if exhausted && open.is_empty() && in_flight.is_empty() {
            break;
        }
        tokio::select! {
            Some(published) = in_flight.next(), if !in_flight.is_empty() => {
                debug_assert!(published != PublishOutcome::Interrupted);
            }
            Some(found) = heard.recv() => {
                if let Err(error) = run.take_all(found, &mut heard, &mut open) {
                    return Err(run.fail(request, error).await);
                }
            }
            _ = glance.tick() => {
                if interrupt.load(Ordering::Relaxed) {
                    ended.store(true, Ordering::Relaxed);
                    run.leave(request, RunState::Interrupted).await;
                    return Ok(RunOutcome { interrupted: true, given_up: run.given_up });
                }
                while let Ok(workers) = workers.try_recv() {
                    run.source.at_work(&workers);
                }
                if exhausted && in_flight.is_empty() {
                    open.retain(|&unit| run.source.wants(unit));
                }
                if written.elapsed() > STATE_INTERVAL {
                    written = Instant::now();
                    let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, run.write(RunState::Asked)).await;
                }
            }
        }
    }
    run.leave(request, RunState::Over).await;
    Ok(RunOutcome { interrupted: false, given_up: run.given_up })
}

/// Reads the list of workers repeatedly. While the server is away, the last list is used.
fn watch_workers(session: Connection) -> UnboundedReceiver<Vec<WorkerState>> {
    let (sender, receiver) = unbounded_channel();
    tokio::spawn(async move {
        loop {
            let found = workers(&session).await;
            if sender.is_closed() || found.is_ok_and(|found| sender.send(found).is_err()) {
                return;
            }
            tokio::time::sleep(STATE_INTERVAL).await;
        }
    });
    receiver
}

/// Creates the run for the workers, or resumes the one of an earlier command.
async fn create_or_resume(session: &Connection, request: &RunRequest) -> Result<Manifest, ClusterError> {
    let failed =
        |error: &dyn std::fmt::Display| ClusterError::store("can't store the run in the cluster", error);
    let id = id_of(&request.identity, &request.version);
    let known = session.runs.get(id.as_str()).await.map_err(|error| failed(&error))?;
    let known: Option<Manifest> = known.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let goes_on = known.as_ref().filter(|known| !request.fresh && known.state != RunState::Over);
    let life = goes_on.map_or_else(unique_name, |known| known.life.clone());
    if let Some(known) = known.filter(|known| known.life != life) {
        drop_run(session, &known).await;
    }
    for file in &request.files {
        session.put_file(file).await?;
    }
    let manifest = Manifest {
        id,
        life,
        kind: request.kind.clone(),
        name: request.name.clone(),
        asker: process_name(),
        version: request.version.clone(),
        body: session.put_file(&request.body).await?,
        tries: request.tries.max(1),
        units: request.units,
        state: RunState::Asked,
        done: 0,
        failed: 0,
    };
    let bytes = serde_json::to_vec(&manifest).map_err(|error| failed(&error))?;
    session.runs.put(manifest.id.as_str(), bytes.into()).await.map_err(|error| failed(&error))?;
    Ok(manifest)
}

/// Deletes the streams' messages of a run. If the server is away, they expire by age.
async fn drop_run(session: &Connection, run: &Manifest) {
    let token = run.token();
    let _ = session.units.purge().filter(streams::units_of(&run.version, &token)).await;
    let _ = session.results.purge().filter(format!("ggp.result.{token}.*")).await;
    let reader = streams::readers(&token).durable_name.unwrap_or_default();
    let _ = session.results.delete_consumer(&reader).await;
}

/// A run whose results are being gathered.
struct Run<'a> {
    session: &'a Connection,
    manifest: Manifest,
    source: &'a mut dyn UnitSource,
    /// Units with a result, each once.
    known: BTreeSet<u64>,
    given_up: Vec<(u64, String)>,
}

impl Run<'_> {
    /// Takes a result, unless the unit already has one.
    fn take(&mut self, heard: UnitOutcome) -> Result<(), ClusterError> {
        if !self.known.insert(heard.unit) {
            return Ok(());
        }
        match heard.outcome {
            Ok(bytes) => self.source.take(heard.unit, &bytes).map_err(ClusterError::Result)?,
            Err(ReportedError::Run(error)) => return Err(ClusterError::Run(error)),
            Err(ReportedError::Unit(error)) => {
                let error = format!("{error} (worker {})", heard.worker);
                self.source.given_up(heard.unit, &error);
                self.given_up.push((heard.unit, error));
                self.manifest.failed += 1;
            }
        }
        self.manifest.done += 1;
        Ok(())
    }

    /// Takes a result and all further ones that have arrived; their units are no longer open.
    fn take_all(
        &mut self,
        first: Option<UnitOutcome>,
        heard: &mut UnboundedReceiver<Option<UnitOutcome>>,
        open: &mut BTreeSet<u64>,
    ) -> Result<(), ClusterError> {
        let mut next = Some(first);
        while let Some(found) = next {
            if let Some(found) = found {
                open.remove(&found.unit);
                self.take(found)?;
            }
            next = heard.try_recv().ok();
        }
        self.source.keep().map_err(ClusterError::Result)
    }

    /// Begins to read results, and takes those that were stored after an earlier command ended. Returns the receiver of
    /// further ones.
    async fn gather_stored(
        &mut self,
        request: &RunRequest,
        interrupt: &Arc<AtomicBool>,
    ) -> Result<UnboundedReceiver<Option<UnitOutcome>>, ClusterError> {
        let (session, token) = (self.session, self.manifest.token());
        let reading = async {
            session.unit_consumer(&request.version, request.lease).await?;
            results::reader(session, &token).await
        };
        let (reader, stored) = tokio::select! {
            reader = reading => reader?,
            () = interrupted(interrupt) => return Err(ClusterError::Interrupted),
        };
        let (to, mut heard) = unbounded_channel();
        tokio::spawn(results::hand_on(session.clone(), reader, token.clone(), to));
        for _ in 0..stored {
            tokio::select! {
                Some(found) = heard.recv() => {
                    if let Some(found) = found {
                        self.take(found)?;
                    }
                }
                () = interrupted(interrupt) => break,
            }
        }
        self.source.keep().map_err(ClusterError::Result)?;
        Ok(heard)
    }

    /// Stores the state of the run.
    async fn write(&mut self, state: RunState) {
        self.manifest.state = state;
        if let Ok(bytes) = serde_json::to_vec(&self.manifest) {
            let _ = self.session.runs.put(self.manifest.id.as_str(), bytes.into()).await;
        }
    }

    /// Leaves the cluster after an error. A run that can't be done is over; one whose results can't be stored may be
    /// resumed.
    async fn fail(&mut self, request: &RunRequest, error: ClusterError) -> ClusterError {
        let over = matches!(error, ClusterError::Run(_));
        self.leave(request, if over { RunState::Over } else { RunState::Interrupted }).await;
        error
    }

    /// Leaves the cluster: no further unit of the run is started. If the run is over, its data are deleted.
    async fn leave(&mut self, request: &RunRequest, state: RunState) {
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, self.write(state)).await;
        let session = self.session;
        let dropping = async {
            if state == RunState::Over {
                drop_run(session, &self.manifest).await;
            } else {
                let units = streams::units_of(&request.version, &self.manifest.token());
                let _ = session.units.purge().filter(units).await;
            }
        };
        let timeout = if state == RunState::Over { 8 * SHUTDOWN_TIMEOUT } else { SHUTDOWN_TIMEOUT };
        let _ = tokio::time::timeout(timeout, dropping).await;
    }
}

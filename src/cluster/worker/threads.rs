//! The threads that process units.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use async_nats::Subject;
use tokio::sync::mpsc::UnboundedSender;

use super::super::link::MessageKind;
use super::super::task::{Files, Tasks, UnitError, UnitResult};
use super::run::WorkerRun;

/// The settings of a worker.
#[derive(Clone, Debug)]
pub struct WorkerSettings {
    /// Number of units processed at the same time.
    pub threads: usize,
    /// The version of the program. Units of other versions are refused.
    pub version: String,
    /// The worker ends after this time without units. `None`: it does not end.
    pub idle: Option<Duration>,
}

/// A unit to be processed.
pub(super) struct Job {
    pub(super) id: u64,
    pub(super) unit: u64,
    pub(super) run: Arc<WorkerRun>,
    /// Whether the unit was redelivered after a worker did not acknowledge it. The unit may have crashed that worker.
    pub(super) redelivered: bool,
}

/// A message from a thread.
pub(super) enum ThreadMessage {
    /// A unit was started.
    Started(u64),
    /// Asks whether a redelivered unit may be started.
    MayStart(u64, mpsc::Sender<Result<(), String>>),
    /// A file is needed.
    File(Arc<WorkerRun>, String, mpsc::Sender<Result<Vec<u8>, String>>),
    /// The outcome of a unit.
    Finished(u64, Result<UnitResult, UnitError>),
    /// A message to a master.
    Session { to: Subject, session: String, kind: MessageKind, bytes: Vec<u8> },
    /// A session is over.
    SessionOver(String),
}

/// Units that wait for a thread. A worker processes one redelivered unit at a time. If such a unit crashes workers, the
/// other units in progress are lost with it. If several redelivered units ran together, units without a fault could
/// fail often enough to be given up.
#[derive(Default)]
pub(super) struct Queue {
    jobs: Mutex<Jobs>,
    more: Condvar,
    closed: AtomicBool,
}

#[derive(Default)]
struct Jobs {
    waiting: VecDeque<Job>,
    /// Whether a redelivered unit is in progress.
    redelivered_started: bool,
}

impl Queue {
    pub(super) fn put(&self, job: Job) {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).waiting.push_back(job);
        self.more.notify_one();
    }

    /// The next unit; `None` at the end.
    fn take(&self) -> Option<Job> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.closed.load(Ordering::Relaxed) {
            let redelivered_started = jobs.redelivered_started;
            let next = jobs.waiting.iter().position(|job| !(job.redelivered && redelivered_started));
            if let Some(job) = next.and_then(|next| jobs.waiting.remove(next)) {
                jobs.redelivered_started |= job.redelivered;
                return Some(job);
            }
            jobs = self
                .more
                .wait_timeout(jobs, Duration::from_millis(500))
                .map_or_else(|error| error.into_inner().0, |(jobs, _)| jobs);
        }
        None
    }

    /// Call this after the result of a unit is stored. After a redelivered unit, another one may be started.
    pub(super) fn stored(&self, redelivered: bool) {
        if redelivered {
            self.jobs.lock().unwrap_or_else(PoisonError::into_inner).redelivered_started = false;
            self.more.notify_all();
        }
    }

    /// Ends the queue: no further unit is started.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).waiting.clear();
        self.more.notify_all();
    }
}

/// Files, fetched by the thread that communicates with the server.
struct RemoteFiles {
    run: Arc<WorkerRun>,
    messages: UnboundedSender<ThreadMessage>,
}

impl Files for RemoteFiles {
    fn get(&self, hash: &str) -> Result<Vec<u8>, String> {
        let (answer, file) = mpsc::channel();
        let gone = || "the worker ends".to_owned();
        self.messages
            .send(ThreadMessage::File(Arc::clone(&self.run), hash.to_owned(), answer))
            .map_err(|_| gone())?;
        file.recv().unwrap_or_else(|_| Err(gone()))
    }
}

/// Starts the threads. They run until the returned flag is cleared, and are not joined: a thread that does not return must
/// not keep the program from ending.
pub(super) fn start_threads(
    threads: usize,
    queue: &Arc<Queue>,
    tasks: &Arc<dyn Tasks + Send + Sync>,
    messages: &UnboundedSender<ThreadMessage>,
    interrupt: &Arc<AtomicBool>,
) -> Arc<AtomicBool> {
    let working = Arc::new(AtomicBool::new(true));
    for _ in 0..threads.max(1) {
        let (queue, tasks, messages) = (Arc::clone(queue), Arc::clone(tasks), messages.clone());
        let (interrupt, working) = (Arc::clone(interrupt), Arc::clone(&working));
        std::thread::spawn(move || {
            while let Some(job) = queue.take().filter(|_| working.load(Ordering::Relaxed)) {
                let id = job.id;
                let outcome = process(job, &*tasks, &messages, &interrupt);
                if messages.send(ThreadMessage::Finished(id, outcome)).is_err() {
                    return;
                }
            }
        });
    }
    working
}

/// Processes a unit. A panic counts as a failure of this unit only.
fn process(
    job: Job,
    tasks: &dyn Tasks,
    messages: &UnboundedSender<ThreadMessage>,
    interrupt: &Arc<AtomicBool>,
) -> Result<UnitResult, UnitError> {
    if job.redelivered {
        let (answer, permission) = mpsc::channel();
        drop(messages.send(ThreadMessage::MayStart(job.id, answer)));
        // The message ends the unit, so that it counts among the failed units of the run.
        permission.recv().map_err(|_| UnitError::Interrupted)?.map_err(UnitError::Unit)?;
    }
    messages.send(ThreadMessage::Started(job.id)).map_err(|_| UnitError::Interrupted)?;
    let work = || {
        let files = || {
            Arc::new(RemoteFiles { run: Arc::clone(&job.run), messages: messages.clone() }) as Arc<dyn Files>
        };
        let task = job.run.task(tasks, files).map_err(UnitError::Run)?;
        task.run(job.unit, interrupt)
    };
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(UnitError::Unit(format!("the worker panicked: {text}")))
    });
    if interrupt.load(Ordering::Relaxed) && outcome.is_err() {
        return Err(UnitError::Interrupted);
    }
    outcome
}

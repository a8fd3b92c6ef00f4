//! The threads that do the work.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use async_nats::Subject;
use tokio::sync::mpsc::UnboundedSender;

use super::super::link::Letter;
use super::super::task::{Done, Fault, Files, Tasks};
use super::run::OfRun;

/// Who works, and how.
#[derive(Clone, Debug)]
pub struct Hands {
    /// Units at once.
    pub threads: usize,
    /// The program's version: units of others are refused.
    pub version: String,
    /// The worker ends when there was no unit for so long; never where it is none.
    pub idle: Option<Duration>,
}

/// A unit to be done.
pub(super) struct Job {
    pub(super) id: u64,
    pub(super) unit: u64,
    pub(super) run: Arc<OfRun>,
    /// Whether somebody had it before and did not answer: it may be what ended them.
    pub(super) suspicious: bool,
}

/// What a thread says.
pub(super) enum Said {
    /// A unit is begun.
    Begun(u64),
    /// May a suspicious one be begun?
    May(u64, mpsc::Sender<Result<(), String>>),
    /// A file is needed.
    File(Arc<OfRun>, String, mpsc::Sender<Result<Vec<u8>, String>>),
    /// A unit is done, or not.
    Finished(u64, Result<Done, Fault>),
    /// A letter to a master.
    Letter { to: Subject, session: String, letter: Letter, bytes: Vec<u8> },
    /// A session is over.
    Over(String),
}

/// Units that wait for a thread. Of suspicious ones a worker does one at a time: another that is under way beside it would be ended
/// with it again and again, and given up for no fault of its own.
#[derive(Default)]
pub(super) struct Queue {
    jobs: Mutex<Jobs>,
    more: Condvar,
    closed: AtomicBool,
}

#[derive(Default)]
struct Jobs {
    waiting: VecDeque<Job>,
    /// Whether a suspicious one is under way.
    suspected: bool,
}

impl Queue {
    pub(super) fn put(&self, job: Job) {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).waiting.push_back(job);
        self.more.notify_one();
    }

    /// The next unit; none when there will be no more.
    fn take(&self) -> Option<Job> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.closed.load(Ordering::Relaxed) {
            let suspected = jobs.suspected;
            let next = jobs.waiting.iter().position(|job| !(job.suspicious && suspected));
            if let Some(job) = next.and_then(|next| jobs.waiting.remove(next)) {
                jobs.suspected |= job.suspicious;
                return Some(job);
            }
            jobs = self
                .more
                .wait_timeout(jobs, Duration::from_millis(500))
                .map_or_else(|error| error.into_inner().0, |(jobs, _)| jobs);
        }
        None
    }

    /// A unit is over, and its result is with the server: after a suspicious one another may be begun.
    pub(super) fn stored(&self, suspicious: bool) {
        if suspicious {
            self.jobs.lock().unwrap_or_else(PoisonError::into_inner).suspected = false;
            self.more.notify_all();
        }
    }

    /// Lets no more be begun.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).waiting.clear();
        self.more.notify_all();
    }
}

/// Files, fetched by the thread that talks to the server.
struct Fetched {
    run: Arc<OfRun>,
    said: UnboundedSender<Said>,
}

impl Files for Fetched {
    fn get(&self, hash: &str) -> Result<Vec<u8>, String> {
        let (answer, file) = mpsc::channel();
        let gone = || "the worker ends".to_owned();
        self.said.send(Said::File(Arc::clone(&self.run), hash.to_owned(), answer)).map_err(|_| gone())?;
        file.recv().unwrap_or_else(|_| Err(gone()))
    }
}

/// Starts the threads, which go on until the flag that is given back is taken down. Nobody waits for them: one that does not
/// come back must not keep the program from ending.
pub(super) fn crew(
    threads: usize,
    queue: &Arc<Queue>,
    tasks: &Arc<dyn Tasks + Send + Sync>,
    said: &UnboundedSender<Said>,
    interrupt: &Arc<AtomicBool>,
) -> Arc<AtomicBool> {
    let working = Arc::new(AtomicBool::new(true));
    for _ in 0..threads.max(1) {
        let (queue, tasks, said) = (Arc::clone(queue), Arc::clone(tasks), said.clone());
        let (interrupt, working) = (Arc::clone(interrupt), Arc::clone(&working));
        std::thread::spawn(move || {
            while let Some(job) = queue.take().filter(|_| working.load(Ordering::Relaxed)) {
                let id = job.id;
                let outcome = done(job, &*tasks, &said, &interrupt);
                if said.send(Said::Finished(id, outcome)).is_err() {
                    return;
                }
            }
        });
    }
    working
}

/// Does a unit. A panic is its fault alone.
fn done(
    job: Job,
    tasks: &dyn Tasks,
    said: &UnboundedSender<Said>,
    interrupt: &Arc<AtomicBool>,
) -> Result<Done, Fault> {
    if job.suspicious {
        let (answer, may) = mpsc::channel();
        drop(said.send(Said::May(job.id, answer)));
        // It is the last word on this unit, so that it counts as one of the run's units that can't be done.
        may.recv().map_err(|_| Fault::Interrupted)?.map_err(Fault::Unit)?;
    }
    said.send(Said::Begun(job.id)).map_err(|_| Fault::Interrupted)?;
    let work = || {
        let files = || Arc::new(Fetched { run: Arc::clone(&job.run), said: said.clone() }) as Arc<dyn Files>;
        let task = job.run.task(tasks, files).map_err(Fault::Run)?;
        task.run(job.unit, interrupt)
    };
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no word");
        Err(Fault::Unit(format!("the worker panicked: {text}")))
    });
    if interrupt.load(Ordering::Relaxed) && outcome.is_err() {
        return Err(Fault::Interrupted);
    }
    outcome
}

//! The worker's side: takes units, processes them on threads, and acknowledges them.

mod acknowledge;
mod event;
mod run;
mod sessions;
mod taken;
mod threads;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::Subscriber;
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt as _;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::address::Address;
use super::connection::{Connection, POLL_INTERVAL, interrupted, runtime};
use super::error::ClusterError;
use super::manifest::{RunState, process_name, unique_name};
use super::task::{Searches, Tasks, UnitError};
use super::worker_state::WorkerState;
use super::{link, status, streams};
use acknowledge::{RETRY_DELAY, ResultBatch, acknowledge, return_unit};
use event::Event;
use run::{Attempts, WorkerRun};
use sessions::Sessions;
use taken::{TakenUnit, Throughput};
pub use threads::WorkerSettings;
use threads::{Job, Queue, ThreadMessage, start_threads};

/// Time to wait for units before the request is repeated.
const WAIT: Duration = Duration::from_secs(2);

/// Time between two heartbeats, and between two readings of the cluster's state.
const HEARTBEAT: Duration = Duration::from_millis(1000);
const STATE_INTERVAL: Duration = Duration::from_secs(5);

/// Time that work in progress may take to return after an interrupt.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(500);

/// Maximum number of prepared runs without units.
const RUNS: usize = 4;

/// Takes units and processes them until it is interrupted. `log` gets lines for the user. Returns the work done.
///
/// # Errors
/// The cluster is unreachable at the start. If it goes away later, the worker waits for it.
pub fn serve(
    address: &Address,
    settings: &WorkerSettings,
    tasks: Arc<dyn Tasks + Send + Sync>,
    searches: Arc<dyn Searches>,
    log: &dyn Fn(&str),
    interrupt: &Arc<AtomicBool>,
) -> Result<WorkerState, ClusterError> {
    let runtime = runtime()?;
    let done = runtime.block_on(work(address, settings, tasks, searches, log, interrupt));
    runtime.shutdown_background();
    done
}

struct Worker<'a> {
    session: Connection,
    sessions: Sessions,
    settings: &'a WorkerSettings,
    log: &'a dyn Fn(&str),
    taking: Consumer<pull::Config>,
    queue: Arc<Queue>,
    events: UnboundedSender<Event>,
    runs: BTreeMap<String, Result<Arc<WorkerRun>, String>>,
    /// Units whose runs are being fetched.
    waiting: BTreeMap<String, Vec<Message>>,
    held: BTreeMap<u64, TakenUnit>,
    next: u64,
    pulling: bool,
    throughput: Throughput,
    unsent: ResultBatch,
    state: WorkerState,
    ended: Arc<AtomicBool>,
}

async fn work(
    address: &Address,
    settings: &WorkerSettings,
    tasks: Arc<dyn Tasks + Send + Sync>,
    searches: Arc<dyn Searches>,
    log: &dyn Fn(&str),
    interrupt: &Arc<AtomicBool>,
) -> Result<WorkerState, ClusterError> {
    let name = format!("{}-{}", process_name(), &unique_name()[..4]);
    let opening = async {
        let session = Connection::open(address, &name).await?;
        let taking = session.unit_consumer(&settings.version, None).await?;
        Ok::<_, ClusterError>((session, taking))
    };
    let (session, taking) = tokio::select! {
        opened = opening => opened?,
        () = interrupted(interrupt) => return Err(ClusterError::Interrupted),
    };
    let queue = Arc::new(Queue::default());
    let (said, mut heard) = unbounded_channel::<ThreadMessage>();
    let working = start_threads(settings.threads, &queue, &tasks, &said, interrupt);
    let (events, mut happened) = unbounded_channel();
    let state = WorkerState {
        name: name.clone(),
        version: settings.version.clone(),
        threads: settings.threads,
        ..WorkerState::default()
    };
    let client = session.client.clone();
    let wrong = |error: &dyn std::fmt::Display| {
        ClusterError::store("can't subscribe to the messages of masters", error)
    };
    let calls =
        client.subscribe(link::call_subject(&settings.version)).await.map_err(|error| wrong(&error))?;
    let messages = client
        .subscribe(link::worker_subject(&settings.version, &name))
        .await
        .map_err(|error| wrong(&error))?;
    let sessions = Sessions::new(client, searches, said, settings.threads, name.clone());
    let mut worker = Worker {
        session,
        sessions,
        settings,
        log,
        taking,
        queue,
        events,
        runs: BTreeMap::new(),
        waiting: BTreeMap::new(),
        held: BTreeMap::new(),
        next: 0,
        pulling: false,
        throughput: Throughput::new(settings.threads),
        unsent: ResultBatch::new(),
        state,
        ended: Arc::default(),
    };
    log(&format!("worker {name} of version {} takes units at {}", settings.version, address.shown()));
    worker.run_events(&mut heard, &mut happened, [calls, messages], interrupt).await;
    worker.shut_down(&mut heard, working).await;
    Ok(worker.state)
}

impl Worker<'_> {
    /// The event loop: takes, distributes and acknowledges units until the end.
    async fn run_events(
        &mut self,
        heard: &mut UnboundedReceiver<ThreadMessage>,
        happened: &mut UnboundedReceiver<Event>,
        [mut calls, mut messages]: [Subscriber; 2],
        interrupt: &AtomicBool,
    ) {
        let mut glance = tokio::time::interval(POLL_INTERVAL);
        glance.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (mut published, mut read) = (None::<Instant>, None::<Instant>);
        let mut last = Instant::now();
        while !interrupt.load(Ordering::Relaxed) {
            self.pull();
            if self.unsent.due(self.to_do() < self.settings.threads) {
                self.unsent.send(&self.session, &self.state.name, &self.ended, &self.events);
            }
            tokio::select! {
                Some(message) = heard.recv() => self.on_thread_message(message).await,
                Some(event) = happened.recv() => self.on_event(event),
                Some(call) = calls.next() => self.sessions.called(call).await,
                Some(message) = messages.next() => self.sessions.receive(message).await,
                _ = glance.tick() => {
                    self.send_heartbeats();
                    self.sessions.send_heartbeats().await;
                    if published.is_none_or(|published| published.elapsed() >= HEARTBEAT) {
                        published = Some(Instant::now());
                        self.publish_state();
                    }
                    if read.is_none_or(|read| read.elapsed() >= STATE_INTERVAL) {
                        read = Some(Instant::now());
                        self.read_cluster();
                    }
                }
            }
            if !self.held.is_empty() || self.sessions.count() > 0 {
                last = Instant::now();
            } else if self.settings.idle.is_some_and(|idle| last.elapsed() >= idle) {
                return;
            }
        }
    }

    /// Units that are taken and not done.
    fn to_do(&self) -> usize {
        self.held.values().filter(|held| !held.finished).count()
    }

    /// Requests units if there is room.
    fn pull(&mut self) {
        let room = self.throughput.room(self.to_do());
        if self.pulling || room == 0 {
            return;
        }
        self.pulling = true;
        let (taking, events) = (self.taking.clone(), self.events.clone());
        tokio::spawn(async move {
            let mut wrong = true;
            if let Ok(mut batch) = taking.batch().max_messages(room).expires(WAIT).messages().await {
                wrong = false;
                while let Ok(Some(message)) = tokio::time::timeout(WAIT + WAIT / 2, batch.next()).await {
                    match message {
                        Ok(message) => drop(events.send(Event::Unit(Box::new(message)))),
                        Err(_) => wrong = true,
                    }
                }
            }
            if wrong {
                tokio::time::sleep(RETRY_DELAY).await;
            }
            drop(events.send(Event::Pulled { wrong }));
        });
    }

    fn on_event(&mut self, event: Event) {
        match event {
            Event::Unit(message) => self.unit(*message),
            Event::Pulled { wrong } => {
                self.pulling = false;
                if wrong {
                    self.read_cluster();
                }
            }
            Event::Known { token, run, gone } => {
                let waiting = self.waiting.remove(&token).unwrap_or_default();
                if gone {
                    // The run is over.
                    for message in waiting {
                        tokio::spawn(async move { drop(message.ack_with(AckKind::Term).await) });
                    }
                    return;
                }
                // A run that could not be fetched is requested again with its next unit.
                if run.is_ok() {
                    if self.runs.len() >= RUNS {
                        let held = |run: &WorkerRun| {
                            self.held.values().any(|held| held.run.manifest == run.manifest)
                        };
                        self.runs.retain(|_, run| run.as_ref().is_ok_and(|run| held(run)));
                    }
                    self.runs.insert(token, run);
                    waiting.into_iter().for_each(|message| self.unit(message));
                } else {
                    waiting.into_iter().for_each(|message| return_unit(message, RETRY_DELAY));
                }
            }
            Event::Stored(id) => {
                self.queue.stored(self.held.remove(&id).is_some_and(|held| held.redelivered))
            }
            Event::Looked { taking, others } => {
                self.taking = *taking;
                for (id, reason) in others {
                    let line = format!("run {id} is refused: {reason}");
                    if !self.state.refused.contains(&line) {
                        (self.log)(&line);
                        self.state.refused.push(line);
                    }
                }
            }
        }
    }

    /// Passes a unit to the threads when its run is known.
    fn unit(&mut self, message: Message) {
        let Some((token, unit)) = streams::named(&message.subject) else {
            return drop(tokio::spawn(async move { message.ack_with(AckKind::Term).await }));
        };
        let token = token.to_owned();
        let Some(Ok(run)) = self.runs.get(&token) else {
            let waiting = self.waiting.entry(token.clone()).or_default();
            waiting.push(message);
            if waiting.len() == 1 {
                self.fetch_run(token);
            }
            return;
        };
        if run.manifest.version != self.settings.version {
            let line = format!("run {} is refused: its version is {}", run.manifest.id, run.manifest.version);
            (self.log)(&line);
            self.state.refused.push(line);
            return return_unit(message, STATE_INTERVAL);
        }
        let same = |held: &&mut TakenUnit| held.unit == unit && Arc::ptr_eq(&held.run, run);
        if let Some(held) = self.held.values_mut().find(same) {
            // Redelivered to this worker, after its run was resumed or its lease ended. It is in progress, so it is not
            // started again.
            if held.finished {
                return_unit(message, STATE_INTERVAL);
            } else {
                held.message = message;
            }
            return;
        }
        let id = self.next;
        self.next += 1;
        let info = message.info().ok();
        self.throughput.left(info.as_ref().map_or(0, |info| info.pending));
        let redelivered = info.is_some_and(|info| info.delivered > 1);
        self.queue.put(Job { id, unit, run: Arc::clone(run), redelivered });
        self.held.insert(id, TakenUnit::new(message, Arc::clone(run), unit, redelivered));
    }

    /// Fetches a run.
    fn fetch_run(&self, token: String) {
        let (session, events) = (self.session.clone(), self.events.clone());
        tokio::spawn(async move {
            let (run, gone) = match WorkerRun::fetch(&session, &token).await {
                Ok(Some(run)) => (Ok(Arc::new(run)), false),
                Ok(None) => (Err("the run is over".to_owned()), true),
                Err(error) => (Err(error), false),
            };
            drop(events.send(Event::Known { token, run, gone }));
        });
    }

    /// Handles a message of a thread.
    async fn on_thread_message(&mut self, message: ThreadMessage) {
        match message {
            ThreadMessage::Started(id) => {
                if let Some(held) = self.held.get_mut(&id) {
                    held.begun = Some(Instant::now());
                }
            }
            ThreadMessage::MayStart(id, answer) => {
                let Some(held) = self.held.get(&id) else { return };
                let (session, run, unit) = (self.session.clone(), Arc::clone(&held.run), held.unit);
                let name = self.state.name.clone();
                tokio::spawn(async move {
                    let tried = Attempts::begin(&session, &run, unit, &name).await;
                    drop(answer.send(tried));
                });
            }
            ThreadMessage::File(run, hash, answer) => {
                let (session, ended) = (self.session.clone(), Arc::clone(&self.ended));
                tokio::spawn(async move {
                    drop(answer.send(run.file(&session, &hash, &ended).await));
                });
            }
            ThreadMessage::Session { to, session, kind, bytes } => {
                let headers = kind.headers(&session);
                // If the server is away, so is the master.
                drop(self.session.client.publish_with_headers(to, headers, bytes.into()).await);
            }
            ThreadMessage::SessionOver(session) => self.sessions.end(&session),
            ThreadMessage::Finished(id, outcome) => {
                let Some(held) = self.held.get_mut(&id) else { return };
                held.finished = true;
                let took = held.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
                match &outcome {
                    Ok(done) => {
                        self.state.done += 1;
                        self.throughput.done(took, done.states);
                    }
                    Err(UnitError::Interrupted) => {}
                    Err(UnitError::Unit(error) | UnitError::Run(error)) => {
                        self.state.failed += 1;
                        (self.log)(&format!("run {} unit {}: {error}", held.run.manifest.id, held.unit));
                    }
                }
                self.unsent.put(id, held.clone(), outcome);
            }
        }
    }

    /// Sends heartbeats for units in progress.
    fn send_heartbeats(&mut self) {
        let lease = self.taking.cached_info().config.ack_wait;
        for held in self.held.values_mut().filter(|held| held.heartbeat.elapsed() >= lease / 4) {
            held.heartbeat = Instant::now();
            let message = held.message.clone();
            tokio::spawn(async move { drop(message.ack_with(AckKind::Progress).await) });
        }
    }

    /// Publishes the state of the worker.
    fn publish_state(&mut self) {
        let begun = self.held.values().filter(|held| held.begun.is_some() && !held.finished);
        self.state.running = begun.map(|held| (held.run.manifest.id.clone(), held.unit)).collect();
        self.state.searches = self.sessions.count();
        self.state.held = self.held.len() - self.state.running.len();
        (self.state.units_per_second, self.state.states_per_second) = self.throughput.rates();
        let (session, state) = (self.session.clone(), self.state.clone());
        tokio::spawn(async move {
            if let Ok(bytes) = serde_json::to_vec(&state) {
                let put = session.workers.put(state.name.as_str(), bytes.into());
                let _ = tokio::time::timeout(HEARTBEAT, put).await;
            }
        });
    }

    /// Reads the state of the cluster.
    fn read_cluster(&self) {
        let (session, events, version) =
            (self.session.clone(), self.events.clone(), self.settings.version.clone());
        tokio::spawn(async move {
            let Ok(taking) = session.unit_consumer(&version, None).await else { return };
            let runs = status::runs(&session).await.unwrap_or_default();
            let others =
                runs.into_iter().filter(|run| run.version != version && run.state == RunState::Asked);
            let reason = format!("this worker has version {version}");
            let others =
                others.map(|run| (run.id, format!("{} has version {}, {reason}", run.kind, run.version)));
            let others = others.collect();
            drop(events.send(Event::Looked { taking: Box::new(taking), others }));
        });
    }

    /// Returns unfinished units, and announces the end.
    async fn shut_down(&mut self, heard: &mut UnboundedReceiver<ThreadMessage>, working: Arc<AtomicBool>) {
        working.store(false, Ordering::Relaxed);
        self.queue.close();
        self.sessions.end_all();
        self.ended.store(true, Ordering::Relaxed);
        // A unit in progress is returned after its thread has finished, so that a finished result is not lost.
        let unbegun: Vec<u64> =
            self.held.iter().filter(|(_, held)| held.begun.is_none()).map(|(&id, _)| id).collect();
        for id in unbegun {
            if let Some(held) = self.held.remove(&id) {
                let _ = held.message.ack_with(AckKind::Nak(None)).await;
            }
        }
        let farewell = async {
            for id in self.unsent.send_last(&self.session, &self.state.name, &self.ended).await {
                self.held.remove(&id);
            }
            while self.held.values().any(|held| !held.finished) {
                match heard.recv().await {
                    Some(ThreadMessage::Finished(id, outcome)) => {
                        if let Some(held) = self.held.remove(&id) {
                            acknowledge(&self.session, &held, outcome, &self.state.name, &self.ended).await;
                        }
                    }
                    Some(_) => {}
                    None => return,
                }
            }
        };
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, farewell).await;
        for held in self.held.values() {
            let _ = held.message.ack_with(AckKind::Nak(None)).await;
        }
        let goodbye = async {
            let _ = self.session.workers.delete(self.state.name.as_str()).await;
            let _ = self.session.client.flush().await;
        };
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT / 2, goodbye).await;
    }
}

//! The worker's side: takes units, processes them on threads, and acknowledges them.

mod answer;
mod hands;
mod held;
mod run;
mod searches;

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
use super::error::ClusterError;
use super::manifest::{RunState, new_life, whoami};
use super::session::{GLANCE, Session, asked_to_end, runtime};
use super::task::{Fault, Searches, Tasks};
use super::worker_state::WorkerState;
use super::{link, status, streams};
use answer::{REST, Unsent, answer, give_back};
pub use hands::Hands;
use hands::{Job, Queue, Said, crew};
use held::{Held, Pace};
use run::{Attempts, OfRun};
use searches::Sessions;

/// Time to wait for units before the request is repeated.
const WAIT: Duration = Duration::from_secs(2);

/// Time between two heartbeats, and between two readings of the cluster's state.
const TELL: Duration = Duration::from_millis(1000);
const LOOK: Duration = Duration::from_secs(5);

/// Time that work in progress may take to return after an interrupt.
const FAREWELL: Duration = Duration::from_millis(500);

/// Maximum number of prepared runs without units.
const RUNS: usize = 4;

/// Takes units and processes them until it is interrupted. Lines for the user go to `tell`. Returns the work done.
///
/// # Errors
/// The cluster is unreachable at the start. If it goes away later, the worker waits for it.
pub fn serve(
    address: &Address,
    hands: &Hands,
    tasks: Arc<dyn Tasks + Send + Sync>,
    searches: Arc<dyn Searches>,
    tell: &dyn Fn(&str),
    interrupt: &Arc<AtomicBool>,
) -> Result<WorkerState, ClusterError> {
    let runtime = runtime()?;
    let done = runtime.block_on(work(address, hands, tasks, searches, tell, interrupt));
    runtime.shutdown_background();
    done
}

/// An event of a worker.
enum Event {
    /// A unit arrived.
    Unit(Box<Message>),
    /// A request for units ended, perhaps with an error.
    Pulled { wrong: bool },
    /// A run was fetched.
    Known { token: String, run: Result<Arc<OfRun>, String>, gone: bool },
    /// A result was stored.
    Stored(u64),
    /// The cluster's state: leases of units, and runs of other versions.
    Looked { taking: Box<Consumer<pull::Config>>, others: Vec<(String, String)> },
}

struct Worker<'a> {
    session: Session,
    sessions: Sessions,
    hands: &'a Hands,
    tell: &'a dyn Fn(&str),
    taking: Consumer<pull::Config>,
    queue: Arc<Queue>,
    events: UnboundedSender<Event>,
    runs: BTreeMap<String, Result<Arc<OfRun>, String>>,
    /// Units whose runs are being fetched.
    waiting: BTreeMap<String, Vec<Message>>,
    held: BTreeMap<u64, Held>,
    next: u64,
    pulling: bool,
    pace: Pace,
    unsent: Unsent,
    state: WorkerState,
    ended: Arc<AtomicBool>,
}

async fn work(
    address: &Address,
    hands: &Hands,
    tasks: Arc<dyn Tasks + Send + Sync>,
    searches: Arc<dyn Searches>,
    tell: &dyn Fn(&str),
    interrupt: &Arc<AtomicBool>,
) -> Result<WorkerState, ClusterError> {
    let name = format!("{}-{}", whoami(), &new_life()[..4]);
    let opening = async {
        let session = Session::open(address, &name).await?;
        let taking = session.takers(&hands.version, None).await?;
        Ok::<_, ClusterError>((session, taking))
    };
    let (session, taking) = tokio::select! {
        opened = opening => opened?,
        () = asked_to_end(interrupt) => return Err(ClusterError::Interrupted),
    };
    let queue = Arc::new(Queue::default());
    let (said, mut heard) = unbounded_channel::<Said>();
    let working = crew(hands.threads, &queue, &tasks, &said, interrupt);
    let (events, mut happened) = unbounded_channel();
    let state = WorkerState {
        name: name.clone(),
        version: hands.version.clone(),
        threads: hands.threads,
        ..WorkerState::default()
    };
    let client = session.client.clone();
    let wrong = |error: &dyn std::fmt::Display| ClusterError::store("masters can't be heard", error);
    let calls = client.subscribe(link::call(&hands.version)).await.map_err(|error| wrong(&error))?;
    let letters = client.subscribe(link::at(&hands.version, &name)).await.map_err(|error| wrong(&error))?;
    let sessions = Sessions::new(client, searches, said, hands.threads, name.clone());
    let mut worker = Worker {
        session,
        sessions,
        hands,
        tell,
        taking,
        queue,
        events,
        runs: BTreeMap::new(),
        waiting: BTreeMap::new(),
        held: BTreeMap::new(),
        next: 0,
        pulling: false,
        pace: Pace::new(hands.threads),
        unsent: Unsent::new(),
        state,
        ended: Arc::default(),
    };
    tell(&format!("worker {name} of version {} takes units at {}", hands.version, address.shown()));
    worker.attend(&mut heard, &mut happened, [calls, letters], interrupt).await;
    worker.leave(&mut heard, working).await;
    Ok(worker.state)
}

impl Worker<'_> {
    /// The event loop: takes, distributes and acknowledges units until the end.
    async fn attend(
        &mut self,
        heard: &mut UnboundedReceiver<Said>,
        happened: &mut UnboundedReceiver<Event>,
        [mut calls, mut letters]: [Subscriber; 2],
        interrupt: &AtomicBool,
    ) {
        let mut glance = tokio::time::interval(GLANCE);
        glance.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (mut told, mut looked) = (None::<Instant>, None::<Instant>);
        let mut last = Instant::now();
        while !interrupt.load(Ordering::Relaxed) {
            self.pull();
            if self.unsent.due(self.to_do() < self.hands.threads) {
                self.unsent.send(&self.session, &self.state.name, &self.ended, &self.events);
            }
            tokio::select! {
                Some(said) = heard.recv() => self.hear(said).await,
                Some(event) = happened.recv() => self.happen(event),
                Some(call) = calls.next() => self.sessions.called(call).await,
                Some(letter) = letters.next() => self.sessions.letter(letter).await,
                _ = glance.tick() => {
                    self.say_still_at_it();
                    self.sessions.look_after().await;
                    if told.is_none_or(|told| told.elapsed() >= TELL) {
                        told = Some(Instant::now());
                        self.tell_all();
                    }
                    if looked.is_none_or(|looked| looked.elapsed() >= LOOK) {
                        looked = Some(Instant::now());
                        self.look();
                    }
                }
            }
            if !self.held.is_empty() || self.sessions.count() > 0 {
                last = Instant::now();
            } else if self.hands.idle.is_some_and(|idle| last.elapsed() >= idle) {
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
        let room = self.pace.room(self.to_do());
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
                tokio::time::sleep(REST).await;
            }
            drop(events.send(Event::Pulled { wrong }));
        });
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Unit(message) => self.unit(*message),
            Event::Pulled { wrong } => {
                self.pulling = false;
                if wrong {
                    self.look();
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
                        let held =
                            |run: &OfRun| self.held.values().any(|held| held.run.manifest == run.manifest);
                        self.runs.retain(|_, run| run.as_ref().is_ok_and(|run| held(run)));
                    }
                    self.runs.insert(token, run);
                    waiting.into_iter().for_each(|message| self.unit(message));
                } else {
                    waiting.into_iter().for_each(|message| give_back(message, REST));
                }
            }
            Event::Stored(id) => self.queue.stored(self.held.remove(&id).is_some_and(|held| held.suspicious)),
            Event::Looked { taking, others } => {
                self.taking = *taking;
                for (id, reason) in others {
                    let line = format!("run {id} is refused: {reason}");
                    if !self.state.refused.contains(&line) {
                        (self.tell)(&line);
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
                self.ask_after(token);
            }
            return;
        };
        if run.manifest.version != self.hands.version {
            let line =
                format!("run {} is refused: it is of version {}", run.manifest.id, run.manifest.version);
            (self.tell)(&line);
            self.state.refused.push(line);
            return give_back(message, LOOK);
        }
        let same = |held: &&mut Held| held.unit == unit && Arc::ptr_eq(&held.run, run);
        if let Some(held) = self.held.values_mut().find(same) {
            // Redelivered to this worker, after its run was resumed or its lease ended. It is in progress, so it is not
            // started again.
            if held.finished {
                give_back(message, LOOK);
            } else {
                held.message = message;
            }
            return;
        }
        let id = self.next;
        self.next += 1;
        let info = message.info().ok();
        self.pace.left(info.as_ref().map_or(0, |info| info.pending));
        let suspicious = info.is_some_and(|info| info.delivered > 1);
        self.queue.put(Job { id, unit, run: Arc::clone(run), suspicious });
        self.held.insert(id, Held::new(message, Arc::clone(run), unit, suspicious));
    }

    /// Fetches a run.
    fn ask_after(&self, token: String) {
        let (session, events) = (self.session.clone(), self.events.clone());
        tokio::spawn(async move {
            let (run, gone) = match OfRun::fetch(&session, &token).await {
                Ok(Some(run)) => (Ok(Arc::new(run)), false),
                Ok(None) => (Err("nobody asks for it".to_owned()), true),
                Err(error) => (Err(error), false),
            };
            drop(events.send(Event::Known { token, run, gone }));
        });
    }

    /// Handles a message of a thread.
    async fn hear(&mut self, said: Said) {
        match said {
            Said::Begun(id) => {
                if let Some(held) = self.held.get_mut(&id) {
                    held.begun = Some(Instant::now());
                }
            }
            Said::May(id, answer) => {
                let Some(held) = self.held.get(&id) else { return };
                let (session, run, unit) = (self.session.clone(), Arc::clone(&held.run), held.unit);
                let name = self.state.name.clone();
                tokio::spawn(async move {
                    let tried = Attempts::begin(&session, &run, unit, &name).await;
                    drop(answer.send(tried));
                });
            }
            Said::File(run, hash, answer) => {
                let (session, ended) = (self.session.clone(), Arc::clone(&self.ended));
                tokio::spawn(async move {
                    drop(answer.send(run.file(&session, &hash, &ended).await));
                });
            }
            Said::Letter { to, session, letter, bytes } => {
                let headers = letter.headers(&session);
                // If the server is away, so is the master.
                drop(self.session.client.publish_with_headers(to, headers, bytes.into()).await);
            }
            Said::Over(session) => self.sessions.end(&session),
            Said::Finished(id, outcome) => {
                let Some(held) = self.held.get_mut(&id) else { return };
                held.finished = true;
                let took = held.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
                match &outcome {
                    Ok(done) => {
                        self.state.done += 1;
                        self.pace.done(took, done.states);
                    }
                    Err(Fault::Interrupted) => {}
                    Err(Fault::Unit(error) | Fault::Run(error)) => {
                        self.state.failed += 1;
                        (self.tell)(&format!("run {} unit {}: {error}", held.run.manifest.id, held.unit));
                    }
                }
                self.unsent.put(id, held.clone(), outcome);
            }
        }
    }

    /// Sends heartbeats for units in progress.
    fn say_still_at_it(&mut self) {
        let patience = self.taking.cached_info().config.ack_wait;
        for held in self.held.values_mut().filter(|held| held.told.elapsed() >= patience / 4) {
            held.told = Instant::now();
            let message = held.message.clone();
            tokio::spawn(async move { drop(message.ack_with(AckKind::Progress).await) });
        }
    }

    /// Publishes the state of the worker.
    fn tell_all(&mut self) {
        let begun = self.held.values().filter(|held| held.begun.is_some() && !held.finished);
        self.state.running = begun.map(|held| (held.run.manifest.id.clone(), held.unit)).collect();
        self.state.searches = self.sessions.count();
        self.state.held = self.held.len() - self.state.running.len();
        (self.state.units_per_second, self.state.states_per_second) = self.pace.rates();
        let (session, state) = (self.session.clone(), self.state.clone());
        tokio::spawn(async move {
            if let Ok(bytes) = serde_json::to_vec(&state) {
                let put = session.workers.put(state.name.as_str(), bytes.into());
                let _ = tokio::time::timeout(TELL, put).await;
            }
        });
    }

    /// Reads the state of the cluster.
    fn look(&self) {
        let (session, events, version) =
            (self.session.clone(), self.events.clone(), self.hands.version.clone());
        tokio::spawn(async move {
            let Ok(taking) = session.takers(&version, None).await else { return };
            let runs = status::runs(&session).await.unwrap_or_default();
            let others =
                runs.into_iter().filter(|run| run.version != version && run.state == RunState::Asked);
            let reason = format!("this worker has {version}");
            let others = others
                .map(|run| (run.id, format!("{} is of version {}, and {reason}", run.kind, run.version)));
            let others = others.collect();
            drop(events.send(Event::Looked { taking: Box::new(taking), others }));
        });
    }

    /// Returns unfinished units, and announces the end.
    async fn leave(&mut self, heard: &mut UnboundedReceiver<Said>, working: Arc<AtomicBool>) {
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
                    Some(Said::Finished(id, outcome)) => {
                        if let Some(held) = self.held.remove(&id) {
                            answer(&self.session, &held, outcome, &self.state.name, &self.ended).await;
                        }
                    }
                    Some(_) => {}
                    None => return,
                }
            }
        };
        let _ = tokio::time::timeout(FAREWELL, farewell).await;
        for held in self.held.values() {
            let _ = held.message.ack_with(AckKind::Nak(None)).await;
        }
        let goodbye = async {
            let _ = self.session.workers.delete(self.state.name.as_str()).await;
            let _ = self.session.client.flush().await;
        };
        let _ = tokio::time::timeout(FAREWELL / 2, goodbye).await;
    }
}

//! The master's side of a remote search, as a worker of `search/ensemble.rs`. `tests/matches/remote.rs` tests it.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::cluster::{Address, ClusterError, Link, MessageKind, Session, VERSION};
use crate::machine::{Cursor, Machine, MoveId, State};
use crate::search::{Limits, Search, SearchError, SearchResult, Stop};

use super::letters::{Answer, Question, Setup};

/// The time that workers have to offer themselves.
const CALLED: Duration = Duration::from_millis(400);

/// How often the interrupt is checked.
const GLANCE: Duration = Duration::from_millis(2);

/// A worker without a message for this time is lost.
const LOST: Duration = Duration::from_secs(3);

/// Finds at most `wanted` idle workers at an address, and returns them with the connection. Connections are reused,
/// because a player is made for every match.
///
/// # Errors
/// The address is invalid, or the server does not answer.
pub(in crate::arena) fn reach(address: &Address, wanted: usize) -> Result<(Link, Vec<String>), ClusterError> {
    static LINKS: Mutex<BTreeMap<Address, Link>> = Mutex::new(BTreeMap::new());
    let mut links = LINKS.lock().unwrap_or_else(PoisonError::into_inner);
    let link = match links.get(address) {
        Some(link) => link.clone(),
        None => {
            let link = Link::open(address, VERSION)?;
            links.insert(address.clone(), link.clone());
            link
        }
    };
    drop(links);
    let workers = link.workers(wanted, CALLED);
    Ok((link, workers))
}

/// A search on another computer.
pub(in crate::arena) struct RemoteSearch<'m> {
    machine: &'m dyn Machine,
    cursor: Box<dyn Cursor + 'm>,
    role: usize,
    session: Session,
    turn: u64,
    /// The time of its last message.
    heard: Instant,
    /// Whether its session is over.
    over: bool,
}

impl<'m> RemoteSearch<'m> {
    /// Opens a session with a worker and sends it the setup.
    pub(in crate::arena) fn new(
        link: &Link,
        worker: String,
        machine: &'m dyn Machine,
        setup: &Setup,
    ) -> RemoteSearch<'m> {
        let bytes = serde_json::to_vec(setup).unwrap_or_default();
        RemoteSearch {
            machine,
            cursor: machine.cursor(),
            role: setup.role,
            session: link.session(worker, bytes),
            turn: 0,
            heard: Instant::now(),
            over: false,
        }
    }

    /// A move from its text, if it is legal for the role.
    fn legal(&self, text: &str) -> Option<MoveId> {
        self.cursor.legal(self.role).iter().copied().find(|&action| self.machine.move_text(action) == text)
    }

    /// The result of an answer; none if the answer is impossible.
    fn read(&self, answer: Answer, took: Duration) -> Option<SearchResult> {
        let action = match answer.action {
            Some(text) => Some(self.legal(&text)?),
            None => None,
        };
        Some(SearchResult {
            action,
            value: answer.value.filter(|value| value.is_finite()),
            proved: answer.proved,
            depth: answer.depth,
            nodes: answer.nodes,
            repeatable: false,
            stop: if answer.proved { Stop::Solved } else { Stop::Time },
            took,
            ..SearchResult::nothing()
        })
    }
}

impl Search for RemoteSearch<'_> {
    fn search(
        &mut self,
        state: &State,
        limits: &Limits<'_>,
        on_progress: &mut dyn FnMut(&SearchResult),
    ) -> Result<SearchResult, SearchError> {
        let begun = Instant::now();
        let mut known = SearchResult { repeatable: false, ..SearchResult::nothing() };
        if self.over {
            return Ok(known);
        }
        self.cursor.set(state)?;
        self.turn += 1;
        let mut fluents = Vec::new();
        self.machine.fluents(state, &mut fluents);
        let question = Question {
            turn: self.turn,
            state: fluents.into_iter().map(|fluent| self.machine.fluent_text(fluent)).collect(),
            seconds: limits.deadline.map(|deadline| deadline.saturating_duration_since(begun).as_secs_f64()),
            depth: limits.depth,
            nodes: limits.nodes,
        };
        self.session.send(MessageKind::Ask, serde_json::to_vec(&question).unwrap_or_default());
        // Without a clock, the master waits only for workers that still send messages.
        self.heard = self.heard.max(begun);
        loop {
            let asked_to_end = limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
            if asked_to_end || limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break;
            }
            let Some((letter, bytes)) = self.session.hear(GLANCE) else {
                if self.heard.elapsed() > LOST && limits.deadline.is_none() {
                    return Ok(known);
                }
                continue;
            };
            self.heard = Instant::now();
            match letter {
                MessageKind::Ask => {}
                MessageKind::Close => {
                    self.over = true;
                    return Ok(known);
                }
                MessageKind::Open | MessageKind::Stop => continue,
            }
            let Ok(answer) = serde_json::from_slice::<Answer>(&bytes) else { continue };
            if answer.turn != self.turn {
                continue;
            }
            let last = answer.last;
            if let Some(found) = self.read(answer, begun.elapsed()) {
                known = found;
                if last {
                    return Ok(known);
                }
                on_progress(&known);
            } else if last {
                return Ok(known);
            }
        }
        self.session.send(MessageKind::Stop, Vec::new());
        Ok(known)
    }
}

//! The progress of preparation: a machine and a search that can play at any time, replaced by better ones.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use super::answer::{Answer, held, waited};
use crate::machine::{Machine, MoveId, State};

/// A request for a move.
pub(super) struct Question {
    /// The state, of the searcher's machine.
    pub(super) state: State,
    /// The joint moves that led to it, if known.
    pub(super) joints: Vec<Vec<MoveId>>,
    /// The legal moves of the role there.
    pub(super) legal: Vec<MoveId>,
    /// The answer to be filled.
    pub(super) answer: Arc<Answer>,
    /// The deadline.
    pub(super) until: Instant,
    /// Whether the move was sent already, so that the search only prepares the next one.
    pub(super) is_pondering: bool,
    /// Stops the search at once.
    pub(super) stop: Arc<AtomicBool>,
}

/// The completed stages.
#[derive(Default)]
pub(super) struct Stages {
    inner: Mutex<Inner>,
    changed: Condvar,
    /// Set when the match is over, or a move is requested: work besides that stops.
    pub(super) hurry: AtomicBool,
    /// Set when the match is over because its game ended.
    pub(super) ended: AtomicBool,
}

#[derive(Default)]
struct Inner {
    /// The best machine so far, and its version.
    machine: Option<Arc<dyn Machine>>,
    version: u32,
    /// The channel to the search on the best machine.
    searcher: Option<Sender<Question>>,
    /// Why the game can't be played.
    failed: Option<String>,
    /// Whether START waits for learning.
    learns: bool,
    /// Whether no stage remains.
    complete: bool,
    /// Whether the match is over.
    closed: bool,
}

/// How often the flag of an abandoned match is checked.
const GLANCE: Duration = Duration::from_millis(50);

impl Stages {
    fn change(&self, change: impl FnOnce(&mut Inner)) {
        change(&mut held(&self.inner));
        self.changed.notify_all();
    }

    /// A better machine.
    pub(super) fn machine(&self, machine: Arc<dyn Machine>) {
        self.change(|inner| {
            inner.machine = Some(machine);
            inner.version += 1;
        });
    }

    /// Sets the search on the best machine. It ends when the channel is closed.
    pub(super) fn searcher(&self, searcher: Sender<Question>) {
        self.change(|inner| inner.searcher = (!inner.closed).then_some(searcher));
    }

    /// Learning begins or ends.
    pub(super) fn learns(&self, learns: bool) {
        self.change(|inner| inner.learns = learns);
    }

    /// The match is over: closes the channel.
    pub(super) fn close(&self) {
        self.change(|inner| (inner.closed, inner.searcher) = (true, None));
    }

    /// No stage remains.
    pub(super) fn complete(&self) {
        self.change(|inner| inner.complete = true);
    }

    /// The game can't be played.
    pub(super) fn fail(&self, reason: String) {
        self.change(|inner| inner.failed = Some(reason));
    }

    /// Why the game can't be played, if it can't.
    pub(super) fn failed(&self) -> Option<String> {
        held(&self.inner).failed.clone()
    }

    /// Waits until the player is ready, or a time.
    pub(super) fn ready(&self, until: Instant) {
        let mut inner = held(&self.inner);
        let waits =
            |inner: &Inner| inner.searcher.is_none() && !inner.complete || inner.learns && !inner.closed;
        while waits(&inner) && inner.failed.is_none() && Instant::now() < until {
            inner = waited(&self.changed, inner, until);
        }
    }

    /// Waits for the best machine and its version; none if the game can't be played or the match is over.
    pub(super) fn best(&self, gone: &AtomicBool) -> Option<(Arc<dyn Machine>, u32)> {
        let mut inner = held(&self.inner);
        loop {
            if let Some(machine) = &inner.machine {
                return Some((machine.clone(), inner.version));
            }
            if inner.failed.is_some() || gone.load(Ordering::Relaxed) {
                return None;
            }
            inner = waited(&self.changed, inner, Instant::now() + GLANCE);
        }
    }

    /// Whether there is a better machine than this version.
    pub(super) fn is_newer(&self, version: u32) -> bool {
        held(&self.inner).version > version
    }

    /// Sends a question to the search.
    ///
    /// # Errors
    /// There is no search.
    pub(super) fn ask(&self, question: Question) -> Result<(), Question> {
        match &held(&self.inner).searcher {
            Some(searcher) => searcher.send(question).map_err(|error| error.0),
            None => Err(question),
        }
    }
}

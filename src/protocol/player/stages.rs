//! What preparation has come to: something to play with at any time, and something better as soon as it is there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use super::answer::{Answer, held, waited};
use crate::machine::{Machine, MoveId, State};

/// A move that is looked for.
pub(super) struct Question {
    /// In which state, of the machine that the searcher has.
    pub(super) state: State,
    /// The joint moves that led to it, as far as they are known.
    pub(super) joints: Vec<Vec<MoveId>>,
    /// The legal moves of the role there.
    pub(super) legal: Vec<MoveId>,
    /// Where it goes.
    pub(super) answer: Arc<Answer>,
    /// Until when.
    pub(super) until: Instant,
    /// What ends it at once.
    pub(super) stop: Arc<AtomicBool>,
}

/// The stages that are reached.
#[derive(Default)]
pub(super) struct Stages {
    inner: Mutex<Inner>,
    changed: Condvar,
    /// Set when the match is gone, or moves are asked for: what is done besides stops.
    pub(super) hurry: AtomicBool,
    /// Set when the match is over because its game ended.
    pub(super) ended: AtomicBool,
}

#[derive(Default)]
struct Inner {
    /// The best machine so far, and how many there were.
    machine: Option<Arc<dyn Machine>>,
    version: u32,
    /// Who looks for moves, on the best machine.
    searcher: Option<Sender<Question>>,
    /// Why there is nothing to play with.
    failed: Option<String>,
    /// Whether something is learned that START waits for.
    learns: bool,
    /// Whether nothing more comes.
    complete: bool,
    /// Whether the match is over.
    closed: bool,
}

/// How often the flag of a match that is gone is looked at.
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

    /// Somebody who looks for moves on the best machine, and is told when there are no more questions.
    pub(super) fn searcher(&self, searcher: Sender<Question>) {
        self.change(|inner| inner.searcher = (!inner.closed).then_some(searcher));
    }

    /// Something is learned, or not any more.
    pub(super) fn learns(&self, learns: bool) {
        self.change(|inner| inner.learns = learns);
    }

    /// The match is over: no more questions.
    pub(super) fn close(&self) {
        self.change(|inner| (inner.closed, inner.searcher) = (true, None));
    }

    /// Nothing better comes.
    pub(super) fn complete(&self) {
        self.change(|inner| inner.complete = true);
    }

    /// The game can't be played.
    pub(super) fn fail(&self, reason: String) {
        self.change(|inner| inner.failed = Some(reason));
    }

    /// Why the game can't be played, if so.
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

    /// The best machine with its version, once there is one; none where the game can't be played or the match is gone.
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

    /// Asks the one who looks for moves, if there is one.
    ///
    /// # Errors
    /// The question, where there is nobody.
    pub(super) fn ask(&self, question: Question) -> Result<(), Question> {
        match &held(&self.inner).searcher {
            Some(searcher) => searcher.send(question).map_err(|error| error.0),
            None => Err(question),
        }
    }
}

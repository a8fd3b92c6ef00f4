//! # What it does
//! Several searches at once, each with an evaluation function of its own, under a master who plays the best of what they
//! find.
//!
//! # How
//! The master gives all workers the state and hears from them whenever they know more. It plays a proved move where there
//! is one, the soonest; else that of the worker that finished the deepest look ahead, of several as deep the first in
//! the list. One worker has no evaluation function: it looks at nothing but ends, and counts only by what it proves.
//! Workers are threads here, or, with the option `cluster`, other computers. If one of these does not answer in time, what it
//! said until then counts.
//!
//! As many work at once as there are threads; where there are more workers, they take turns and have a share of the time
//! each. A limit of nodes is shared out, and every worker uses up its share: so the move is the same on any number of
//! threads. With a clock alone all stop when one has a proof.
//!
//! # Guarantee
//! A value called proved is what its worker proved. With a limit of nodes or of depth and no clock, the same move on any
//! machine.
//!
//! # Cost
//! That of its workers; memory is shared out among them.
//!
//! # Example
//! `ensemble?threads=4`: one alpha-beta search each with the best statistical, fuzzy and Kuhlmann's functions, and one
//! without a function.
//!
//! # Source
//! Kuhlmann, Dresner and Stone, "Automatic Heuristic Construction in a Complete General Game Player", AAAI 2006, section
//! on distributed search; ties are broken by order here, not at random.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::machine::State;

use super::limits::Limits;
use super::result::{Search, SearchError, SearchResult};

/// A search that tells the master what it finds, on a thread of its own.
pub struct Worker<'m> {
    /// What it is called.
    pub name: String,
    /// The search, here or on another computer.
    pub search: Box<dyn Search + Send + 'm>,
    /// Whether it has no evaluation function: then its move counts only if it is proved.
    pub exhaustive: bool,
}

impl<'m> Worker<'m> {
    /// A worker that searches with an evaluation function, whose name it has.
    pub fn new(name: String, search: Box<dyn Search + Send + 'm>) -> Worker<'m> {
        Worker { name, search, exhaustive: false }
    }

    /// A worker that searches without an evaluation function.
    pub fn exhaustive(search: Box<dyn Search + Send + 'm>) -> Worker<'m> {
        Worker { name: "exhaustive search".to_owned(), search, exhaustive: true }
    }
}

/// A master with its workers.
pub struct Ensemble<'m> {
    workers: Vec<Worker<'m>>,
    threads: usize,
}

/// How often the master looks whether it was interrupted.
const GLANCE: Duration = Duration::from_millis(2);

/// Workers end this long before the clock does, or a tenth of their time where that is less: the answer needs the last of
/// them, which may be waiting for a processor.
const HANDOVER: Duration = Duration::from_millis(15);

impl<'m> Ensemble<'m> {
    /// A master of workers, the best first, so many of which work at once.
    pub fn new(workers: Vec<Worker<'m>>, threads: usize) -> Ensemble<'m> {
        Ensemble { workers, threads: threads.max(1) }
    }
}

/// What the master knows.
struct Ledger {
    /// For every worker its name, and whether it counts by proofs alone.
    names: Vec<(String, bool)>,
    /// For every worker what it found until now.
    found: Vec<Option<SearchResult>>,
    begin: Instant,
}

impl Ledger {
    /// The worker whose move is the best, and why.
    fn choice(&self) -> Option<(usize, &'static str)> {
        let all = self.found.iter().enumerate().filter_map(|(number, found)| Some((number, found.as_ref()?)));
        let moves: Vec<(usize, &SearchResult)> = all.filter(|(_, found)| found.action.is_some()).collect();
        let proved = moves.iter().filter(|(_, found)| found.proved);
        if let Some((number, _)) = proved.min_by_key(|(number, found)| (found.depth, *number)) {
            return Some((*number, "proved"));
        }
        let guess = moves.iter().filter(|(number, _)| !self.names[*number].1);
        let deepest = guess.min_by_key(|(number, found)| (Reverse(found.depth), *number));
        let any = || moves.first().map(|(number, _)| (*number, "the only one with a move"));
        deepest.map(|(number, _)| (*number, "the deepest")).or_else(any)
    }

    /// The choice, in the name of all.
    fn answer(&self) -> SearchResult {
        let nodes = self.found.iter().flatten().map(|found| found.nodes).sum();
        let took = self.begin.elapsed();
        let chosen = self.choice().and_then(|(number, why)| Some((number, why, self.found[number].clone()?)));
        match chosen {
            Some((number, why, found)) => {
                let by = format!("{}, {why} of {}", self.names[number].0, self.names.len());
                SearchResult { nodes, took, by: Some(by), ..found }
            }
            // Nobody has a move: a terminal state.
            None => {
                let found = self.found.iter().flatten().next().cloned();
                SearchResult { nodes, took, ..found.unwrap_or_else(SearchResult::nothing) }
            }
        }
    }
}

/// What the master hears from a worker.
enum Heard {
    /// It knows more.
    More(usize, SearchResult),
    Done(usize, Result<SearchResult, SearchError>),
}

impl Search for Ensemble<'_> {
    fn search(
        &mut self,
        state: &State,
        limits: &Limits<'_>,
        on_progress: &mut dyn FnMut(&SearchResult),
    ) -> Result<SearchResult, SearchError> {
        let count = self.workers.len();
        let mut ledger = Ledger {
            names: self.workers.iter().map(|worker| (worker.name.clone(), worker.exhaustive)).collect(),
            found: vec![None; count],
            begin: Instant::now(),
        };
        let share = limits.nodes.map(|nodes| (nodes / count.max(1) as u64).max(1));
        let use_up = limits.nodes.is_some() || limits.depth.is_some();
        let asked = || limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let enough = AtomicBool::new(false);
        let mut failed: Option<(usize, SearchError)> = None;
        let turns = count.div_ceil(self.threads) as u32;
        for (turn, at_work) in (0..turns).zip(self.workers.chunks_mut(self.threads)) {
            let now = Instant::now();
            let time = |deadline: Instant| {
                let left = deadline.saturating_duration_since(now);
                now + (left - HANDOVER.min(left / 10)) / (turns - turn)
            };
            let deadline = limits.deadline.map(time);
            let own = Limits { nodes: share, deadline, interrupt: Some(&enough), ..*limits };
            thread::scope(|scope| {
                let (sender, heard) = channel();
                for (place, worker) in at_work.iter_mut().enumerate() {
                    let (sender, number) = (sender.clone(), turn as usize * self.threads + place);
                    scope.spawn(move || {
                        // That the master no longer listens is no concern of a worker.
                        let mut more =
                            |found: &SearchResult| drop(sender.send(Heard::More(number, found.clone())));
                        let found = worker.search.search(state, &own, &mut more);
                        drop(sender.send(Heard::Done(number, found)));
                    });
                }
                drop(sender);
                loop {
                    let (number, found) = match heard.recv_timeout(GLANCE) {
                        Ok(Heard::More(number, found) | Heard::Done(number, Ok(found))) => (number, found),
                        Ok(Heard::Done(number, Err(error))) => {
                            if failed.as_ref().is_none_or(|(other, _)| number < *other) {
                                failed = Some((number, error));
                            }
                            continue;
                        }
                        Err(RecvTimeoutError::Timeout) => {
                            enough.fetch_or(asked(), Ordering::Relaxed);
                            continue;
                        }
                        Err(RecvTimeoutError::Disconnected) => break,
                    };
                    enough.fetch_or(found.proved && !use_up, Ordering::Relaxed);
                    ledger.found[number] = Some(found);
                    if ledger.choice().is_some_and(|(best, _)| best == number) {
                        on_progress(&ledger.answer());
                    }
                }
            });
            if enough.load(Ordering::Relaxed) {
                break;
            }
        }
        match failed {
            // What one can't look at none can, so nothing is kept back.
            Some((_, error)) => Err(error),
            None => Ok(ledger.answer()),
        }
    }
}

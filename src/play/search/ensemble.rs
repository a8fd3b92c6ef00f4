//! # What it does
//! Several searches at once, each with its own evaluation function. A master plays the best of their moves.
//!
//! # How
//! The master sends the state to all workers; they report every better result. It plays a proved move if there is one,
//! and the shortest proof if there are several. Otherwise it plays the move of the worker that completed the greatest
//! depth; ties go to the first worker of the list, or with the option `random_ties` to a random one.
//!
//! One worker has no evaluation function: it sees only terminal states, and its move counts only if it is proved. Workers
//! are threads, or other computers with the option `cluster`. If a worker does not answer in time, its last report
//! counts.
//!
//! As many workers run at once as there are threads. If there are more workers, they take turns and share the time. A
//! limit of nodes is divided among the workers, and each uses up its share, so the move is the same on any number of
//! threads. If only a clock limits the search, all stop as soon as one has a proof.
//!
//! # Guarantee
//! A value is called proved only if a worker proved it. With a limit of nodes or depth and no clock, the move is the same
//! on any computer.
//!
//! # Cost
//! The cost is that of the workers; the memory is divided among them. In matches an ensemble is stronger than the weaker of
//! two functions, and weaker than the stronger one (`reports/strength.md`).
//!
//! # Example
//! `ensemble,threads=4`: one alpha-beta search each with the best statistical, fuzzy and Kuhlmann's functions, and one
//! without a function.
//!
//! # Source
//! Kuhlmann, Dresner and Stone, "Automatic Heuristic Construction in a Complete General Game Player", AAAI 2006, section
//! on distributed search, where chance breaks ties.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::machine::State;
use crate::simulate::Choices;

use super::limits::Limits;
use super::result::{Search, SearchError, SearchResult};

/// A search that reports its results to the master, on its own thread.
pub struct Worker<'m> {
    /// Its name, for reports.
    pub name: String,
    /// The search, here or on another computer.
    pub search: Box<dyn Search + Send + 'm>,
    /// Whether it has no evaluation function: its move then counts only if it is proved.
    pub exhaustive: bool,
}

impl<'m> Worker<'m> {
    /// A worker with an evaluation function, named after it.
    pub fn new(name: String, search: Box<dyn Search + Send + 'm>) -> Worker<'m> {
        Worker { name, search, exhaustive: false }
    }

    /// A worker without an evaluation function.
    pub fn exhaustive(search: Box<dyn Search + Send + 'm>) -> Worker<'m> {
        Worker { name: "exhaustive search".to_owned(), search, exhaustive: true }
    }
}

/// A master with its workers.
pub struct Ensemble<'m> {
    workers: Vec<Worker<'m>>,
    threads: usize,
    /// The seed of random ties, and the number of searches so far; none if the order of the workers breaks ties.
    random_ties: Option<(u64, u64)>,
}

/// The time between two checks of the master for an interrupt.
const INTERRUPT_INTERVAL: Duration = Duration::from_millis(2);

/// Workers stop this long before the deadline, or a tenth of their time if that is less. The answer needs the last
/// worker, which may still wait for a processor.
const HANDOVER: Duration = Duration::from_millis(15);

impl<'m> Ensemble<'m> {
    /// A master with its workers, the best first; `threads` of them run at once.
    pub fn new(workers: Vec<Worker<'m>>, threads: usize) -> Ensemble<'m> {
        Ensemble { workers, threads: threads.max(1), random_ties: None }
    }

    /// The same master; of equally good workers it follows a random one. The choices depend on the seed and the number of
    /// the search only.
    #[must_use]
    pub fn with_random_ties(self, seed: u64) -> Ensemble<'m> {
        Ensemble { random_ties: Some((seed, 0)), ..self }
    }

    /// For each worker its place among equally good ones in the next search.
    fn places(&mut self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.workers.len()).collect();
        if let Some((seed, searches)) = &mut self.random_ties {
            let mut choices = Choices::new(*seed, *searches);
            *searches += 1;
            // The shuffle of Fisher and Yates.
            for last in (1..places.len()).rev() {
                places.swap(last, choices.below(last + 1));
            }
        }
        places
    }
}

/// The workers' reports so far.
struct WorkerReports {
    /// For each worker its name, and whether only its proofs count.
    names: Vec<(String, bool)>,
    /// For each worker its place among equally good ones.
    places: Vec<usize>,
    /// The last report of each worker.
    found: Vec<Option<SearchResult>>,
    begin: Instant,
}

impl WorkerReports {
    /// The worker with the best move, and why it is the best.
    fn choice(&self) -> Option<(usize, &'static str)> {
        let all =
            self.found.iter().enumerate().filter_map(|(number, result)| Some((number, result.as_ref()?)));
        let moves: Vec<(usize, &SearchResult)> = all.filter(|(_, result)| result.action.is_some()).collect();
        let proved = moves.iter().filter(|(_, result)| result.proved);
        if let Some((number, _)) = proved.min_by_key(|(number, result)| (result.depth, self.places[*number]))
        {
            return Some((*number, "proved"));
        }
        let guess = moves.iter().filter(|(number, _)| !self.names[*number].1);
        let deepest = guess.min_by_key(|(number, result)| (Reverse(result.depth), self.places[*number]));
        let any = || moves.first().map(|(number, _)| (*number, "the only one with a move"));
        deepest.map(|(number, _)| (*number, "the deepest")).or_else(any)
    }

    /// The answer of the ensemble.
    fn answer(&self) -> SearchResult {
        let nodes = self.found.iter().flatten().map(|result| result.nodes).sum();
        let took = self.begin.elapsed();
        let chosen = self.choice().and_then(|(number, why)| Some((number, why, self.found[number].clone()?)));
        match chosen {
            Some((number, why, found)) => {
                let by = format!("{}, {why} of {}", self.names[number].0, self.names.len());
                SearchResult { nodes, took, by: Some(by), ..found }
            }
            // No worker has a move: the state is terminal.
            None => {
                let found = self.found.iter().flatten().next().cloned();
                SearchResult { nodes, took, ..found.unwrap_or_else(SearchResult::nothing) }
            }
        }
    }
}

/// A message from a worker to the master.
enum WorkerMessage {
    /// A better result.
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
        let mut reports = WorkerReports {
            places: self.places(),
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
                for (index, worker) in at_work.iter_mut().enumerate() {
                    let (sender, number) = (sender.clone(), turn as usize * self.threads + index);
                    scope.spawn(move || {
                        // The master may have stopped listening; the worker then just goes on.
                        let mut more = |found: &SearchResult| {
                            drop(sender.send(WorkerMessage::More(number, found.clone())))
                        };
                        let found = worker.search.search(state, &own, &mut more);
                        drop(sender.send(WorkerMessage::Done(number, found)));
                    });
                }
                drop(sender);
                loop {
                    let (number, found) = match heard.recv_timeout(INTERRUPT_INTERVAL) {
                        Ok(WorkerMessage::More(number, found) | WorkerMessage::Done(number, Ok(found))) => {
                            (number, found)
                        }
                        Ok(WorkerMessage::Done(number, Err(error))) => {
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
                    reports.found[number] = Some(found);
                    if reports.choice().is_some_and(|(best, _)| best == number) {
                        on_progress(&reports.answer());
                    }
                }
            });
            if enough.load(Ordering::Relaxed) {
                break;
            }
        }
        match failed {
            // A state that one worker can't evaluate stops all, so no result is hidden by the error.
            Some((_, error)) => Err(error),
            None => Ok(reports.answer()),
        }
    }
}

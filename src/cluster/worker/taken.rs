//! Units that a worker has taken, and how many it should take.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;

use super::run::WorkerRun;

/// A unit that was taken and is not acknowledged.
#[derive(Clone)]
pub(super) struct TakenUnit {
    pub(super) message: Message,
    pub(super) run: Arc<WorkerRun>,
    pub(super) unit: u64,
    /// Whether it was redelivered.
    pub(super) redelivered: bool,
    /// When a thread started it.
    pub(super) begun: Option<Instant>,
    /// Whether a thread has finished it, and its result is being published.
    pub(super) finished: bool,
    /// When the server last got a heartbeat for it.
    pub(super) heartbeat: Instant,
}

impl TakenUnit {
    pub(super) fn new(message: Message, run: Arc<WorkerRun>, unit: u64, redelivered: bool) -> TakenUnit {
        TakenUnit { message, run, unit, redelivered, begun: None, finished: false, heartbeat: Instant::now() }
    }
}

/// Work that a worker takes in advance, so that its threads do not wait for the server, which answers within some
/// milliseconds. Units in advance are not available to idle workers at the end of a run. But while many units are left,
/// larger batches cost the server less. So the amount is this share of the remaining work, within bounds.
const AHEAD: Duration = Duration::from_millis(50);
const MOST_AHEAD: Duration = Duration::from_millis(400);
const SHARE_AHEAD: f64 = 1.0 / 64.0;

/// Maximum number of units in advance per thread.
const MOST_UNITS_AHEAD: f64 = 64.0;

/// The period for measuring speeds.
const RATE_WINDOW: Duration = Duration::from_secs(5);

/// The speed of processing units.
pub(super) struct Throughput {
    threads: usize,
    /// Smoothed time of a unit in seconds.
    mean: Option<f64>,
    /// Units that no worker has taken, as last reported by the server.
    left: u64,
    /// Times of finished units, with their states.
    done: VecDeque<(Instant, Option<u64>)>,
    begun: Instant,
}

impl Throughput {
    pub(super) fn new(threads: usize) -> Throughput {
        Throughput { threads, mean: None, left: 0, done: VecDeque::new(), begun: Instant::now() }
    }

    /// Records the time of a finished unit.
    pub(super) fn done(&mut self, took: Duration, states: Option<u64>) {
        let took = took.as_secs_f64();
        // The first units of a run include its preparation, so a shorter time counts at once.
        self.mean =
            Some(self.mean.map_or(took, |mean| if took < mean { took } else { 0.9 * mean + 0.1 * took }));
        self.done.push_back((Instant::now(), states));
        while self.done.front().is_some_and(|(when, _)| when.elapsed() > RATE_WINDOW) {
            self.done.pop_front();
        }
    }

    /// Records the number of units that no worker has taken.
    pub(super) fn left(&mut self, units: u64) {
        self.left = units;
    }

    /// The number of units to request for this many threads; 0 if enough are taken.
    pub(super) fn room(&self, held: usize) -> usize {
        let ahead = self.mean.map_or(0.0, |mean| {
            let seconds = self.left as f64 * mean * SHARE_AHEAD;
            let seconds = seconds.clamp(AHEAD.as_secs_f64(), MOST_AHEAD.as_secs_f64());
            (seconds / mean.max(1e-6)).min(MOST_UNITS_AHEAD).floor()
        });
        let most = self.threads + (ahead * self.threads as f64) as usize;
        let room = most.saturating_sub(held);
        // Several at a time, if several are in advance.
        if room * 2 >= most - self.threads { room } else { 0 }
    }

    /// Units and states per second.
    pub(super) fn rates(&mut self) -> (f64, Option<f64>) {
        self.done.retain(|(when, _)| when.elapsed() <= RATE_WINDOW);
        let seconds = self.begun.elapsed().min(RATE_WINDOW).as_secs_f64().max(1e-3);
        let states: Option<u64> = self.done.iter().map(|(_, states)| *states).sum();
        let states = states.filter(|&states| states > 0).map(|states| (states as f64 / seconds).round());
        ((self.done.len() as f64 / seconds * 10.0).round() / 10.0, states)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_units_are_taken_in_batches_and_long_ones_singly() {
        let mut throughput = Throughput::new(2);
        assert_eq!((throughput.room(0), throughput.room(1), throughput.room(2)), (2, 1, 0));
        throughput.done(Duration::from_secs(30), Some(7));
        assert_eq!((throughput.room(1), throughput.room(2)), (1, 0));
        throughput.done(Duration::from_millis(10), Some(5));
        // Five in advance for each thread; more are requested below half of that.
        assert_eq!(
            (throughput.room(0), throughput.room(8), throughput.room(7), throughput.room(12)),
            (12, 0, 5, 0)
        );
        // A 64th of the remaining 6.4 s, and at most 0.4 s.
        throughput.left(640);
        assert_eq!(throughput.room(0), 22);
        throughput.left(64_000);
        assert_eq!(throughput.room(0), 82);
        let (units, states) = throughput.rates();
        assert!(units > 0.0 && states.is_some());
        throughput.done(Duration::from_millis(10), None);
        assert_eq!(throughput.rates().1, None);
    }
}

//! Acknowledges units: publishes their results or returns them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use async_nats::jetstream::{AckKind, Message};
use futures_util::future::join_all;
use tokio::sync::mpsc::UnboundedSender;

use super::super::connection::Connection;
use super::super::publish::publish;
use super::super::task::{UnitError, UnitResult};
use super::super::{results, streams};
use super::event::Event;
use super::run::Attempts;
use super::taken::TakenUnit;

/// Time after which a failed unit is delivered again.
pub(super) const RETRY_DELAY: Duration = Duration::from_millis(200);

/// Time between two batches of results of short units. A separate message for each result would wake the server, the master
/// and the worker about ten times, half a millisecond of processor time in all.
const BATCH_INTERVAL: Duration = Duration::from_millis(250);

/// Results that are not sent yet.
pub(super) struct ResultBatch {
    results: Vec<(u64, TakenUnit, Result<UnitResult, UnitError>)>,
    /// The time of the last batch.
    sent: Instant,
}

impl ResultBatch {
    pub(super) fn new() -> ResultBatch {
        ResultBatch { results: Vec::new(), sent: Instant::now() }
    }

    pub(super) fn put(&mut self, id: u64, held: TakenUnit, outcome: Result<UnitResult, UnitError>) {
        self.results.push((id, held, outcome));
    }

    /// Whether to send the results now: the last batch was long ago, a thread waits for work, or another worker waits for a
    /// result.
    pub(super) fn due(&self, threads_wait: bool) -> bool {
        let waited_for = |(_, held, outcome): &(u64, TakenUnit, Result<UnitResult, UnitError>)| {
            held.redelivered || outcome.is_err()
        };
        !self.results.is_empty()
            && (threads_wait || self.sent.elapsed() >= BATCH_INTERVAL || self.results.iter().any(waited_for))
    }

    /// Publishes the results, and acknowledges each when the server has stored it.
    pub(super) fn send(
        &mut self,
        session: &Connection,
        worker: &str,
        ended: &Arc<AtomicBool>,
        stored: &UnboundedSender<Event>,
    ) {
        self.sent = Instant::now();
        for (id, held, outcome) in self.results.drain(..) {
            let (session, ended) = (session.clone(), Arc::clone(ended));
            let (worker, stored) = (worker.to_owned(), stored.clone());
            tokio::spawn(async move {
                acknowledge(&session, &held, outcome, &worker, &ended).await;
                drop(stored.send(Event::Stored(id)));
            });
        }
    }

    /// Publishes the remaining results when the worker ends, and returns the units whose results are stored.
    pub(super) async fn send_last(
        &mut self,
        session: &Connection,
        worker: &str,
        ended: &AtomicBool,
    ) -> Vec<u64> {
        let last = self.results.drain(..).map(|(id, held, outcome)| async move {
            acknowledge(session, &held, outcome, worker, ended).await;
            id
        });
        join_all(last).await
    }
}

/// Returns a unit for redelivery, now or later.
pub(super) fn return_unit(message: Message, rest: Duration) {
    tokio::spawn(async move { drop(message.ack_with(AckKind::Nak(Some(rest))).await) });
}

/// Publishes the result of a unit, and acknowledges the unit after the result is stored.
pub(super) async fn acknowledge(
    session: &Connection,
    held: &TakenUnit,
    outcome: Result<UnitResult, UnitError>,
    worker: &str,
    ended: &AtomicBool,
) {
    let (run, unit) = (&held.run, held.unit);
    let last = match &outcome {
        Err(UnitError::Interrupted) => {
            drop(held.message.ack_with(AckKind::Nak(None)).await);
            return;
        }
        Err(UnitError::Unit(error)) => {
            Attempts::failed(session, run, unit, held.redelivered, error, worker).await
        }
        Ok(_) | Err(UnitError::Run(_)) => true,
    };
    if !last {
        drop(held.message.ack_with(AckKind::Nak(Some(RETRY_DELAY))).await);
        return;
    }
    let token = run.manifest.token();
    let Ok((headers, bytes)) = results::message(session, unit, worker, &outcome).await else {
        drop(held.message.ack_with(AckKind::Nak(Some(RETRY_DELAY))).await);
        return;
    };
    let (subject, id) = (streams::result(&token, outcome.is_ok()), format!("{token}.{unit}"));
    publish(&session.context, &subject, &id, headers, bytes, ended).await;
    drop(held.message.ack().await);
}

//! Units answered, or given back.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use async_nats::jetstream::{AckKind, Message};
use futures_util::future::join_all;
use tokio::sync::mpsc::UnboundedSender;

use super::super::publish::publish;
use super::super::session::Session;
use super::super::task::{Done, Fault};
use super::super::{results, streams};
use super::Event;
use super::held::Held;
use super::run::Attempts;

/// A unit whose try failed is given back for so long.
pub(super) const REST: Duration = Duration::from_millis(200);

/// Results of short units are sent together, once in so long: each message by itself wakes the server, who asks and the worker up
/// some ten times, which takes half a millisecond of a processor in all.
const TOGETHER: Duration = Duration::from_millis(250);

/// Results that are not sent yet.
pub(super) struct Unsent {
    results: Vec<(u64, Held, Result<Done, Fault>)>,
    /// When some were sent last.
    sent: Instant,
}

impl Unsent {
    pub(super) fn new() -> Unsent {
        Unsent { results: Vec::new(), sent: Instant::now() }
    }

    pub(super) fn put(&mut self, id: u64, held: Held, outcome: Result<Done, Fault>) {
        self.results.push((id, held, outcome));
    }

    /// Whether they should be sent now: at once where the last ones were sent long ago, where a thread waits for more work, or
    /// where others wait for one of them.
    pub(super) fn due(&self, threads_wait: bool) -> bool {
        let waited_for =
            |(_, held, outcome): &(u64, Held, Result<Done, Fault>)| held.suspicious || outcome.is_err();
        !self.results.is_empty()
            && (threads_wait || self.sent.elapsed() >= TOGETHER || self.results.iter().any(waited_for))
    }

    /// Sends them, and tells of each when the server has it.
    pub(super) fn send(
        &mut self,
        session: &Session,
        worker: &str,
        ended: &Arc<AtomicBool>,
        stored: &UnboundedSender<Event>,
    ) {
        self.sent = Instant::now();
        for (id, held, outcome) in self.results.drain(..) {
            let (session, ended) = (session.clone(), Arc::clone(ended));
            let (worker, stored) = (worker.to_owned(), stored.clone());
            tokio::spawn(async move {
                answer(&session, &held, outcome, &worker, &ended).await;
                drop(stored.send(Event::Stored(id)));
            });
        }
    }

    /// Sends what is left, at the worker's end, and gives the units whose results the server has.
    pub(super) async fn send_last(
        &mut self,
        session: &Session,
        worker: &str,
        ended: &AtomicBool,
    ) -> Vec<u64> {
        let last = self.results.drain(..).map(|(id, held, outcome)| async move {
            answer(session, &held, outcome, worker, ended).await;
            id
        });
        join_all(last).await
    }
}

/// Gives a unit back, for others or for later.
pub(super) fn give_back(message: Message, rest: Duration) {
    tokio::spawn(async move { drop(message.ack_with(AckKind::Nak(Some(rest))).await) });
}

/// Answers a unit: its result is stored before the unit is taken off the stream.
pub(super) async fn answer(
    session: &Session,
    held: &Held,
    outcome: Result<Done, Fault>,
    worker: &str,
    ended: &AtomicBool,
) {
    let (run, unit) = (&held.run, held.unit);
    let last = match &outcome {
        Err(Fault::Interrupted) => {
            drop(held.message.ack_with(AckKind::Nak(None)).await);
            return;
        }
        Err(Fault::Unit(error)) => Attempts::failed(session, run, unit, held.suspicious, error, worker).await,
        Ok(_) | Err(Fault::Run(_)) => true,
    };
    if !last {
        drop(held.message.ack_with(AckKind::Nak(Some(REST))).await);
        return;
    }
    let token = run.manifest.token();
    let Ok((headers, bytes)) = results::message(session, unit, worker, &outcome).await else {
        drop(held.message.ack_with(AckKind::Nak(Some(REST))).await);
        return;
    };
    let (subject, id) = (streams::result(&token, outcome.is_ok()), format!("{token}.{unit}"));
    publish(&session.context, &subject, &id, headers, bytes, ended).await;
    drop(held.message.ack().await);
}

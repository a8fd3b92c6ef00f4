//! Units answered, or given back.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use async_nats::jetstream::{AckKind, Message};

use super::super::publish::publish;
use super::super::session::Session;
use super::super::task::{Done, Fault};
use super::super::{results, streams};
use super::held::Held;
use super::run::Attempts;

/// A unit whose try failed is given back for so long.
pub(super) const REST: Duration = Duration::from_millis(200);

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

//! Publishes messages until the server acknowledges them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::Context;
use bytes::Bytes;

/// Pause between two attempts.
const RETRY_DELAY: Duration = Duration::from_millis(150);

/// The outcome of publishing a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PublishOutcome {
    /// The server has stored it, now or in an earlier attempt.
    Stored,
    /// The server already has a message with this subject.
    There,
    /// Interrupted before the server acknowledged it.
    Interrupted,
}

/// Publishes a message until the server acknowledges it. The id is the same in every attempt, so it is stored only once.
pub(super) async fn publish(
    context: &Context,
    subject: &str,
    id: &str,
    mut headers: HeaderMap,
    payload: Bytes,
    ended: &AtomicBool,
) -> PublishOutcome {
    headers.insert("Nats-Msg-Id", id);
    loop {
        let sent = context.publish_with_headers(subject.to_owned(), headers.clone(), payload.clone()).await;
        let error = match sent {
            Ok(acknowledged) => match acknowledged.await {
                Ok(_) => return PublishOutcome::Stored,
                Err(error) => error,
            },
            Err(error) => error,
        };
        if is_there(&error) {
            return PublishOutcome::There;
        }
        if ended.load(Ordering::Relaxed) {
            return PublishOutcome::Interrupted;
        }
        tokio::time::sleep(RETRY_DELAY).await;
    }
}

/// Whether the server refused the message because it has one with this subject. The crate reports the server's reason as the
/// source of the error.
fn is_there(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.to_string().contains("maximum messages per subject exceeded") {
            return true;
        }
        next = error.source();
    }
    false
}

//! Publishing until the server has it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::Context;
use bytes::Bytes;

/// How long one waits before one tries again.
const AGAIN: Duration = Duration::from_millis(150);

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Published {
    /// The server has it, now or since an earlier try.
    Stored,
    /// There is one of this subject already.
    There,
    /// The end was asked for before the server said that it has it.
    Ended,
}

/// Publishes a message until the server says that it is stored; the same id every time, so that it is stored once.
pub(super) async fn publish(
    context: &Context,
    subject: &str,
    id: &str,
    mut headers: HeaderMap,
    payload: Bytes,
    ended: &AtomicBool,
) -> Published {
    headers.insert("Nats-Msg-Id", id);
    loop {
        let sent = context.publish_with_headers(subject.to_owned(), headers.clone(), payload.clone()).await;
        let error = match sent {
            Ok(acknowledged) => match acknowledged.await {
                Ok(_) => return Published::Stored,
                Err(error) => error,
            },
            Err(error) => error,
        };
        if is_there(&error) {
            return Published::There;
        }
        if ended.load(Ordering::Relaxed) {
            return Published::Ended;
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// Whether the server refused it as there is one already. The crate keeps the server's reason as a source.
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

//! What happens to a worker.

use std::sync::Arc;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::{Consumer, pull};

use super::run::WorkerRun;

/// An event of a worker.
pub(super) enum Event {
    /// A unit arrived.
    Unit(Box<Message>),
    /// A request for units ended, perhaps with an error.
    Pulled { wrong: bool },
    /// A run was fetched.
    Known { token: String, run: Result<Arc<WorkerRun>, String>, gone: bool },
    /// A result was stored.
    Stored(u64),
    /// The cluster's state: leases of units, and runs of other versions.
    Looked { taking: Box<Consumer<pull::Config>>, others: Vec<(String, String)> },
}

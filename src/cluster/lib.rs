//! Work shared with other machines over NATS: units on a durable stream, workers that take them, results on a second one.
//!
//! `cli/cluster/` defines what a unit is. `tests/matches/cluster.rs` kills workers and servers during runs.
//!
//! # What it does
//! Who [asks](ask) puts a run there once (a [`Manifest`], and files by their hashes) and then its units, which are
//! numbers. A worker ([`serve`]) takes units, makes of each a result, and says every second that it is still at it. What came of
//! a unit is bytes to this room: which work it is, a [`Task`] of the caller knows.
//!
//! # How
//! JetStream keeps four things, each in files of the server, so that it may be killed at any time:
//!
//! | what | where | for how long |
//! |---|---|---|
//! | units | the stream `GGP-UNITS`, `ggp.unit.VERSION.RUN.NUMBER` | until a worker has done them |
//! | results | the stream `GGP-RESULTS`, `ggp.result.RUN.done` or `.failed` | until the run is over |
//! | runs, workers, tries | the buckets `ggp-runs`, `ggp-workers`, `ggp-tries` | runs 30 days, workers 30 s |
//! | files | the object store `ggp-files`, by their SHA-256 | 30 days |
//!
//! # Guarantee
//! A unit is given to another worker when its worker has said nothing for a while. What is published is published again
//! until the server says that it is stored, with the same message id; a unit that is on the stream already is refused by the
//! server; and of several results of a unit the first counts. A unit that was begun so many times in vain is given up and
//! told with its error. The subject names the version of the program, so that no worker takes units of another one.
//!
//! Masters that let workers search ([`Link`]) ask and are answered by plain messages, which nobody keeps.
//!
//! # Cost
//! A round trip to the server is some 50 to 100 microseconds; workers take short units several at a time.
//!
//! # Example
//! `ggp tournament … --cluster nats://localhost:4222` and `ggp worker --cluster nats://localhost:4222`.
//!
//! # Source
//! <https://docs.nats.io/nats-concepts/jetstream>

use ggp_rules::gdl;

mod address;
mod ask;
mod error;
mod link;
mod manifest;
mod publish;
mod results;
mod serve;
mod session;
mod status;
mod streams;
mod task;
mod worker_state;

pub use address::Address;
pub use ask::{Asking, Ended, Order, ask};
pub use error::ClusterError;
pub use link::{Letter, Link, Session};
pub use manifest::{Manifest, RunState};
pub use serve::{Hands, serve};
pub use status::{ClusterStatus, RunStatus, status};
pub use task::{Done, Fault, Files, Question, Searches, Task, Tasks};
pub use worker_state::WorkerState;

/// The version of this program as a cluster knows it: with a hash of what it was built from, as two builds of one version may
/// give different results.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("GGP_SOURCES"));

//! Distributes work over NATS: units on a durable stream, workers that process them, and results on a second stream.
//!
//! `cli/cluster/` defines what a unit is. `tests/matches/cluster.rs` kills workers and servers during runs.
//!
//! # Overview
//! A master ([`run`]) publishes a run once: a [`Manifest`] and the files it refers to by their hashes. Then it publishes the
//! units of the run, which are numbers. A worker ([`serve`]) takes units, makes a result of each, and sends a heartbeat
//! every second. This crate treats results as bytes; a [`Task`] of the caller defines the work.
//!
//! # Storage
//! JetStream stores four things in files of the server, so that the server may be killed at any time:
//!
//! | what | where | for how long |
//! |---|---|---|
//! | units | the stream `GGP-UNITS`, `ggp.unit.VERSION.RUN.NUMBER` | until a worker has done them |
//! | results | the stream `GGP-RESULTS`, `ggp.result.RUN.done` or `.failed` | until the run is over |
//! | runs, workers, attempts | the buckets `ggp-runs`, `ggp-workers`, `ggp-tries` | runs 30 days, workers 15 s |
//! | files | the object store `ggp-files`, by their SHA-256 | 30 days |
//!
//! # Guarantees
//! A unit is redelivered to another worker if its worker sends no heartbeat for the time of its lease. Every message is
//! published again with the same message id until the server acknowledges it. The server refuses a second copy of a unit
//! that is on the stream. If a unit has several results, the first counts. A unit that fails too many attempts is given up,
//! and its error is reported. The subject of a unit contains the version of the program, so workers of other versions never
//! take it.
//!
//! Masters whose searches run on workers ([`Link`]) use plain messages, which are not stored.
//!
//! # Cost
//! A round trip to the server takes 50 to 100 microseconds. Workers take several short units at a time.
//!
//! # Example
//! `ggp tournament … --cluster nats://localhost:4222` and `ggp worker --cluster nats://localhost:4222`.
//!
//! # Source
//! <https://docs.nats.io/nats-concepts/jetstream>

use ggp_rules::gdl;

mod address;
mod connection;
mod error;
mod link;
mod manifest;
mod master;
mod publish;
mod results;
mod status;
mod streams;
mod task;
mod worker;
mod worker_state;

pub use address::Address;
pub use error::ClusterError;
pub use link::{Link, MessageKind, Session};
pub use manifest::{Manifest, RunState};
pub use master::{RunOutcome, RunRequest, UnitSource, run};
pub use status::{ClusterStatus, RunStatus, status};
pub use task::{Files, Question, Searches, Task, Tasks, UnitError, UnitResult};
pub use worker::{WorkerSettings, serve};
pub use worker_state::WorkerState;

/// The version of this program in a cluster. It includes a hash of the sources, because two builds of one version may give
/// different results.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("GGP_SOURCES"));

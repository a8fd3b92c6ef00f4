//! Matches: players, tournaments, match managers and the protocol. Each module tests one property.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod arena;
#[cfg(feature = "cluster")]
mod cluster;
mod host;
#[path = "../shared/lines.rs"]
mod lines;
#[cfg(feature = "cluster")]
#[path = "../shared/nats.rs"]
mod nats;
mod own_player;
mod percepts;
mod players;
mod protocol;
mod records;
#[cfg(feature = "cluster")]
mod remote;
mod serve;
mod tournament;
#[path = "../shared/waiting.rs"]
mod waiting;
mod wire;

/// Lists the tests of clusters as ignored in a build without the feature.
#[cfg(not(feature = "cluster"))]
#[test]
#[ignore = "without the feature `cluster` none of the tests of clusters is compiled: cargo test --features cluster"]
fn cluster() {}

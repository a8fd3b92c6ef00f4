//! Players and who manages them: matches, tournaments, the protocol.
//! A module for each promise.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod arena;
#[cfg(feature = "cluster")]
mod cluster;
mod host;
#[cfg(feature = "cluster")]
#[path = "../shared/nats.rs"]
mod nats;
mod percepts;
mod players;
mod protocol;
mod records;
#[cfg(feature = "cluster")]
mod remote;
mod serve;
mod tournament;
mod wire;

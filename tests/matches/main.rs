//! Players and who manages them: matches, tournaments, the protocol.
//! A module for each promise.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod arena;
mod host;
mod players;
mod protocol;
mod serve;
mod tournament;
mod wire;

//! Searches: their moves, values, proofs and visited states. Each module tests one property.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

#[path = "../shared/lines.rs"]
mod lines;
#[path = "../shared/sampled.rs"]
mod sampled;

mod certificates;
mod chance;
mod clock;
mod ensemble;
mod frontier;
mod leaves_per_pass;
mod maxn;
mod mixed;
mod novelty;
mod parts;
mod search;
mod signature;
mod single_player;
mod solve;
mod threads;
mod uct;

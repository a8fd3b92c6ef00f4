//! Proofs that a role can force a value, or that it can't.
//!
//! # What it does
//! Finds the value that each role can guarantee. The game must have a lane program, its sides must move alternately,
//! and no state may repeat.
//!
//! # How
//! A depth-first search to the end of the game decides whether the value is at least a threshold (`search.rs`). The
//! first threshold is the middle goal value. The table stores an upper and a lower bound of each state, so searches for
//! different thresholds share it (`bounds_table.rs`).
//!
//! Before a child of a state is visited, all replies to all children are played in one pass of lanes. A child in which
//! a reply wins immediately is therefore never visited. Children are ordered by how often moves with the same effect
//! refuted the previous move (`success_rates.rs`).
//!
//! Each proof is a strategy, and the search records the goal values of all terminal states that it allows. In most
//! games these imply the values of the other roles (`seen_ends.rs`). Otherwise the values of those roles are searched
//! for.
//!
//! # Guarantee
//! Sound: a bound follows from terminal states alone, never from an estimate. The prover gives up if both sides have a
//! choice in one state, or if a state repeats on the path from the root.
//!
//! # Cost
//! Exponential in the length of the game. The table bounds the memory. `reports/solving.md` has measurements.
//!
//! # Source
//! Allis 1994, on solving games by two-valued questions; Plaat, Schaeffer, Pijls and de Bruin 1996 (MTD).

mod bounds;
mod bounds_table;
mod prover;
mod search;
mod seen_ends;
mod success_rates;

pub(super) use prover::{Progress, Prover};

#[cfg(test)]
mod tests;

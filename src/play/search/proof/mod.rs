//! Proofs that a role can force a value, or that it can't.
//!
//! # What it does
//! Finds the value that each role can guarantee, in games in lanes whose sides move one after the other and in which play
//! can't repeat a state.
//!
//! # How
//! A search asks whether the value is at least a threshold: depth first to the ends, without a horizon (`search.rs`). The
//! first threshold is the middle goal value. The table stores an upper and a lower bound of each state, so searches for
//! different thresholds share it (`bounds_table.rs`).
//!
//! Before a child of a state is visited, all replies to all children are played in one pass of lanes. A child to which
//! a reply wins at once is thus never visited. Children are ordered by how often moves with the same effect refuted the move
//! before (`success_rates.rs`).
//!
//! Each proof is a strategy whose ends were all seen. In most games they imply the values of the other roles
//! (`seen_ends.rs`). Otherwise another search follows.
//!
//! # Guarantee
//! Sound: a bound follows from ends alone. The prover gives up if both sides have a choice in one state, or if a state
//! repeats on the path from the root.
//!
//! # Cost
//! Exponential in the length of the game. Memory is that of the table. `reports/solving.md` has measurements.
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

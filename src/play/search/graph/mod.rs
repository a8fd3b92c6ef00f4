//! All states that can be reached, once each, as a graph: for games small enough, values without a horizon.
//!
//! # What it does
//! Finds the shortest way to the best end of a game for one, and what each role of a game for several can be sure of.
//!
//! # How
//! States are found ply by ply from the first one, many at a time in lanes, and kept as their bits without those of the
//! clock: a state with more or less time left is one state. Values go backwards: over the steps of the clock, from the
//! last one on; in a game without a clock, over the states, each after its children.
//!
//! # Guarantee
//! Exact. It gives up, and says why, where memory or another limit is passed, where the game has no network, and where
//! play can go round in a circle and several roles take part.
//!
//! # Cost
//! Every state is expanded once; a link takes 4 bytes, a state its bits and about 30.
//!
//! # Source
//! Breadth-first search (Moore 1959); backward induction (Zermelo 1913), as for endgame databases (Bellman 1965; Thompson 1986).

mod backward;
mod breadth;
mod explore;
mod line;
mod score;
mod states;
mod values;

pub(super) use breadth::shortest;
pub(super) use explore::GraphError;
pub(super) use values::Values;

#[cfg(test)]
mod tests;

//! All reachable states as a graph: exact values without a horizon, for small games.
//!
//! # What it does
//! Finds the shortest plan to the best end of a single-player game, and the value that each role of another game can
//! guarantee. `count.rs` counts the states by depth; there the clock is part of a state.
//!
//! # How
//! States are found ply by ply from the first one, many at a time in lanes. They are stored without the bits of the
//! clock, so states that differ only in the time left are one state. With `classes`, images of a state are one state as
//! well: the first one that was found. Values are computed backwards: over the steps of the
//! clock from the last one, or without a clock over the states, each after its children.
//!
//! # Guarantee
//! Exact. The search gives up with a reason if it reaches a limit, if the game has no network, or if a game for several
//! roles can repeat a state.
//!
//! # Cost
//! Every state is expanded once. A link takes 4 bytes, a state its bits and about 30 bytes.
//!
//! # Source
//! Breadth-first search (Moore 1959); backward induction (Zermelo 1913), as for endgame databases (Bellman 1965; Thompson 1986).

mod backward;
mod breadth;
mod classes;
mod count;
mod explore;
mod line;
mod policy;
mod score;
mod states;
mod values;

pub(super) use breadth::shortest;
pub(super) use classes::Classes;
pub use count::{CountEnd, DepthCount, StateCount, count_states};
pub(super) use explore::{GraphError, first_states, list_joint_moves};
pub(super) use policy::Policy;
pub(super) use values::Values;

#[cfg(test)]
mod tests;

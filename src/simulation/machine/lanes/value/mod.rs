//! Values of states in lanes: weighted sums over what holds, in fixed point, and what is made of the sums.
//!
//! A sum has a weight for every atom (a fact, a legal move, some of these together). Its weights are whole multiples of
//! a power of two, so that lanes add them up as integers, bit by bit (`sums`), and any other way of adding gives the
//! same number. Weights that are none are rounded first, see [`Sum::rounded`].
//!
//! What is no sum can stand in a sum's place as a [`BlockFunction`].
//!
//! `block` has the interface of such functions, and `gather` packs the lanes that they need side by side.
//! `valuer` values states that are in lanes, `state_valuer` given states. How a function is computed in lanes
//! is part of its `Measure` (`feature/measure.rs`). `tests/analysis/in_lanes.rs` compares the values with those
//! of one state at a time.

mod block;
pub(super) mod compiled_sums;
mod gather;
mod lane_value;
mod state_valuer;
mod sum;
mod sums;
mod valuer;

pub use block::{BlockEvaluator, BlockFunction, STATES};
pub use lane_value::LaneValue;
pub use state_valuer::StateValuer;
pub use sum::{Atom, ROUNDING, Sum, adders, rounded_constant};
pub use valuer::LaneValuer;

//! Evaluation of states in lanes: weighted sums over atoms in fixed point, and functions of these sums.
//!
//! A sum has a weight for every atom (a fact, a legal move, or a combination of these). Weights are multiples of a power of
//! two, so lanes add them as bit-sliced integers (`sums`), and every other order of addition gives the same number. Other
//! weights are rounded first, see [`Sum::rounded`].
//!
//! A [`BlockFunction`] replaces a sum for functions that are not sums.
//!
//! `block` has the interface of such functions, and `compress` packs the lanes that they need. `valuer` evaluates states in
//! lanes, `state_valuer` evaluates given states. The `Measure` of a function (`feature/measure.rs`) has
//! its form for lanes. `tests/analysis/lane_values.rs` compares the values with those of one state at a time.

mod block;
pub(super) mod compiled_sums;
mod compress;
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

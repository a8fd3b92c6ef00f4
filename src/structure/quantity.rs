//! Quantities.
//!
//! # What it finds
//! Fluents that have one value at a time, for each of their keys, from a domain that a successor relation
//! orders: points, coins, the size of a heap. Counters are none, nor are fluents that don't depend on play.
//!
//! # How
//! The split of a fluent's arguments must leave one output, no key has two values in a sampled state and every
//! key ever seen has one in the initial state, two playouts must have different values at the same step, and the
//! rules must compare or change the value through a successor relation (see [`axis`](super::axis)). A value that
//! determines its key as well is a name rather than an amount, where there are three keys or more. A fluent of
//! two or more keys that are coordinates is a board with an ordered content instead.
//!
//! # Guarantee
//! An estimate: a state with two values may not have been seen.
//!
//! # Cost
//! None beyond the split.
//!
//! # Example
//! `(points ?role ?n)` with `(succ ?n ?m)` where it grows: key 1, value 2, order `succ/2`.
//!
//! # Source
//! Kuhlmann, Dresner and Stone 2006; Schiffel and Thielscher 2007.

use super::course::Course;
use super::fluents::{FactTable, Mask, all_positions, positions};

/// Fewest keys with different values in every state for the values to be names.
const NAMES: usize = 3;

/// The keys and the position of the value, with the successor relation that orders it, if a fluent relation is
/// a quantity. `orders` gives the successor relation of each argument.
pub fn detect(table: &FactTable, course: &Course, orders: &[Option<usize>]) -> Option<(Mask, usize, usize)> {
    if !course.varies || table.is_empty() {
        return None;
    }
    let full = all_positions(table.arity());
    let keys = table.keys();
    let values = positions(full).filter_map(|position| Some((position, orders[position]?)));
    let fitting = values.filter(|&(position, _)| {
        let key = full & !(1 << position);
        let name = keys.contains(&(1 << position)) && table.projected(key).len() >= NAMES;
        let smallest = !keys.iter().any(|&other| smaller(other, key));
        keys.contains(&key) && table.full_at_first(key) && smallest && !name
    });
    fitting
        .min_by_key(|&(position, _)| position)
        .map(|(position, order)| (full & !(1 << position), position, order))
}

fn smaller(other: Mask, key: Mask) -> bool {
    other != key && other & key == other
}

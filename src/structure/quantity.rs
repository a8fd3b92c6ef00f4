//! Quantities.
//!
//! # What it finds
//! Fluents that have one value at a time, for each of their keys, from a domain that a successor relation
//! orders: points, coins, the size of a heap. Counters are none, nor are fluents that don't depend on play.
//!
//! # How
//! The split of a fluent's arguments must leave one output, no key has two values in a sampled state and every
//! key ever seen has one in the initial state, two playouts must have different values at the same step, and the
//! rules must compare or change the value through a successor relation (see [`axis`](super::axis)). Values that
//! are the keys in another arrangement (which tile is where) are names rather than amounts. A fluent of two or
//! more keys that are coordinates is a board with an ordered content instead.
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
use super::fluents::{Among, FactTable, Mask, all_positions, positions};

/// The keys and the position of the value, with the successor relation that orders it, if a fluent relation is
/// a quantity. `orders` gives the successor relation of each argument.
pub fn detect(table: &FactTable, course: &Course, orders: &[Option<usize>]) -> Option<(Mask, usize, usize)> {
    if !course.varies || table.is_empty() {
        return None;
    }
    let full = all_positions(table.arity());
    let keys = table.keys(Among::All);
    let values = positions(full).filter_map(|position| Some((position, orders[position]?)));
    let fitting = values.filter(|&(position, _)| {
        let key = full & !(1 << position);
        let names = keys.contains(&(1 << position)) && is_arrangement(table, key, position);
        let smallest = !keys.iter().any(|&other| smaller(other, key));
        keys.contains(&key) && table.full_at_first(key) && smallest && !names
    });
    fitting
        .min_by_key(|&(position, _)| position)
        .map(|(position, order)| (full & !(1 << position), position, order))
}

/// Whether an argument of the keys has no other values than the value has.
fn is_arrangement(table: &FactTable, key: Mask, value: usize) -> bool {
    let values = table.values(value);
    positions(key).any(|position| table.values(position).iter().all(|term| values.contains(term)))
}

fn smaller(other: Mask, key: Mask) -> bool {
    other != key && other & key == other
}

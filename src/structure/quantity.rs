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

use super::argument::ArgumentPosition;
use super::detector::{Detector, Game};
use super::finding::{FluentFinding, FluentKind, Method, Quantity};
use super::fluents::{Among, FactTable, Mask, all_positions, positions};
use super::found::{Found, arguments};
use super::samples::Samples;
use super::split::grid;
use super::trajectory::Trajectory;
use crate::catalog_entry;

catalog_entry!(QuantityDetector, "quantity", "Quantities", "Schiffel and Thielscher 2007");

impl Detector for QuantityDetector {
    fn needs(&self) -> &'static [&'static str] {
        &["successor", "axis", "counter", "control"]
    }

    fn look<'g>(&self, game: &Game<'g>, samples: &Samples<'_>, found: &mut Found<'g>) {
        let Found { successors, fluents, usage, .. } = found;
        for fluent in fluents.iter_mut().filter(|fluent| fluent.is_open()) {
            let (table, trajectory) = (&samples.facts[fluent.number], samples.trajectories.of(fluent.number));
            let Some((key, value, successor)) = detect(table, trajectory, &fluent.orders) else { continue };
            let (roles, split) = fluent.split(usage, table, trajectory);
            if split.kind == FluentKind::Board && grid(table, roles, key) {
                continue;
            }
            let order = successors[successor].relation;
            let keys = if key == 0 { 1 } else { table.projected(key).len() };
            let because = format!(
                "one value at a time for each of {keys} keys, ordered by {}, different between playouts at the same \
                 step",
                game.description().signature(order)
            );
            fluent.finding = Some(FluentFinding {
                inputs: arguments(key),
                outputs: vec![ArgumentPosition::at(value)],
                quantity: Some(Quantity { order }),
                evidence: samples.extent.evidence(&[Method::Syntax], because),
                ..fluent.of_kind(FluentKind::Quantity, split)
            });
        }
    }
}

/// The keys and the position of the value, with the successor relation that orders it, if a fluent relation is
/// a quantity. `orders` gives the successor relation of each argument.
pub fn detect(
    table: &FactTable,
    trajectory: &Trajectory,
    orders: &[Option<usize>],
) -> Option<(Mask, usize, usize)> {
    if !trajectory.varies || table.is_empty() {
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

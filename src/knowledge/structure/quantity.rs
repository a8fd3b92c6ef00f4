//! Quantities.
//!
//! # What it finds
//! Fluents that have one value at a time, for each of their keys, from a domain that a successor relation
//! orders: points, coins, the size of a heap. Counters are not quantities, nor are fluents that don't
//! depend on play.
//!
//! # How
//! The split of a fluent's arguments must leave one output. No key has two values in a sampled state, and
//! every key ever seen has one in the initial state. Two playouts must have different values at the same
//! step. The rules must compare or change the value through a successor relation or another chain (see
//! [`axis`](super::axis)). Values that are a permutation of the keys (which tile is where) are names, not
//! amounts. A fluent with two or more keys that are coordinates is a board with an ordered content instead.
//!
//! If the rules compute the next value from the current one, a key may lack a value at first. The one value
//! of a fluent with one fact at a time may also be bound to another output: which role leads, and by how
//! much. Values that only terminal states have are quantities as well.
//!
//! # Guarantee
//! An estimate: the sample may lack a state with two values.
//!
//! # Cost
//! No cost beyond the split.
//!
//! # Example
//! `(points ?role ?n)` with `(succ ?n ?m)` where it grows: key 1, value 2, order `succ/2`.
//!
//! # Source
//! Kuhlmann, Dresner and Stone 2006; Schiffel and Thielscher 2007.

use super::argument::ArgumentPosition;
use super::detector::{Detector, Game};
use super::finding::{FluentFinding, FluentKind, Method, Quantity};
use super::findings::{Findings, arguments};
use super::fluents::{FactTable, Mask, StateScope, all_positions, positions};
use super::presence::Presence;
use super::reason::Reason;
use super::samples::Samples;
use super::split::{ArgumentUse, is_grid};
use super::trajectory::Trajectory;
use crate::catalog_entry;

catalog_entry!(QuantityDetector, "quantity", "Quantities", "Schiffel and Thielscher 2007");

impl Detector for QuantityDetector {
    fn needs(&self) -> &'static [&'static str] {
        &["successor", "axis", "counter", "control"]
    }

    fn read_samples<'g>(&self, _game: &Game<'g>, samples: &Samples<'_>, findings: &mut Findings<'g>) {
        let Findings { chains, fluents, usage, .. } = findings;
        for fluent in fluents.iter_mut().filter(|fluent| fluent.is_open()) {
            let (table, trajectory) = (&samples.facts[fluent.number], samples.trajectories.of(fluent.number));
            let (roles, split) = fluent.split(usage, table);
            let Some(values) = detect(table, trajectory, &fluent.orders, roles) else { continue };
            let ValueArgument { key, value, chain, presence } = values;
            if split.kind == FluentKind::Board && is_grid(table, roles, key) {
                continue;
            }
            let keys = if key == 0 { 1 } else { table.project(key).len() };
            let reason = Reason::ValueOfPlay { presence, keys, order: chains[chain].relation };
            let value = ArgumentPosition::at(value);
            let bound = arguments(all_positions(table.arity()) & !key);
            let bound = bound.into_iter().filter(|&argument| argument != value);
            fluent.finding = Some(FluentFinding {
                inputs: arguments(key),
                outputs: std::iter::once(value).chain(bound).collect(),
                quantity: Some(Quantity { value, order: chains[chain].ordered_by(), presence }),
                evidence: samples.extent.evidence(&[Method::Syntax], reason),
                ..fluent.of_kind(FluentKind::Quantity, split)
            });
        }
    }
}

/// The argument of a fluent that has a quantity's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ValueArgument {
    key: Mask,
    /// The argument, from 0.
    value: usize,
    /// The index of the chain that orders it.
    chain: usize,
    presence: Presence,
}

/// The keys and the value argument, if a fluent relation is a quantity. `orders` has the chain of each
/// argument.
fn detect(
    table: &FactTable,
    trajectory: &Trajectory,
    orders: &[Option<usize>],
    roles: &[ArgumentUse],
) -> Option<ValueArgument> {
    if !trajectory.varies || table.is_empty() {
        return None;
    }
    let full = all_positions(table.arity());
    let keys = table.keys(StateScope::All);
    let of = |value: usize, chain: usize| {
        let others = full & !(1 << value);
        let inside = keys.iter().copied().filter(|&key| key & !others == 0);
        let key = inside.min_by_key(|&key| (key.count_ones(), key))?;
        // A computed value is an amount, even if it appears late or together with another output.
        let computed = roles[value].computed;
        let presence = match table.full_at_first(key) {
            true => Presence::FromStart,
            false if table.is_only_at_end() => Presence::AtEnd,
            false if computed => Presence::Sometimes,
            false => return None,
        };
        // An object with two ordered coordinates moves; it is not an amount.
        let bound = || positions(others & !key).all(|other| orders[other].is_none());
        let alone = key == others || (key == 0 && computed && bound());
        let names = keys.contains(&(1 << value)) && is_arrangement(table, key, value);
        (alone && !names).then_some(ValueArgument { key, value, chain, presence })
    };
    positions(full).find_map(|value| of(value, orders[value]?))
}

/// Whether some key argument only has values that the value argument has as well.
fn is_arrangement(table: &FactTable, key: Mask, value: usize) -> bool {
    let values = table.values(value);
    positions(key).any(|position| table.values(position).iter().all(|term| values.contains(term)))
}

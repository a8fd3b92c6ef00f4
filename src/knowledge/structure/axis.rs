//! Axes.
//!
//! # What it finds
//! For an argument of a fluent (a coordinate of a board or place, the value of a quantity) the successor
//! relation, or else another chain, that orders it.
//!
//! # How
//! The rules tell which chains the argument is compared through (see [`Usage`]). Of those that have every value
//! seen at the argument, successor relations go first, then the one nearest in the rules; of several that are
//! equally near the one used in most places, then the one whose direction other chains share (a relation and its
//! reverse are often used side by side), then ground facts before derived ones, then the one used more in all the
//! rules. The chain may reach beyond the values seen: borders often do.
//!
//! # Guarantee
//! Sound for the states seen; another relation over the same values may be what a reader would name.
//!
//! # Cost
//! One search through the readers of the fluent in the rules.
//!
//! # Example
//! `(true (cell ?x1 ?y ?w)) (succ ?x1 ?x2) (true (cell ?x2 ?y ?w))` orders the first argument by `succ/2`.
//!
//! # Source
//! Ordered boards: Kuhlmann, Dresner and Stone 2006.

use std::cmp::Reverse;

use super::detector::{Detector, Game};
use super::fluent_relations::FluentRelation;
use super::fluents::FactTable;
use super::found::Found;
use super::known::Chained;
use super::samples::Samples;
use super::usage::Usage;
use crate::catalog_entry;

catalog_entry!(
    AxisDetector,
    "axis",
    "The order of coordinates and values",
    "Kuhlmann, Dresner and Stone 2006"
);

impl Detector for AxisDetector {
    fn needs(&self) -> &'static [&'static str] {
        &["successor", "order", "chain"]
    }

    fn look<'g>(&self, _game: &Game<'g>, samples: &Samples<'_>, found: &mut Found<'g>) {
        let Found { usage, chains, fluents, .. } = found;
        for fluent in fluents {
            let table = &samples.facts[fluent.number];
            let order = |argument| detect(usage, chains, fluent.relation, argument, table);
            fluent.orders = (0..fluent.relation.arity).map(order).collect();
        }
    }
}

/// The chain, by its position among those found, that orders an argument (counted from 0).
pub fn detect(
    usage: &Usage<'_>,
    chains: &[Chained],
    fluent: FluentRelation,
    argument: usize,
    table: &FactTable,
) -> Option<usize> {
    let values = table.values(argument);
    if values.is_empty() {
        return None;
    }
    let uses = usage.compared(fluent.name, fluent.arity, argument);
    let fitting = uses.into_iter().filter(|(index, _)| chains[*index].chain.covers(values.iter().copied()));
    let best = fitting.min_by_key(|&(index, used)| {
        let base = &chains[index];
        let agreement: i64 = chains.iter().map(|other| base.chain.agreement(&other.chain)).sum();
        let preference = (base.is_derived(), Reverse(base.preference));
        (!base.is_successor(), used.distance, Reverse(used.places), Reverse(agreement), preference, index)
    });
    best.map(|(index, _)| index)
}

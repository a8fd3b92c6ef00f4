//! Axes.
//!
//! # What it finds
//! The successor relation or other chain that orders an argument of a fluent: a coordinate of a board or
//! place, or the value of a quantity.
//!
//! # How
//! The rules show through which chains the argument is compared (see [`Usage`]). A chain qualifies if it
//! contains every value seen at the argument; it may contain more, as borders often do. Among these,
//! successor relations come first, then the chain nearest in the rules. Further ties are broken by, in this
//! order: the number of uses at this argument, agreement with the direction of other chains (a relation and
//! its reverse often occur together), ground facts before derived ones, and the number of uses in all
//! rules.
//!
//! # Guarantee
//! Sound for the states seen; a reader might name another relation over the same values.
//!
//! # Cost
//! One search through the rules that read the fluent.
//!
//! # Example
//! `(true (cell ?x1 ?y ?w)) (succ ?x1 ?x2) (true (cell ?x2 ?y ?w))` orders the first argument by `succ/2`.
//!
//! # Source
//! Ordered boards: Kuhlmann, Dresner and Stone 2006.

use std::cmp::Reverse;

use super::detector::{Detector, Game};
use super::findings::Findings;
use super::fluent_relations::FluentRelation;
use super::fluents::FactTable;
use super::samples::Samples;
use super::static_relations::DetectedChain;
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

    fn read_samples<'g>(&self, _game: &Game<'g>, samples: &Samples<'_>, findings: &mut Findings<'g>) {
        let Findings { usage, chains, fluents, .. } = findings;
        for fluent in fluents {
            let table = &samples.facts[fluent.number];
            let order = |argument| detect(usage, chains, fluent.relation, argument, table);
            fluent.orders = (0..fluent.relation.arity).map(order).collect();
        }
    }
}

/// The index of the chain that orders an argument (counted from 0).
pub fn detect(
    usage: &Usage<'_>,
    chains: &[DetectedChain],
    fluent: FluentRelation,
    argument: usize,
    table: &FactTable,
) -> Option<usize> {
    let values = table.values(argument);
    if values.is_empty() {
        return None;
    }
    let uses = usage.chains_of(fluent.name, fluent.arity, argument);
    let fitting = uses.into_iter().filter(|(index, _)| chains[*index].chain.covers(values.iter().copied()));
    let best = fitting.min_by_key(|&(index, used)| {
        let base = &chains[index];
        let agreement: i64 = chains.iter().map(|other| base.chain.agreement(&other.chain)).sum();
        let preference = (base.is_derived(), Reverse(base.preference));
        (!base.is_successor(), used.distance, Reverse(used.places), Reverse(agreement), preference, index)
    });
    best.map(|(index, _)| index)
}

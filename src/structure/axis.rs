//! Axes.
//!
//! # What it finds
//! For an argument of a fluent (a coordinate of a board or place, the value of a quantity) the successor
//! relation that orders it.
//!
//! # How
//! The rules tell which successor relations the argument is compared through (see [`Usage`]). Of those whose
//! chain has every value seen at the argument, the one nearest in the rules is taken; of several that are
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
use super::finding::Method;
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
        &["successor", "order"]
    }

    fn look<'g>(&self, _game: &Game<'g>, samples: &Samples<'_>, found: &mut Found<'g>) {
        let Found { usage, successors, fluents, .. } = found;
        for fluent in fluents {
            let table = &samples.facts[fluent.number];
            let order = |argument| detect(usage, successors, fluent.relation, argument, table);
            fluent.orders = (0..fluent.relation.arity).map(order).collect();
        }
    }
}

/// The successor relation, by its position among those found, that orders an argument (counted from 0).
pub fn detect(
    usage: &Usage<'_>,
    successors: &[Chained],
    fluent: FluentRelation,
    argument: usize,
    table: &FactTable,
) -> Option<usize> {
    let values = table.values(argument);
    if values.is_empty() {
        return None;
    }
    let uses = usage.compared(fluent.name, fluent.arity, argument);
    let fitting =
        uses.into_iter().filter(|(index, _)| successors[*index].chain.covers(values.iter().copied()));
    let best = fitting.min_by_key(|&(index, used)| {
        let base = &successors[index];
        let agreement: i64 = successors.iter().map(|other| base.chain.agreement(&other.chain)).sum();
        let derived = !base.finding.evidence.methods.contains(&Method::Syntax);
        let preference = Reverse(base.preference);
        (used.distance, Reverse(used.places), Reverse(agreement), derived, preference, index)
    });
    best.map(|(index, _)| index)
}

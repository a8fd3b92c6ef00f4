//! Cycles.
//!
//! # What it finds
//! Static relations whose facts form cycles of three or more elements, such as compass directions or the cells of a ring,
//! and the coordinates that they give neighbours to. A cycle has neither a first nor a last element, so its coordinates
//! are not compared.
//!
//! # How
//! All facts of every static binary relation are enumerated, and those of relations with more arguments as the rules ask
//! for them with all but two fixed. Every element must have one successor and one predecessor. An argument has a cycle
//! for its axis if no chain orders it, the rules lead from its values to others through the relation, and the cycle has
//! every value seen at the argument. Of several such cycles the one nearest in the rules is taken.
//!
//! # Guarantee
//! Cycles are sound: the facts of a static relation are the same in every state, and all are looked at. Relations with
//! more than 200,000 facts are left out, and more than 64 questions. Axes are sound for the states seen.
//!
//! # Cost
//! Linear in the number of facts; one search through the readers of each fluent in the rules.
//!
//! # Example
//! `(next_to north east) (next_to east south) (next_to south west) (next_to west north)`.
//!
//! # Source
//! Our own; ordered boards: Kuhlmann, Dresner and Stone 2006.

use std::cmp::Reverse;

use super::argument::ArgumentPosition;
use super::chain::{Chain, cycles};
use super::detector::{Detector, Game};
use super::evidence::without_samples;
use super::finding::{Axis, ChainShape, FluentKind, Method, OtherChain};
use super::fluent_relations::FluentRelation;
use super::fluents::FactTable;
use super::found::Found;
use super::known::{ChainFinding, Chained};
use super::other_chain::{answers, binary, questions};
use super::reason::Reason;
use super::samples::Samples;
use super::shape;
use super::successor::preference;
use super::usage::Usage;
use crate::catalog_entry;
use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;

catalog_entry!(CycleDetector, "cycle", "Cycles", "Our own");

impl Detector for CycleDetector {
    fn needs(&self) -> &'static [&'static str] {
        &["chain", "axis", "board", "line"]
    }

    fn read<'g>(&self, game: &Game<'g>, found: &mut Found<'g>) {
        let description = game.description();
        let mut all = Vec::new();
        for facts in &found.binary {
            for (elements, reason) in of(facts.relation, &facts.pairs, false) {
                all.push(binary(facts.relation, ChainShape::Cycle, elements, reason));
            }
        }
        for question in questions(description) {
            let Some(pairs) = answers(game, &question) else { continue };
            let (relation, fixed, pair) = question;
            for (elements, reason) in of(relation, &pairs, true) {
                let evidence = without_samples(&[Method::Syntax, Method::Enumeration], reason);
                let (fixed, shape) = (fixed.clone(), ChainShape::Cycle);
                all.push(OtherChain { relation, fixed, pair, shape, elements, evidence });
            }
        }
        if all.is_empty() {
            return;
        }
        let shapes = shape::relations(description);
        let chained = all.into_iter().enumerate().map(|(place, finding)| Chained {
            relation: finding.relation,
            chain: Chain::of_elements(finding.elements.clone()),
            preference: preference(description, &shapes, finding.relation),
            finding: ChainFinding::Other(place, finding),
        });
        found.cycles = chained.collect();
        found.read_cycle_usage();
    }

    fn look<'g>(&self, _game: &Game<'g>, samples: &Samples<'_>, found: &mut Found<'g>) {
        let Found { cycles, cycle_usage, fluents, .. } = found;
        if cycles.is_empty() {
            return;
        }
        for fluent in fluents {
            let (table, relation) = (&samples.facts[fluent.number], fluent.relation);
            let Some(finding) = &mut fluent.finding else { continue };
            let axis =
                |argument| axis(cycle_usage, cycles, relation, argument, table).map(Chained::ordered_by);
            let mut ordered = false;
            if finding.kind == FluentKind::Other {
                for argument in (0..relation.arity).filter(|&argument| fluent.orders[argument].is_none()) {
                    let Some(order) = axis(argument) else { continue };
                    finding.axes.push(Axis { argument: ArgumentPosition::at(argument), order: Some(order) });
                    ordered = true;
                }
            } else {
                for coordinate in finding.axes.iter_mut().filter(|axis| axis.order.is_none()) {
                    coordinate.order = axis(coordinate.argument.index());
                    ordered |= coordinate.order.is_some();
                }
            }
            if ordered && !finding.evidence.methods.contains(&Method::Syntax) {
                finding.evidence.methods.insert(0, Method::Syntax);
            }
        }
    }
}

/// The cycles of pairs, each with what it rests on.
fn of(relation: RelationId, pairs: &[(TermId, TermId)], slice: bool) -> Vec<(Vec<TermId>, Reason)> {
    let found = cycles(pairs).unwrap_or_default();
    let reason = Reason::Cycle { relation, facts: pairs.len(), slice, cycles: found.len() };
    found.into_iter().map(|elements| (elements, reason.clone())).collect()
}

/// The cycle that gives an argument (counted from 0) its neighbours.
fn axis<'c>(
    usage: &Usage<'_>,
    cycles: &'c [Chained],
    fluent: FluentRelation,
    argument: usize,
    table: &FactTable,
) -> Option<&'c Chained> {
    let values = table.values(argument);
    if values.is_empty() {
        return None;
    }
    let uses = usage.compared(fluent.name, fluent.arity, argument);
    let fitting = uses.into_iter().filter(|(index, _)| cycles[*index].chain.covers(values.iter().copied()));
    let best = fitting.min_by_key(|&(index, used)| {
        let cycle = &cycles[index];
        (used.distance, Reverse(used.places), cycle.is_derived(), Reverse(cycle.preference), index)
    });
    best.map(|(index, _)| &cycles[index])
}

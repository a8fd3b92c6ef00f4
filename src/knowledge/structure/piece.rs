//! Markers and pieces.
//!
//! # What it finds
//! What stands on a board, or has a place: a *piece* is on at most one cell at a time, a *marker* on more.
//! Each is named by its symbols in the arguments that carry it. Blank is a marker where it has facts.
//!
//! # How
//! Everything seen starts as a piece and becomes a marker for good in the first state with two facts that have
//! its symbols. What still looks like a piece after the random playouts is put to playouts that are steered
//! towards two of it, see [`falsify`](super::falsify).
//!
//! # Guarantee
//! Every marker is certain. A piece is an estimate: a state with two of it may not have been seen.
//!
//! # Cost
//! One look at each fact of every sampled state.
//!
//! # Example
//! `(cell a 1 white king)` and no other fact with `white king` in any state: a piece.
//!
//! # Source
//! Kuhlmann, Dresner and Stone 2006.

use std::cmp::Ordering;

use crate::gdl::term::TermId;
use crate::machine::Machine;

use super::argument::ArgumentPosition;
use super::detector::{Detector, Game};
use super::finding::LocatedObject;
use super::fluents::{FactTable, Mask, positions};
use super::found::Found;
use super::samples::Samples;
use crate::catalog_entry;

catalog_entry!(PieceDetector, "piece", "Markers and pieces", "Kuhlmann, Dresner and Stone 2006");

impl Detector for PieceDetector {
    fn needs(&self) -> &'static [&'static str] {
        &["board"]
    }

    fn look<'g>(&self, game: &Game<'g>, samples: &Samples<'_>, found: &mut Found<'g>) {
        for fluent in found.fluents.iter_mut().filter(|fluent| fluent.carriers != 0) {
            if let Some(finding) = &mut fluent.finding {
                (finding.markers, finding.pieces) =
                    detect(game.machine, &samples.facts[fluent.number], fluent.carriers);
            }
        }
    }
}

/// Orders terms by their structure, those that are not in the text last and by their text.
pub fn compare(machine: &dyn Machine, a: TermId, b: TermId) -> Ordering {
    let terms = &machine.description().terms;
    match (a.index() < terms.len(), b.index() < terms.len()) {
        (true, true) => terms.compare(a, b),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => machine.term_text(a).cmp(&machine.term_text(b)),
    }
}

/// Finds the markers and pieces that a set of arguments carries.
pub fn detect(
    machine: &dyn Machine,
    table: &FactTable,
    carriers: Mask,
) -> (Vec<LocatedObject>, Vec<LocatedObject>) {
    let mut found = table.projected(carriers);
    found.sort_by(|a, b| {
        let pairs = a.values.iter().zip(b.values.iter());
        pairs.map(|(&x, &y)| compare(machine, x, y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    });
    let arguments: Vec<ArgumentPosition> = positions(carriers).map(ArgumentPosition::at).collect();
    let (mut markers, mut pieces) = (Vec::new(), Vec::new());
    for projected in found {
        let object = LocatedObject {
            arguments: arguments.clone(),
            symbol: projected.values.into_vec(),
            cells: projected.facts,
            only_at_end: projected.only_at_the_end,
        };
        if projected.shared { markers.push(object) } else { pieces.push(object) }
    }
    (markers, pieces)
}

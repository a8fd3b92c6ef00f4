//! Markers and pieces.
//!
//! # What it finds
//! The objects on a board, or with a place: a *piece* is on at most one cell at a time, a *marker* can be
//! on several. Each object is named by its symbols in certain arguments. A blank is a marker if it has
//! facts.
//!
//! # How
//! Every object starts as a piece and becomes a marker in the first state with two facts that have its
//! symbols. Objects that look like pieces after the random playouts are tested in playouts that are steered
//! towards a second one, see [`steered_playouts`](super::steered_playouts).
//!
//! # Guarantee
//! Every marker is certain. A piece is an estimate: the sample may lack a state with two of it.
//!
//! # Cost
//! One check of each fact in every sampled state.
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
use super::findings::Findings;
use super::fluents::{FactTable, Mask, positions};
use super::samples::Samples;
use crate::catalog_entry;

catalog_entry!(PieceDetector, "piece", "Markers and pieces", "Kuhlmann, Dresner and Stone 2006");

impl Detector for PieceDetector {
    fn needs(&self) -> &'static [&'static str] {
        &["board"]
    }

    fn read_samples<'g>(&self, game: &Game<'g>, samples: &Samples<'_>, findings: &mut Findings<'g>) {
        for fluent in findings.fluents.iter_mut().filter(|fluent| fluent.carriers != 0) {
            if let Some(finding) = &mut fluent.finding {
                (finding.markers, finding.pieces) =
                    detect(game.machine, &samples.facts[fluent.number], fluent.carriers);
            }
        }
    }
}

/// Orders terms by their structure; terms that are not in the description come last, by their text.
pub fn compare(machine: &dyn Machine, a: TermId, b: TermId) -> Ordering {
    let terms = &machine.description().terms;
    match (a.index() < terms.len(), b.index() < terms.len()) {
        (true, true) => terms.compare(a, b),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => machine.term_text(a).cmp(&machine.term_text(b)),
    }
}

/// Finds the markers and pieces that a set of arguments names.
pub fn detect(
    machine: &dyn Machine,
    table: &FactTable,
    carriers: Mask,
) -> (Vec<LocatedObject>, Vec<LocatedObject>) {
    let mut found = table.project(carriers);
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
            only_at_end: projected.only_at_end,
        };
        if projected.shared { markers.push(object) } else { pieces.push(object) }
    }
    (markers, pieces)
}

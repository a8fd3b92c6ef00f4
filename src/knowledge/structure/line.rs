//! Lines and graphs of cells.
//!
//! # What it finds
//! Boards that are not a grid of coordinates. *Lines*: one coordinate determines the contents of a cell.
//! *Graphs*: cells that a static relation connects, such as hexagons or the points of a web. Boards with
//! two or more coordinates, none of them ordered, get the name of such a relation as well.
//!
//! # How
//! Candidates are unclassified fluents with one argument that determines the others. A candidate is a line
//! if the argument is ordered and the contents are neither ordered nor cells, or if it is a row of cells
//! (see [`board`](super::board)). It is a graph if a static relation connects the cells. Rules must join
//! the relation with atoms that depend on the state. Nine of ten of its facts must join two cells, eight of
//! ten cells must be joined, and none to more than a few others. One more argument of that relation may
//! give the direction. Roles are not cells. The objects on a row of cells are reported as markers and
//! pieces, all others as contents.
//!
//! # Guarantee
//! An estimate, as for boards. Relations with more than 50,000 facts are left out, and the search ends
//! after a million facts over all arrangements of arguments.
//!
//! # Cost
//! Linear in the facts of static relations, for each fluent with cells.
//!
//! # Example
//! `(true (on ?cell ?piece)) (next_to ?cell ?other)`: a graph, connected by `next_to/2`.
//!
//! # Source
//! Boards of any number of dimensions: Kuhlmann, Dresner and Stone 2006.

use std::cell::OnceCell;

use crate::catalog_entry;

use super::adjacency::{candidates, detect};
use super::argument::ArgumentPosition;
use super::board::names_roles;
use super::detector::{Detector, Game};
use super::finding::{Axis, FluentKind};
use super::findings::Findings;
use super::fluents::Mask;
use super::piece;
use super::samples::Samples;

/// Fewest cells.
const SHORTEST: usize = 3;

catalog_entry!(LineDetector, "line", "Lines and graphs of cells", "Kuhlmann, Dresner and Stone 2006");

impl Detector for LineDetector {
    fn needs(&self) -> &'static [&'static str] {
        &["board", "piece"]
    }

    fn read_samples<'g>(&self, game: &Game<'g>, samples: &Samples<'_>, findings: &mut Findings<'g>) {
        let Findings { chains, orders, partial_orders, fluents, .. } = findings;
        let relations = OnceCell::new();
        let relations =
            || relations.get_or_init(|| candidates(game.description(), chains, orders, partial_orders));
        for fluent in fluents {
            let table = &samples.facts[fluent.number];
            let (orders, has_contents) = (&fluent.orders, fluent.carriers != 0);
            let Some(finding) = &mut fluent.finding else { continue };
            let is_ordered = |argument: &ArgumentPosition| orders[argument.index()].is_some();
            let loose = finding.kind == FluentKind::Board && !finding.inputs.iter().any(is_ordered);
            let single = finding.kind == FluentKind::Other
                && finding.inputs.len() == 1
                && !finding.outputs.is_empty()
                && finding.stamp.is_none()
                && table.constant().is_none();
            if !loose && !single || single && names_roles(game, table, &finding.inputs) {
                continue;
            }
            let key = mask(&finding.inputs);
            let cells = table.project(key);
            if cells.len() < SHORTEST {
                continue;
            }
            let cells = cells.into_iter().map(|projected| projected.values).collect();
            let adjacency = detect(game, relations(), &cells);
            if loose {
                finding.adjacency = adjacency;
                continue;
            }
            let (cell, amounts) = (finding.inputs[0], finding.outputs.iter().any(is_ordered));
            let order = orders[cell.index()].map(|chain| chains[chain].ordered_by());
            // Objects stacked on each other have no cells.
            let on_each_other = finding.outputs.iter().any(|output| {
                let (values, cells) = (table.values(output.index()), table.values(cell.index()));
                let shared = values.iter().filter(|value| cells.contains(value)).count();
                shared > 0 && 2 * shared >= values.len().min(cells.len())
            });
            let kind = match adjacency {
                _ if amounts || on_each_other => continue,
                _ if order.is_some() => FluentKind::Line,
                Some(_) => FluentKind::Graph,
                None if has_contents => FluentKind::Line,
                None => continue,
            };
            finding.kind = kind;
            finding.axes = vec![Axis { argument: cell, order }];
            finding.adjacency = adjacency.filter(|_| order.is_none());
            finding.covered = Some(table.always_full(key));
            if !has_contents {
                let (markers, pieces) = piece::detect(game.machine, table, mask(&finding.outputs));
                finding.contents = markers.into_iter().chain(pieces).collect();
            }
        }
    }
}

fn mask(arguments: &[ArgumentPosition]) -> Mask {
    arguments.iter().fold(0, |set, argument| set | 1 << argument.index())
}

//! Lines and graphs of cells.
//!
//! # What it finds
//! Boards that are no grid of coordinates. *Lines*: one coordinate determines the contents of a cell. *Graphs*: cells
//! that a static relation connects, hexagons or the points of a web; boards of two and more coordinates none of which is
//! ordered get such a relation named, too.
//!
//! # How
//! Of the fluents that are nothing else, those with one argument that determines the others. It is a line where the
//! argument is ordered and the contents are neither ordered nor cells, or where it is a row of cells (see [`board`](super::board)); a graph
//! where a static relation that rules join with what depends on the state has pairs of the cells in nine of ten facts,
//! joins eight cells of ten, and none to more than a few others. Roles are no cells. One more argument of that relation may say in which
//! direction. What stands on the cells of a row is under markers and pieces; else under contents.
//!
//! # Guarantee
//! An estimate, as for boards. Relations with more than 50,000 facts are not looked at, nor more than a million facts in
//! all arrangements of their arguments.
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
use super::fluents::Mask;
use super::found::Found;
use super::piece;
use super::samples::Samples;

/// Fewest cells.
const SHORTEST: usize = 3;

catalog_entry!(LineDetector, "line", "Lines and graphs of cells", "Kuhlmann, Dresner and Stone 2006");

impl Detector for LineDetector {
    fn needs(&self) -> &'static [&'static str] {
        &["board", "piece"]
    }

    fn look<'g>(&self, game: &Game<'g>, samples: &Samples<'_>, found: &mut Found<'g>) {
        let Found { chains, orders, partial_orders, fluents, .. } = found;
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
            let cells = table.projected(key);
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
            // What stands on each other has no cells.
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

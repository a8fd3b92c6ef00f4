//! # What it does
//! Makes the features of Kuhlmann, Dresner and Stone from boards, placed things and quantities.
//!
//! # How
//! Ordered board (or place) with pieces: each coordinate of each piece, as its index from 0 along the successor
//! relation; the Manhattan distance of each pair of pieces; and the sum of all of these. Any other board: the count
//! of each marker and piece. Quantity: its value, as its index, for each of its keys. Boards have any number of
//! dimensions, lines and graphs of cells are boards of one; coordinates without an order are left out.
//!
//! Two things are beyond the table of the source, whose boards have pieces or markers and whose quantities stand on none,
//! and are marked so (`beyond_source`). Where markers stand beside pieces, as walls or pawns beside a king, how many there
//! are is a feature as well: coordinates say nothing of them. Where a cell holds an amount, as the pits of Mancala do, the
//! amount of each cell is one, as a quantity's is.
//!
//! # Guarantee
//! Exact, given the structures. What the source leaves open: a piece that is on no cell is worth what no living one is,
//! -1 as coordinate, and one more than the greatest distance to every other; an amount that is not there is 0. A range goes over the elements that can stand at the
//! argument, not over the whole relation.
//!
//! # Cost
//! Coordinates, counts and values are sums over facts: a mask and a count of bits for each value. A distance looks
//! its pieces up. At most 300 pairs and 100 keys; what passes that is named in a note.
//!
//! # Example
//! `(at white_king ?x ?y)`: indices of arguments 2 and 3, distances to the other pieces. `(disc ?x ?y black)`: count.
//!
//! # Source
//! Kuhlmann, Dresner and Stone, "Automatic Heuristic Construction in a Complete General Game Player", AAAI 2006.
//! What the table leaves open (pieces that are gone, boards of other dimensions) and what goes beyond it is said above.
//! `reports/judge/findings.md` shows what single features are worth one move ahead: the distance of the kings helps in the
//! king and rook endgame, a runner's place in the three-player race, most others little.

use std::collections::BTreeSet;

use crate::catalog_entry;
use crate::structure::argument::ArgumentPosition;
use crate::structure::finding::{Axis, FluentFinding, FluentKind, OrderedBy, Quantity};

use super::definition::Family;
use super::family::{FeatureFamily, Origin};
use super::features::{Features, slug};
use super::owner::Owners;
use super::pattern::Pattern;
use super::sources::Sources;
use super::spec::{Coordinate, Spec};

/// Pairs of pieces of a fluent.
const PAIRS: usize = 300;

/// Keys of a quantity.
const KEYS: usize = 100;

const FAMILY: Family = Family::Kuhlmann;

catalog_entry!(
    KuhlmannFamily,
    "kuhlmann",
    "Coordinates, distances, markers and quantities",
    "Kuhlmann, Dresner and Stone 2006"
);

impl FeatureFamily for KuhlmannFamily {
    fn family(&self) -> Family {
        Family::Kuhlmann
    }

    fn origin(&self) -> Origin {
        Origin::Structures(make)
    }
}

fn make(sources: &Sources<'_>, features: &mut Features) {
    let owners = Owners::new(sources);
    for board in sources.with_cells() {
        let axes = axes(sources, board);
        if board.pieces.is_empty() || axes.is_empty() {
            for object in board.objects() {
                let pattern = sources.fluent_index.pattern_of(board, object);
                let spec = Spec::Count { pattern: pattern.to_string() };
                features.add(sources, FAMILY, None, &format!("count.{}", slug(&pattern)), spec);
            }
        } else {
            pieces(sources, &owners, board, &axes, features);
            for object in board.markers.iter().chain(&board.contents) {
                let pattern = sources.fluent_index.pattern_of(board, object);
                let spec = Spec::Count { pattern: pattern.to_string() };
                features.add_beyond(sources, FAMILY, &format!("count.{}", slug(&pattern)), spec);
            }
        }
        for amount in &board.ordered_outputs {
            if let Some(order) = amount.order {
                let add = |features: &mut Features, id: &str, spec| {
                    features.add_beyond(sources, FAMILY, id, spec);
                };
                values(sources, board, amount.argument, order, features, &add);
            }
        }
    }
    for quantity in sources.of_kind(&[FluentKind::Quantity]) {
        quantities(sources, quantity, features);
    }
}

/// The coordinates that have an order.
fn axes(sources: &Sources<'_>, board: &FluentFinding) -> Vec<Coordinate> {
    let axis = |axis: &Axis| {
        let order = sources.order(axis.order?, &sources.terms(board, axis.argument))?;
        Some(Coordinate { argument: axis.argument.number(), order })
    };
    board.axes.iter().filter_map(axis).collect()
}

fn pieces(
    sources: &Sources<'_>,
    owners: &Owners<'_, '_>,
    board: &FluentFinding,
    axes: &[Coordinate],
    features: &mut Features,
) {
    let patterns: Vec<Pattern> =
        board.pieces.iter().map(|piece| sources.fluent_index.pattern_of(board, piece)).collect();
    let roles = sources.roles();
    for (piece, pattern) in board.pieces.iter().zip(&patterns) {
        let owner = owners.role(board, piece).map(|role| roles[role].as_str());
        for axis in axes {
            let id = format!("index.{}.{}", axis.argument, slug(pattern));
            let spec = index(pattern, axis.argument, &axis.order, -1.0);
            features.add(sources, FAMILY, owner, &id, spec);
        }
    }
    let farthest: usize = axes.iter().map(|axis| axis.order.len() - 1).sum();
    let absent = farthest as f64 + 1.0;
    let distance = |pieces: Vec<String>| Spec::Distance { pieces, axes: axes.to_vec(), absent };
    let name = sources.name_of(board);
    let pairs = patterns.len() * (patterns.len() - 1) / 2;
    if pairs > PAIRS {
        features.notes.push(format!(
            "{}: {} pieces have {pairs} pairs, more than {PAIRS}: distances of pairs are left out",
            board.fluent.signature(&sources.machine().description().symbols),
            patterns.len()
        ));
    } else {
        let symbols = |place: usize| {
            let terms = board.pieces[place].symbol.iter();
            terms.map(|&term| sources.machine().term_text(term)).collect::<Vec<_>>().join(".")
        };
        for (place, one) in patterns.iter().enumerate() {
            for (other_place, other) in patterns.iter().enumerate().skip(place + 1) {
                let id = format!("distance.{name}.{}.{}", symbols(place), symbols(other_place));
                let spec = distance(vec![one.to_string(), other.to_string()]);
                features.add(sources, FAMILY, None, &id, spec);
            }
        }
    }
    if patterns.len() > 2 {
        let all = patterns.iter().map(Pattern::to_string).collect();
        features.add(sources, FAMILY, None, &format!("distances.{name}"), distance(all));
    }
}

fn index(pattern: &Pattern, argument: usize, order: &[String], absent: f64) -> Spec {
    Spec::Index { pattern: pattern.to_string(), argument, order: order.to_vec(), absent }
}

fn quantities(sources: &Sources<'_>, finding: &FluentFinding, features: &mut Features) {
    let Some(Quantity { value, order, .. }) = finding.quantity else { return };
    let add = |features: &mut Features, id: &str, spec| features.add(sources, FAMILY, None, id, spec);
    values(sources, finding, value, order, features, &add);
}

/// The value of an ordered argument for each of what the inputs can be.
fn values(
    sources: &Sources<'_>,
    finding: &FluentFinding,
    value: ArgumentPosition,
    order: OrderedBy,
    features: &mut Features,
    add: &dyn Fn(&mut Features, &str, Spec),
) {
    let Some(order) = sources.order(order, &sources.terms(finding, value)) else { return };
    let keys = keys(sources, finding);
    if keys.len() > KEYS {
        let fluent = finding.fluent.signature(&sources.machine().description().symbols);
        let count = keys.len();
        features.notes.push(format!("{fluent}: {count} quantities, more than {KEYS}: they are left out"));
        return;
    }
    for key in keys {
        let fixed: Vec<(ArgumentPosition, &str)> =
            finding.inputs.iter().copied().zip(key.iter().map(String::as_str)).collect();
        let pattern = sources.fluent_index.pattern(finding.fluent, &fixed);
        let id = format!("value.{}", slug(&pattern));
        add(features, &id, index(&pattern, value.number(), &order, 0.0));
    }
}

/// What a fluent's inputs can be.
fn keys(sources: &Sources<'_>, finding: &FluentFinding) -> Vec<Vec<String>> {
    if sources.fluent_index.is_complete() {
        let all = sources.fluent_index.pattern(finding.fluent, &[]);
        let Ok(found) = sources.fluent_index.matching(&all) else { return Vec::new() };
        let mut seen = BTreeSet::new();
        let keys = found.into_iter().map(|(_, arguments)| -> Vec<String> {
            finding.inputs.iter().map(|input| arguments[input.index()].to_owned()).collect()
        });
        return keys.filter(|key| seen.insert(key.clone())).collect();
    }
    let mut keys: Vec<Vec<String>> = vec![Vec::new()];
    for &input in &finding.inputs {
        let domain = finding.domains[input.index()].texts(sources.machine().description());
        let longer = keys.iter().flat_map(|key| {
            domain.iter().map(|term| key.iter().cloned().chain([term.clone()]).collect::<Vec<_>>())
        });
        keys = longer.take(KEYS + 1).collect();
    }
    keys
}

//! # What it does
//! Makes the features of Kuhlmann, Dresner and Stone from boards, places and quantities.
//!
//! # How
//! - Pieces on a board (or with places) whose coordinates have an order: each coordinate of each piece, as its index
//!   from 0 along the successor relation; the Manhattan distance of each pair of pieces; and the sum of these
//!   distances.
//! - Any other board: the count of each marker and piece.
//! - Quantity: its value for each key, as an index.
//!
//! Boards can have any number of dimensions; lines and graphs of cells are boards with one. Coordinates without an
//! order are left out.
//!
//! Two kinds of features are not in the table of the source, and are marked `beyond_source`. If a board has markers
//! as well as pieces (such as pawns and a king), markers are counted. If a cell holds an amount, as in Mancala, the
//! amount of each cell is a feature.
//!
//! # Guarantee
//! Exact, given the structures. The source does not say what a missing piece is worth. Here its coordinate is -1, and
//! its distance to every other piece is one more than the greatest distance. A missing amount is 0. A range covers
//! the elements that occur at the argument, not the whole successor relation.
//!
//! # Cost
//! Coordinates, counts and values are sums over facts: a mask and a count of bits for each distinct weight. A
//! distance looks up its pieces. There are at most 300 pairs and 100 keys; a note reports what exceeds this.
//!
//! # Example
//! `(at white_king ?x ?y)`: indices of arguments 2 and 3, distances to the other pieces. `(disc ?x ?y black)`: count.
//!
//! # Source
//! Kuhlmann, Dresner and Stone, "Automatic Heuristic Construction in a Complete General Game Player", AAAI 2006.
//! `reports/judge/findings.md` measures single features one move ahead. The distance of the kings helps in the king
//! and rook endgame, and a runner's place in the three-player race. Most other features help little.

use std::collections::BTreeSet;

use crate::catalog::grouped;
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

/// Limits the pairs of pieces of a fluent. If there are more, no distance of a pair is a feature.
const PAIRS: usize = 300;

/// Limits the keys of a quantity. If there are more, its values are left out.
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
    for board in sources.located_fluents() {
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
            "{}: distances of pairs are left out, because {} pieces have {} pairs, more than {PAIRS}",
            board.fluent.signature(&sources.machine().description().symbols),
            patterns.len(),
            grouped(pairs as u64)
        ));
    } else {
        let symbols = |index: usize| {
            let terms = board.pieces[index].symbol.iter();
            terms.map(|&term| sources.machine().term_text(term)).collect::<Vec<_>>().join(".")
        };
        for (index, one) in patterns.iter().enumerate() {
            for (other_place, other) in patterns.iter().enumerate().skip(index + 1) {
                let id = format!("distance.{name}.{}.{}", symbols(index), symbols(other_place));
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

/// The value of an ordered argument, for each combination of keys.
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
        features.notes.push(format!(
            "{fluent}: values are left out, because there are {} keys, more than {KEYS}",
            grouped(count as u64)
        ));
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

/// The combinations of the terms that can occur at a fluent's key arguments.
fn keys(sources: &Sources<'_>, finding: &FluentFinding) -> Vec<Vec<String>> {
    if sources.fluent_index.is_complete() {
        let all = sources.fluent_index.pattern(finding.fluent, &[]);
        let Ok(facts) = sources.fluent_index.matching(&all) else { return Vec::new() };
        let mut seen = BTreeSet::new();
        let keys = facts.into_iter().map(|(_, arguments)| -> Vec<String> {
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

//! # What it does
//! Adds up, for each role, what its things have along an order: how far its men have come, how many coins its pits
//! hold; takes the greatest and the least; and compares roles.
//!
//! # How
//! Three sources. Boards and placed things with an ordered coordinate: the coordinate of all things that a role owns (as
//! under `material`), where it owns several or one that can be on several cells. Quantities with several keys: all
//! values, or those whose key names the role, or that are bound to it (a margin with its leader). Boards whose contents
//! have an ordered part beside the role's name: that part. Of each the sum of the indices along the order is a feature,
//! and the greatest and the least index where there can be several; and of two roles one less the other, of more each
//! less the sum of its opponents.
//!
//! # Guarantee
//! Exact, given the structures. Where there is nothing the sum is 0, the greatest -1, and the least the length of the
//! order: outside the range of what is there. At most 60 such groups; what passes that is named in a note.
//!
//! # Cost
//! Of a sum, a mask and a count of bits for each index. Of an extreme, a look at its facts from one end.
//!
//! # Example
//! Breakthrough: the sum of the rows of white's men, the greatest of them, and white's sum less black's.
//!
//! # Source
//! Ordered boards and quantities: Kuhlmann, Dresner and Stone 2006, who count and compare single pieces; sums over all of
//! a role's as in Schiffel and Thielscher 2007, who add up distances.
//! Greatest, least and differences between roles are in neither, and no study compares them.

use crate::catalog_entry;
use crate::structure::argument::ArgumentPosition;
use crate::structure::finding::{FluentFinding, FluentKind, Quantity};

use super::definition::Family;
use super::family::{FeatureFamily, Origin};
use super::features::Features;
use super::owner::Owners;
use super::sources::Sources;
use super::spec::Spec;

const FAMILY: Family = Family::Order;

/// Groups of a game.
const GROUPS: usize = 60;

catalog_entry!(
    OrderFamily,
    "order" in "ordered.rs",
    "Sums and extremes along orders",
    "Kuhlmann, Dresner and Stone 2006"
);

impl FeatureFamily for OrderFamily {
    fn family(&self) -> Family {
        FAMILY
    }

    fn origin(&self) -> Origin {
        Origin::Structures(make)
    }
}

/// Facts whose terms at one argument are put in order.
#[derive(Clone, Debug)]
struct Along {
    patterns: Vec<String>,
    /// From 1.
    argument: usize,
    order: Vec<String>,
}

/// The same of every role that has something, or of nobody in particular.
struct Group {
    /// The fluent and the argument, as part of a name.
    name: String,
    of: Vec<(Option<usize>, Along)>,
    /// Whether a role can have several such facts at once.
    several: bool,
    /// Whether another family has the value of each role.
    known: bool,
}

fn make(sources: &Sources<'_>, features: &mut Features) {
    let owners = Owners::new(sources);
    let mut groups: Vec<Group> = Vec::new();
    for finding in &sources.structures.fluents {
        if finding.kind.has_cells() {
            groups.extend(coordinates(sources, &owners, finding));
            groups.extend(contents(sources, finding));
        } else if finding.kind == FluentKind::Quantity {
            groups.extend(values(sources, finding));
        }
    }
    if groups.len() > GROUPS {
        let count = groups.len();
        features
            .notes
            .push(format!("order: {count} groups of things, more than {GROUPS}: the rest is left out"));
        groups.truncate(GROUPS);
    }
    for group in &groups {
        add(sources, group, features);
    }
}

/// A way to make one number of several indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Sum,
    Greatest,
    Least,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Way::Sum => "sum",
            Way::Greatest => "greatest",
            Way::Least => "least",
        }
    }

    fn spec(self, along: &Along) -> Spec {
        let Along { patterns, argument, order } = along.clone();
        if self == Way::Sum {
            let one = |pattern| Spec::Along { pattern, argument, order: order.clone() };
            let mut of: Vec<Spec> = patterns.into_iter().map(one).collect();
            return if of.len() == 1 { of.remove(0) } else { Spec::Total { of } };
        }
        let greatest = self == Way::Greatest;
        let absent = if greatest { -1.0 } else { order.len() as f64 };
        Spec::Extreme { patterns, argument, order, greatest, absent }
    }
}

fn add(sources: &Sources<'_>, group: &Group, features: &mut Features) {
    let (roles, players) = (sources.roles(), sources.players());
    let ways: &[Way] = if group.several { &[Way::Sum, Way::Greatest, Way::Least] } else { &[Way::Sum] };
    for &way in ways {
        for (role, along) in group.of.iter().filter(|_| !group.known) {
            let role = role.map(|role| roles[role].as_str());
            let whose = role.map(|role| format!(".{role}")).unwrap_or_default();
            let id = format!("{}.{}{whose}", way.name(), group.name);
            features.add(sources, FAMILY, role, &id, way.spec(along));
        }
        let of = |wanted: usize| {
            let mut found = group.of.iter().filter(|(role, _)| *role == Some(wanted));
            found.next().map(|(_, along)| way.spec(along))
        };
        // Of two players one difference is the mirror of the other.
        let ahead = if players.len() == 2 { &players[..1] } else { &players[..] };
        for &number in ahead {
            let role = &roles[number];
            let Some(own) = of(number) else { continue };
            let mut theirs: Vec<Spec> = sources.opponents(number).into_iter().filter_map(of).collect();
            let theirs = match theirs.len() {
                0 => continue,
                1 => theirs.remove(0),
                _ => Spec::Total { of: theirs },
            };
            let spec = Spec::Difference { first: Box::new(own), second: Box::new(theirs) };
            let id = format!("{}-ahead.{}.{role}", way.name(), group.name);
            features.add(sources, FAMILY, Some(role), &id, spec);
        }
    }
}

/// The ordered coordinates of what roles own.
fn coordinates(sources: &Sources<'_>, owners: &Owners<'_, '_>, board: &FluentFinding) -> Vec<Group> {
    let players = sources.players();
    let axis = |axis: &crate::structure::finding::Axis| {
        let order = sources.order(axis.order?, &sources.terms(board, axis.argument))?;
        let mut several = false;
        let mut of = Vec::new();
        for &role in &players {
            let own: Vec<_> =
                board.objects().filter(|object| owners.role(board, object) == Some(role)).collect();
            several |=
                own.len() > 1 || board.markers.iter().chain(&board.contents).any(|one| own.contains(&one));
            let pattern = |object: &&_| sources.fluent_index.pattern_of(board, object).to_string();
            let patterns: Vec<String> = own.iter().map(pattern).collect();
            if !patterns.is_empty() {
                of.push((
                    Some(role),
                    Along { patterns, argument: axis.argument.number(), order: order.clone() },
                ));
            }
        }
        let name = format!("{}.{}", sources.name_of(board), axis.argument);
        (several && !of.is_empty()).then_some(Group { name, of, several, known: false })
    };
    board.axes.iter().filter_map(axis).collect()
}

/// The ordered part of a board's contents, by the role that another part names.
fn contents(sources: &Sources<'_>, board: &FluentFinding) -> Vec<Group> {
    let amount = |axis: &crate::structure::finding::Axis| {
        let order = sources.order(axis.order?, &sources.terms(board, axis.argument))?;
        let others: Vec<ArgumentPosition> =
            board.outputs.iter().copied().filter(|&argument| argument != axis.argument).collect();
        let of = of_roles(sources, board, &others, axis.argument, &order);
        let of = if of.is_empty() { vec![(None, of_all(sources, board, axis.argument, &order))] } else { of };
        let name = format!("{}.{}", sources.name_of(board), axis.argument);
        Some(Group { name, of, several: true, known: false })
    };
    board.ordered_outputs.iter().filter_map(amount).collect()
}

/// The values of a quantity with several keys, or that are bound to a role.
fn values(sources: &Sources<'_>, finding: &FluentFinding) -> Option<Group> {
    let Quantity { value, order, .. } = finding.quantity?;
    let order = sources.order(order, &sources.terms(finding, value))?;
    let bound: Vec<ArgumentPosition> =
        finding.outputs.iter().copied().filter(|&argument| argument != value).collect();
    let named: Vec<ArgumentPosition> = finding.inputs.iter().copied().chain(bound.iter().copied()).collect();
    let of = of_roles(sources, finding, &named, value, &order);
    let name = format!("{}.{}", sources.name_of(finding), value.number());
    match (of.is_empty(), finding.inputs.len()) {
        (true, 0) => None,
        (true, _) => {
            let of = vec![(None, of_all(sources, finding, value, &order))];
            Some(Group { name, of, several: true, known: false })
        }
        // Where the role is the only key, its value is a feature of the quantity.
        (false, 1) if bound.is_empty() => Some(Group { name, of, several: false, known: true }),
        (false, keys) => Some(Group { name, of, several: keys > 0, known: false }),
    }
}

/// The facts of each role by the first argument that names two roles or more.
fn of_roles(
    sources: &Sources<'_>,
    finding: &FluentFinding,
    arguments: &[ArgumentPosition],
    value: ArgumentPosition,
    order: &[String],
) -> Vec<(Option<usize>, Along)> {
    for &argument in arguments {
        let of = sources.roles_at(finding, argument);
        if of.len() >= 2 {
            let along = |(role, name): (usize, String)| {
                let pattern = sources.fluent_index.pattern(finding.fluent, &[(argument, &name)]);
                let (patterns, order) = (vec![pattern.to_string()], order.to_vec());
                (Some(role), Along { patterns, argument: value.number(), order })
            };
            return of.into_iter().map(along).collect();
        }
    }
    Vec::new()
}

fn of_all(
    sources: &Sources<'_>,
    finding: &FluentFinding,
    value: ArgumentPosition,
    order: &[String],
) -> Along {
    let pattern = sources.fluent_index.pattern(finding.fluent, &[]);
    Along { patterns: vec![pattern.to_string()], argument: value.number(), order: order.to_vec() }
}

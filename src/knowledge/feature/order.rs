//! # What it does
//! Adds up, for each role, how far its objects are along an order: how far its men have advanced, or how many coins
//! its pits hold. It also takes the greatest and the least index, and compares roles.
//!
//! # How
//! There are three sources:
//!
//! - An ordered coordinate of a board or place: the coordinates of all objects that a role owns (see `material`). The
//!   role must own several objects, or one that can be on several cells.
//! - A quantity with several keys: the values whose key names the role, or that are bound to the role (such as a margin
//!   and its leader). If no key names a role, all values.
//! - A board whose content has an ordered part and a part that names a role: the ordered part.
//!
//! The sum of the indices along the order is a feature. If there can be several, the greatest and the least index are
//! features too. With two roles, the first role's value minus the second's is a feature as well. With more
//! roles, this is each role's value minus the sum of its opponents' values.
//!
//! # Guarantee
//! Exact, given the structures. If no fact matches, the sum is 0, the greatest is -1, and the least is the length of
//! the order, all outside the range of real indices. There are at most 60 such groups; a note reports what exceeds this.
//!
//! # Cost
//! For a sum, a mask and a count of bits for each index. For an extreme, a scan of its facts from one end.
//!
//! # Example
//! Breakthrough: the sum of the rows of white's men, the greatest of these rows, and white's sum minus black's.
//!
//! # Source
//! Ordered boards and quantities: Kuhlmann, Dresner and Stone 2006, who count and compare single pieces. Sums over
//! all pieces of a role: Schiffel and Thielscher 2007, who add up distances. The greatest, the least and differences
//! between roles are in neither source, and no study compares them.

use crate::catalog::grouped;
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

/// Limit of the groups of a game.
const MAX_GROUPS: usize = 60;

catalog_entry!(OrderFamily, "order", "Sums and extremes along orders", "Kuhlmann, Dresner and Stone 2006");

impl FeatureFamily for OrderFamily {
    fn family(&self) -> Family {
        FAMILY
    }

    fn origin(&self) -> Origin {
        Origin::Structures(make)
    }
}

/// Facts with an argument whose terms have an order.
#[derive(Clone, Debug)]
struct OrderedFacts {
    patterns: Vec<String>,
    /// The position, from 1.
    argument: usize,
    order: Vec<String>,
}

/// Facts along one order: one entry for each role, or a single entry without a role.
struct Group {
    /// The fluent and the argument, as part of a feature's name.
    name: String,
    facts: Vec<(Option<usize>, OrderedFacts)>,
    /// Whether several such facts of a role can hold at once.
    several: bool,
    /// Whether another family already has the value of each role as a feature.
    in_other_family: bool,
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
    if groups.len() > MAX_GROUPS {
        let count = groups.len();
        features.notes.push(format!(
            "order: only the first {MAX_GROUPS} of {} groups of facts are used",
            grouped(count as u64)
        ));
        groups.truncate(MAX_GROUPS);
    }
    for group in &groups {
        add(sources, group, features);
    }
}

/// A function from several indices to one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aggregate {
    Sum,
    Greatest,
    Least,
}

impl Aggregate {
    fn name(self) -> &'static str {
        match self {
            Aggregate::Sum => "sum",
            Aggregate::Greatest => "greatest",
            Aggregate::Least => "least",
        }
    }

    fn spec(self, along: &OrderedFacts) -> Spec {
        let OrderedFacts { patterns, argument, order } = along.clone();
        if self == Aggregate::Sum {
            let one = |pattern| Spec::Along { pattern, argument, order: order.clone() };
            let mut of: Vec<Spec> = patterns.into_iter().map(one).collect();
            return if of.len() == 1 { of.remove(0) } else { Spec::Total { of } };
        }
        let greatest = self == Aggregate::Greatest;
        let absent = if greatest { -1.0 } else { order.len() as f64 };
        Spec::Extreme { patterns, argument, order, greatest, absent }
    }
}

fn add(sources: &Sources<'_>, group: &Group, features: &mut Features) {
    let (roles, players) = (sources.roles(), sources.players());
    let aggregates: &[Aggregate] = if group.several {
        &[Aggregate::Sum, Aggregate::Greatest, Aggregate::Least]
    } else {
        &[Aggregate::Sum]
    };
    for &aggregate in aggregates {
        for (role, along) in group.facts.iter().filter(|_| !group.in_other_family) {
            let role = role.map(|role| roles[role].as_str());
            let whose = role.map(|role| format!(".{role}")).unwrap_or_default();
            let id = format!("{}.{}{whose}", aggregate.name(), group.name);
            features.add(sources, FAMILY, role, &id, aggregate.spec(along));
        }
        let of = |wanted: usize| {
            let mut found = group.facts.iter().filter(|(role, _)| *role == Some(wanted));
            found.next().map(|(_, along)| aggregate.spec(along))
        };
        // With two players the second difference is the negated first one.
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
            let id = format!("{}-ahead.{}.{role}", aggregate.name(), group.name);
            features.add(sources, FAMILY, Some(role), &id, spec);
        }
    }
}

/// The ordered coordinates of the objects that roles own.
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
                    OrderedFacts { patterns, argument: axis.argument.number(), order: order.clone() },
                ));
            }
        }
        let name = format!("{}.{}", sources.name_of(board), axis.argument);
        (several && !of.is_empty()).then_some(Group { name, facts: of, several, in_other_family: false })
    };
    board.axes.iter().filter_map(axis).collect()
}

/// The ordered part of a board's content, by the role that another part names.
fn contents(sources: &Sources<'_>, board: &FluentFinding) -> Vec<Group> {
    let amount = |axis: &crate::structure::finding::Axis| {
        let order = sources.order(axis.order?, &sources.terms(board, axis.argument))?;
        let others: Vec<ArgumentPosition> =
            board.outputs.iter().copied().filter(|&argument| argument != axis.argument).collect();
        let of = of_roles(sources, board, &others, axis.argument, &order);
        let of = if of.is_empty() { vec![(None, of_all(sources, board, axis.argument, &order))] } else { of };
        let name = format!("{}.{}", sources.name_of(board), axis.argument);
        Some(Group { name, facts: of, several: true, in_other_family: false })
    };
    board.ordered_outputs.iter().filter_map(amount).collect()
}

/// The values of a quantity that has several keys or is bound to a role.
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
            Some(Group { name, facts: of, several: true, in_other_family: false })
        }
        // If the role is the only key, the family `kuhlmann` has its value.
        (false, 1) if bound.is_empty() => {
            Some(Group { name, facts: of, several: false, in_other_family: true })
        }
        (false, keys) => Some(Group { name, facts: of, several: keys > 0, in_other_family: false }),
    }
}

/// The facts of each role, by the first argument that names at least two roles.
fn of_roles(
    sources: &Sources<'_>,
    finding: &FluentFinding,
    arguments: &[ArgumentPosition],
    value: ArgumentPosition,
    order: &[String],
) -> Vec<(Option<usize>, OrderedFacts)> {
    for &argument in arguments {
        let of = sources.roles_at(finding, argument);
        if of.len() >= 2 {
            let along = |(role, name): (usize, String)| {
                let pattern = sources.fluent_index.pattern(finding.fluent, &[(argument, &name)]);
                let (patterns, order) = (vec![pattern.to_string()], order.to_vec());
                (Some(role), OrderedFacts { patterns, argument: value.number(), order })
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
) -> OrderedFacts {
    let pattern = sources.fluent_index.pattern(finding.fluent, &[]);
    OrderedFacts { patterns: vec![pattern.to_string()], argument: value.number(), order: order.to_vec() }
}

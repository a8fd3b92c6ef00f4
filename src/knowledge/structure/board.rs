//! Boards and places.
//!
//! # What it finds
//! For every fluent, which arguments determine the others. Of these splits it reports one: *boards*, in
//! which two or more coordinates determine the contents of a cell, and *places*, in which a fluent gives
//! the coordinates of named objects.
//!
//! # How
//! Every set of arguments is a hypothesis "these determine the others". Two facts of one sampled state that
//! agree on the set refute it. Of the smallest sets that remain:
//! - A set of two or more arguments is the inputs of a board, unless a coordinate is determined by an
//!   argument that is not one; this happens if there are few facts, and cells that appear and disappear. Of
//!   several sets, the one whose cells are all present in every state comes first, then the one with most
//!   ordered coordinates, most coordinates that share values, and fewest contents. If sets still tie, all
//!   their arguments are the inputs, and there is no board if no contents remain.
//! - If a single argument determines the others as well, the fluent is a board only if its cells are all
//!   present in every state. (Each tile of a sliding puzzle is at one place, but the cells are what stays.)
//!   Otherwise the single argument names objects. The fluent is a place if the others are two or more
//!   coordinates.
//! - An argument with only one value is not a coordinate: if two or more others are coordinates, these are
//!   the inputs, and the cells are merely marked.
//! - If no set remains, the fluent is a place if one argument names objects and the others are coordinates.
//!   At least one object must be on one cell at a time and move.
//!
//! A fluent with one input is not a board, but its objects are named if it is a row of cells. Then some
//! content is on two cells at once, contents are not amounts, and one of these holds: all cells are always
//! present, moves name the cell that they change, or static relations connect the cells. If nothing can be
//! on two cells and several arguments name each object, the fluent gives places of objects.
//!
//! If nothing is determined in every state, only states that are not terminal are considered: some games
//! end when two objects meet.
//!
//! A record of the past is neither: a growing list whose facts name the step in which they appeared.
//!
//! A fluent whose facts never change is neither: it is a static relation in disguise.
//!
//! Arguments are coordinates of one space if each is ordered by a successor relation or shares values with
//! another. The position of an argument never matters.
//!
//! # Guarantee
//! Every refutation is certain; a split that remains is an estimate.
//!
//! # Cost
//! One check of each fact and hypothesis in every sampled state: up to 30 hypotheses for five arguments. In
//! lanes, two or three operations for 512 states together, and only for hypotheses whose supersets are all
//! refuted.
//!
//! # Example
//! `cell/3` with one fact for each of nine cells: inputs 1 and 2, output 3.
//!
//! # Source
//! Kuhlmann, Dresner and Stone 2006; hypotheses over all input sets: Schiffel and Thielscher 2007.

use crate::catalog_entry;

use super::argument::ArgumentPosition;
use super::detector::{Detector, Game};
use super::finding::{Axis, FluentFinding, FluentKind, Method};
use super::findings::{Findings, Fluent, arguments};
use super::fluents::{FactTable, Mask, StateScope, all_positions, positions};
use super::reason::{Reason, SplitReason};
use super::record::Clocks;
use super::samples::Samples;
use super::split::Split;
use super::static_relations::DetectedChain;

catalog_entry!(BoardDetector, "board", "Boards and places", "Schiffel and Thielscher 2007");

impl Detector for BoardDetector {
    fn needs(&self) -> &'static [&'static str] {
        &["successor", "axis", "counter", "control", "quantity"]
    }

    fn read_samples<'g>(&self, game: &Game<'g>, samples: &Samples<'_>, findings: &mut Findings<'g>) {
        let Findings { chains, fluents, usage, .. } = findings;
        let clocks = Clocks::new(game.description(), fluents, samples, usage);
        for fluent in fluents.iter_mut().filter(|fluent| fluent.is_open()) {
            let table = &samples.facts[fluent.number];
            let (_, mut split) = fluent.split(usage, table);
            let stamp = positions(clocks.stamps(fluent, samples) & split.inputs).next();
            let stamp = stamp.filter(|_| split.outputs != 0).map(ArgumentPosition::at);
            if stamp.is_some() {
                (split.kind, split.carriers) = (FluentKind::Other, 0);
            }
            let (mut finding, mut carriers) = board(fluent, table, split, chains);
            if finding.kind == FluentKind::Other && names_roles(game, table, &finding.inputs) {
                carriers = 0;
            }
            let ordered = finding.axes.iter().any(|axis| axis.order.is_some());
            let methods: &[Method] = if ordered { &[Method::Syntax] } else { &[] };
            let keys: Vec<_> = table.minimal_keys().into_iter().map(arguments).collect();
            finding.evidence = samples.extent.evidence(methods, reason(table, split, &keys));
            finding.stamp = stamp;
            // Other keys of a place or a board may be due to a small sample.
            let inside = |key: &&Vec<ArgumentPosition>| {
                (2..finding.inputs.len()).contains(&key.len())
                    && key.iter().all(|argument| finding.inputs.contains(argument))
            };
            let tied = finding.kind == FluentKind::Board && keys.iter().filter(inside).count() > 1;
            if tied || finding.outputs.is_empty() {
                finding.minimal_keys = keys;
            }
            (fluent.finding, fluent.carriers) = (Some(finding), carriers);
        }
    }
}

/// Whether a single argument is the key and only names roles: then the fluent describes roles, not cells.
pub(super) fn names_roles(game: &Game<'_>, table: &FactTable, inputs: &[ArgumentPosition]) -> bool {
    let [key] = inputs else { return false };
    let roles = &game.description().roles;
    table.values(key.index()).iter().all(|value| roles.contains(value))
}

/// A board, place or row of cells with its axes and coverage, and the arguments that name the objects on
/// its cells.
fn board(
    fluent: &Fluent,
    table: &FactTable,
    split: Split,
    chains: &[DetectedChain],
) -> (FluentFinding, Mask) {
    let mut finding = fluent.of_kind(split.kind, split);
    let coordinates = match split.kind {
        FluentKind::Board => split.inputs,
        FluentKind::Place => all_positions(fluent.relation.arity) & !split.carriers,
        _ => 0,
    };
    let ordered_by = |chain: usize| chains[chain].ordered_by();
    let axis = |position: usize| Axis {
        argument: ArgumentPosition::at(position),
        order: fluent.orders[position].map(ordered_by),
    };
    finding.axes = positions(coordinates).map(axis).collect();
    let mut carriers = split.carriers;
    if split.kind == FluentKind::Board {
        let is_ordered = |position: &usize| fluent.orders[*position].is_some();
        finding.covered = Some(table.always_full(split.inputs));
        finding.ordered_outputs = positions(split.outputs).filter(is_ordered).map(axis).collect();
        let named = positions(split.outputs).filter(|position| !is_ordered(position));
        carriers = named.fold(0, |set, position| set | 1 << position);
    }
    (finding, carriers)
}

/// The reason for the split of a fluent. `keys` are its smallest sets of arguments that determine the
/// others.
fn reason(table: &FactTable, split: Split, keys: &[Vec<ArgumentPosition>]) -> Reason {
    let inputs = || arguments(split.inputs);
    let reason = match split.kind {
        _ if table.is_empty() => SplitReason::NoFacts,
        _ if split.outputs == 0 || split.inputs == all_positions(table.arity()) => match keys {
            [] if table.hypotheses().is_empty() => SplitReason::Unexamined,
            [] => SplitReason::None,
            keys => SplitReason::Keys(keys.to_vec()),
        },
        FluentKind::Place
            if split.inputs == split.carriers && !table.keys(split.among).contains(&split.inputs) =>
        {
            SplitReason::Objects(inputs())
        }
        _ if split.inputs == 0 => SplitReason::OneFact,
        _ => SplitReason::Determines {
            inputs: inputs(),
            outputs: arguments(split.outputs),
            but_terminal: split.among != StateScope::All,
        },
    };
    let changes = table.constant().is_none();
    Reason::Split { split: reason, facts: [table.fewest(), table.most(), table.len()], changes }
}

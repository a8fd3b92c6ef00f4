//! Selects measured leaves: the fluents and comparisons whose value is a distance, by the structures found.
//!
//! # How
//! With Δ steps along the successor relation, |dom| elements and the threshold t:
//! - comparison r(a, b): t + (1-t)·Δ/|dom| if it holds, else (1-t)·(1 - Δ/|dom|);
//! - fluent of an ordered board with the goal coordinates w: p if it holds, else (1-t)·closeness (see `kinds/near.rs`).
//!   The closeness of a fluent with the coordinates x is 1 - (mean over the goal coordinates i of Δ(w_i, x_i)/|dom_i|);
//! - quantity, and cell that contains one: the same, with its value as the only coordinate;
//! - fluent of a board whose coordinates are all on cycles: the same, with distances in the shorter direction.
//!
//! On boards only contents that move are measured (see `movement`), and only at places that a condition needs (see
//! `goal_locations`). The mean omits coordinates that a pattern leaves open. If several facts give the values of a
//! comparison, the best pair counts.
//!
//! # Guarantee
//! A leaf that holds has a value of at least t; one that does not hold has at most 1 - t, because Δ/|dom| is in 0..=1.
//!
//! # Example
//! `(true (cell wlane e ?x white))` with white on row c of a to e: (1-t)·(1 - 2/5).
//!
//! # Source
//! Schiffel and Thielscher 2007; `docs/fuzzy.md` lists the differences, `reports/fuzzy_parameters/README.md` has
//! functions without each of the three kinds of leaves.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::datalog::{Interrupt, Table};
use crate::gdl::rule::{RelationId, RelationKind};
use crate::gdl::term::{TermId, Terms};
use crate::machine::Machine;
use crate::structure::argument::ArgumentPosition;
use crate::structure::finding::{Axis, FluentFinding, FluentKind, OrderedBy, Structures};
use crate::structure::fluent_relations::FluentRelation;

use super::comparison::Comparison;
use super::formula::{Family, Scale};
use super::kif::{ground, split};
use super::kinds::Node;
use super::movement::{Contents, moving};
use super::parameters::FuzzyParameters;

/// Places along a chain.
pub(super) type Ranks = FxHashMap<TermId, u32>;

/// The ordered arguments of a fluent.
pub(super) struct Measured {
    /// The family, as documents store it.
    pub(super) family: Family,
    /// Argument (from 0) and places of every axis.
    pub(super) axes: Vec<(usize, Ranks)>,
    /// For a board or place, the contents that move; `None` if all are measured.
    moving: Option<FxHashSet<Contents>>,
    /// Whether the axes are cycles.
    cyclic: bool,
}

impl Measured {
    /// The leaf of a fluent, or of a pattern with `?` for some coordinates, if it is measured.
    pub(super) fn leaf(&self, text: &str) -> Option<Node> {
        let contents = || contents(&self.family, text);
        let moves =
            |moving: &FxHashSet<Contents>| contents().is_some_and(|contents| moving.contains(&contents));
        let node = if self.cyclic { Node::Around } else { Node::Near };
        self.moving.as_ref().is_none_or(moves).then(|| node(text.to_owned()))
    }
}

/// The contents of a fluent of a family.
fn contents(family: &Family, text: &str) -> Option<Contents> {
    let (name, arguments) = split(text)?;
    let fluent = format!("{name}/{}", arguments.len());
    let is_axis = |argument: usize| family.axes.iter().any(|axis| axis.argument == argument + 1);
    (fluent == family.fluent).then(|| {
        let others = (0..arguments.len()).filter(|&argument| !is_axis(argument));
        (fluent, others.map(|argument| arguments[argument].clone()).collect())
    })
}

/// The fluents and comparisons that are measured.
pub(super) struct Leaves {
    /// Fluents, by their relation `true`.
    pub(super) measured: FxHashMap<RelationId, Measured>,
    /// Order relations, each with its comparison and its chain.
    pub(super) comparisons: FxHashMap<RelationId, (Comparison, usize)>,
    pub(super) orders: FxHashSet<RelationId>,
    /// `true` of quantities, with the argument (from 0) that has the value.
    pub(super) quantities: FxHashSet<(RelationId, usize)>,
    pub(super) chains: Vec<Ranks>,
    /// Places on cycles, and their elements as text.
    cycles: Vec<(Ranks, Vec<String>)>,
    /// The relations of chains, and their elements as text.
    orders_of_chains: Vec<OrderedBy>,
    elements: Vec<Vec<String>>,
}

impl Leaves {
    /// The leaves by structures and parameters. `tables` has the fluents that can hold.
    pub(super) fn new(
        machine: &dyn Machine,
        structures: &Structures,
        terms: &mut Terms,
        tables: &[Table],
        parameters: &FuzzyParameters,
        interrupt: &Interrupt,
    ) -> Leaves {
        let description = machine.description();
        let symbols = &description.symbols;
        let mut leaves = Leaves {
            measured: FxHashMap::default(),
            comparisons: FxHashMap::default(),
            orders: FxHashSet::default(),
            quantities: FxHashSet::default(),
            chains: Vec::new(),
            cycles: Vec::new(),
            orders_of_chains: Vec::new(),
            elements: Vec::new(),
        };
        let successors = structures.successors.iter();
        let successors =
            successors.map(|successor| (OrderedBy::Relation(successor.relation), &successor.elements));
        let others = structures.chains.iter().enumerate();
        let others = others.map(|(index, chain)| (OrderedBy::Chain(index), &chain.elements));
        let mut ranked = |elements: &[TermId]| {
            let elements: Vec<String> = elements.iter().map(|&element| machine.term_text(element)).collect();
            let ranks = elements
                .iter()
                .enumerate()
                .filter_map(|(rank, element)| Some((ground(element, symbols, terms)?, rank as u32)));
            (ranks.collect::<Ranks>(), elements)
        };
        for (order, elements) in successors.chain(others) {
            let (ranks, elements) = ranked(elements);
            leaves.chains.push(ranks);
            leaves.orders_of_chains.push(order);
            leaves.elements.push(elements);
        }
        // If leaves look back, they follow moves along a cycle, and no distance is needed.
        if parameters.regression == 0 {
            leaves.cycles = structures.cycles.iter().map(|cycle| ranked(&cycle.elements)).collect();
        }
        if parameters.comparisons {
            leaves.compare_by(structures);
        }
        let mut placed: Vec<RelationId> = Vec::new();
        for finding in &structures.fluents {
            let FluentRelation { name, arity } = finding.fluent;
            let Some(relation) = description.relation(RelationKind::True, name, arity) else { continue };
            let quantity = quantity(finding);
            if let (true, Some((argument, _))) = (parameters.comparisons, quantity) {
                leaves.quantities.insert((relation, argument.index()));
            }
            let axes = axes(finding, quantity, parameters);
            let Some(table) = tables.get(relation.index()) else { continue };
            let family = Family { fluent: finding.fluent.signature(symbols), axes: Vec::new() };
            leaves.measure(relation, family, &axes, table);
            // Quantities always move.
            let is_position =
                |argument: &ArgumentPosition| finding.axes.iter().any(|axis| axis.argument == *argument);
            if axes.iter().any(|(argument, _)| is_position(argument))
                && leaves.measured.contains_key(&relation)
            {
                placed.push(relation);
            }
        }
        if !placed.is_empty() {
            let families = placed.iter().map(|relation| &leaves.measured[relation].family);
            let families: Vec<Family> = families.cloned().collect();
            let found =
                moving(machine, interrupt, &|text| families.iter().find_map(|family| contents(family, text)));
            for relation in placed {
                if let Some(measured) = leaves.measured.get_mut(&relation) {
                    measured.moving = Some(found.clone());
                }
            }
        }
        leaves
    }

    /// Adds the order relations that compare two values.
    fn compare_by(&mut self, structures: &Structures) {
        // If an order does not compare all elements, its chain is better.
        for order in structures.orders.iter().filter(|order| order.uncompared.is_none()) {
            if let Some(chain) = self.chain(OrderedBy::Relation(order.over)) {
                let comparison = match (order.ascending, order.strict) {
                    (true, true) => Comparison::Less,
                    (true, false) => Comparison::AtMost,
                    (false, true) => Comparison::Greater,
                    (false, false) => Comparison::AtLeast,
                };
                self.orders.insert(order.relation);
                self.comparisons.insert(order.relation, (comparison, chain));
            }
        }
    }

    /// Adds the axes of a fluent on which all values are on a chain.
    fn measure(
        &mut self,
        relation: RelationId,
        family: Family,
        axes: &[(ArgumentPosition, OrderedBy)],
        table: &Table,
    ) {
        let mut measured = Measured { family, axes: Vec::new(), moving: None, cyclic: false };
        for &(argument, order) in axes {
            let Some(chain) = self.chain(order) else { continue };
            let ranks = &self.chains[chain];
            let places: Option<Vec<u32>> =
                table.iter().map(|row| ranks.get(&row[argument.index()]).copied()).collect();
            let Some(places) = places else { continue };
            let (Some(&low), Some(&high)) = (places.iter().min(), places.iter().max()) else { continue };
            if low == high {
                continue;
            }
            let shifted = ranks.iter().filter(|(_, rank)| (low..=high).contains(rank));
            measured
                .axes
                .push((argument.index(), shifted.map(|(&term, &rank)| (term, rank - low)).collect()));
            measured.family.axes.push(Scale {
                argument: argument.number(),
                order: self.elements[chain][low as usize..=high as usize].to_vec(),
            });
        }
        if measured.axes.is_empty() {
            self.measure_cycles(&mut measured, axes, table);
        }
        if !measured.axes.is_empty() {
            self.measured.insert(relation, measured);
        }
    }

    /// Adds the axes of a fluent on which all values are on a cycle.
    fn measure_cycles(&self, measured: &mut Measured, axes: &[(ArgumentPosition, OrderedBy)], table: &Table) {
        for &(argument, order) in axes {
            let OrderedBy::Cycle(cycle) = order else { continue };
            let Some((ranks, elements)) = self.cycles.get(cycle) else { continue };
            if table.iter().all(|row| ranks.contains_key(&row[argument.index()])) {
                measured.axes.push((argument.index(), ranks.clone()));
                measured.family.axes.push(Scale { argument: argument.number(), order: elements.clone() });
            }
        }
        measured.cyclic = !measured.axes.is_empty();
    }

    /// The chain of an order.
    fn chain(&self, order: OrderedBy) -> Option<usize> {
        self.orders_of_chains.iter().position(|&known| known == order)
    }

    /// The number of elements of a chain.
    pub(super) fn length(&self, chain: usize) -> u32 {
        self.chains[chain].len() as u32
    }
}

/// The argument that holds a quantity's value, with its order.
fn quantity(finding: &FluentFinding) -> Option<(ArgumentPosition, OrderedBy)> {
    match finding.kind {
        FluentKind::Quantity => finding.quantity.map(|quantity| (quantity.value, quantity.order)),
        FluentKind::Counter => {
            finding.counter.map(|counter| (counter.argument, OrderedBy::Relation(counter.by)))
        }
        _ => None,
    }
}

/// The ordered arguments along which a fluent's distance is measured.
fn axes(
    finding: &FluentFinding,
    quantity: Option<(ArgumentPosition, OrderedBy)>,
    parameters: &FuzzyParameters,
) -> Vec<(ArgumentPosition, OrderedBy)> {
    if let Some(axis) = quantity {
        return if parameters.quantities { vec![axis] } else { Vec::new() };
    }
    let ordered = |axes: &[Axis]| -> Vec<(ArgumentPosition, OrderedBy)> {
        axes.iter().filter_map(|axis| Some((axis.argument, axis.order?))).collect()
    };
    let contents = ordered(&finding.ordered_outputs);
    if parameters.quantities && finding.kind == FluentKind::Board && !contents.is_empty() {
        return contents;
    }
    let placed = finding.kind.has_cells() || finding.kind == FluentKind::Other;
    if parameters.boards && placed { ordered(&finding.axes) } else { Vec::new() }
}

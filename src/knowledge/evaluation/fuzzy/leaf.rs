//! Leaves that are more than true or false: which fluents and comparisons have them, by the structures found.
//!
//! # What it does
//! A literal that does not hold is worth more the nearer it is to holding: a piece by its normalised Manhattan
//! distance to the wanted cell, a quantity by how far its value is off, a comparison by how far apart its two values
//! are.
//!
//! # How
//! With Δ steps along the successor relation, |dom| elements and the threshold t:
//! - comparison r(a, b): t + (1-t)·Δ/|dom| where it holds, (1-t)·(1 - Δ/|dom|) where it does not;
//! - fluent of an ordered board, wanted at coordinates w: p where it holds, else (1-t)·closeness. Each of its like (facts
//!   that agree in all arguments but the ordered ones) is as close as 1 - (mean over the wanted coordinates i of
//!   Δ(w_i, x_i)/|dom_i|); closeness is the mean of that of the closest and of the mean over all, and 0 where there is
//!   none;
//! - quantity: the same, with its value as the one coordinate; so for cells whose contents are quantities;
//! - fluent of a board whose coordinates lie on cycles alone: the same by the shorter way round.
//!
//! On boards only contents that move are measured (see `movement`), as how far other stones lie from a cell says nothing
//! where stones stay; and only at places that a condition wants (see `wanted`).
//!
//! A coordinate that may be anything is left out of the mean. (To count it as distance 0, as one may read the
//! lectures, would only flatten the slope.) A comparison of values each of which several facts give takes the best
//! pair.
//!
//! # Guarantee
//! A leaf that holds is worth t or more, one that does not 1 - t or less: Δ/|dom| is in 0..=1.
//!
//! # Cost
//! A lookup for a fluent, a walk over the places for a comparison.
//!
//! # Example
//! `(true (cell wlane e ?x white))` with white on row c of a to e: (1-t)·(1 - 2/5).
//!
//! # Source
//! Schiffel and Thielscher 2007. The definitions of Δ, dom and N are in the lectures, the formulas are pictures
//! there; these are the ones that stay within the bounds and rise as the distance falls. They take the mean over all alone, and
//! measure all contents of a board, here only those that move. `reports/fuzzy_parameters/README.md` has functions without each
//! of the three kinds of leaves.

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
use super::movement::{Like, moving};
use super::parameters::FuzzyParameters;

/// Places along a chain.
pub(super) type Ranks = FxHashMap<TermId, u32>;

/// The ordered arguments of a fluent.
pub(super) struct Measured {
    /// The family, as a document has it.
    pub(super) family: Family,
    /// Argument (from 0) and places of every axis.
    pub(super) axes: Vec<(usize, Ranks)>,
    /// For a board or place, the contents that move; none where all are measured.
    moving: Option<FxHashSet<Like>>,
    /// Whether the axes are cycles.
    cyclic: bool,
}

impl Measured {
    /// The leaf of a fluent, or of a pattern with `?` for some coordinates, if it is measured.
    pub(super) fn leaf(&self, text: &str) -> Option<Node> {
        let like = |text| like(&self.family, text);
        let moves = |moving: &FxHashSet<Like>| like(text).is_some_and(|like| moving.contains(&like));
        let node = if self.cyclic { Node::Around } else { Node::Near };
        self.moving.as_ref().is_none_or(moves).then(|| node(text.to_owned()))
    }
}

/// What a fluent of a family has in common with its like.
fn like(family: &Family, text: &str) -> Option<Like> {
    let (name, arguments) = split(text)?;
    let fluent = format!("{name}/{}", arguments.len());
    let is_axis = |argument: usize| family.axes.iter().any(|axis| axis.argument == argument + 1);
    (fluent == family.fluent).then(|| {
        let others = (0..arguments.len()).filter(|&argument| !is_axis(argument));
        (fluent, others.map(|argument| arguments[argument].clone()).collect())
    })
}

/// What can be measured.
pub(super) struct Leaves {
    /// By the relation `true` of the fluent.
    pub(super) measured: FxHashMap<RelationId, Measured>,
    /// How an order relation compares, over which places, of how many.
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
    /// The leaves that the structures allow and the parameters want. `tables` holds the fluents that can hold.
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
        let successors = successors.map(|found| (OrderedBy::Relation(found.relation), &found.elements));
        let others = structures.chains.iter().enumerate();
        let others = others.map(|(place, found)| (OrderedBy::Chain(place), &found.elements));
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
        // Leaves that look back know more than a distance: which moves lead round.
        if parameters.regression == 0 {
            leaves.cycles = structures.cycles.iter().map(|found| ranked(&found.elements)).collect();
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
            // A quantity, or a cell's, has its value as the one axis: it moves by its nature.
            let place =
                |argument: &ArgumentPosition| finding.axes.iter().any(|axis| axis.argument == *argument);
            if axes.iter().any(|(argument, _)| place(argument)) && leaves.measured.contains_key(&relation) {
                placed.push(relation);
            }
        }
        if !placed.is_empty() {
            let families = placed.iter().map(|relation| &leaves.measured[relation].family);
            let families: Vec<Family> = families.cloned().collect();
            let found =
                moving(machine, interrupt, &|text| families.iter().find_map(|family| like(family, text)));
            for relation in placed {
                if let Some(measured) = leaves.measured.get_mut(&relation) {
                    measured.moving = Some(found.clone());
                }
            }
        }
        leaves
    }

    /// Takes up the order relations that compare two values.
    fn compare_by(&mut self, structures: &Structures) {
        // A chain compares more than an order that leaves elements at one end without comparison.
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

    /// Takes up the axes of a fluent whose every value is on a chain.
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

    /// Takes up the axes of a fluent whose every value is on a cycle.
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

    /// The chain that gives values their order.
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

/// The ordered arguments by which a fluent's distance is told.
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
    // Of other fluents cycles alone are axes.
    let placed = finding.kind.has_cells() || finding.kind == FluentKind::Other;
    if parameters.boards && placed { ordered(&finding.axes) } else { Vec::new() }
}

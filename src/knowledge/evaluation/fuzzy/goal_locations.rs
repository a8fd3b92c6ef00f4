//! Selects the measured leaves: a distance is useful only to a place that a condition needs.
//!
//! A fluent of an ordered board is measured if a condition needs it at some place, and
//! - the literal is under no negation, or an even number of them;
//! - the condition needs fluents of its family at no more than half of the places where they can be. "Some stone can
//!   move" and "five in a row somewhere" concern the whole board, so that a distance to one cell is meaningless.
//!   Alternative rules are separate conditions, such as "a pawn in the last row" and "the opponent has no move".
//!
//! Other fluents have the value p or 1 - p. "Some fluent of this kind, anywhere" has no location to which a distance
//! could be measured.

use std::collections::BTreeMap;

use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;

use super::instances::AtomLiteral;
use super::shape::Shape;
use super::unroll_context::UnrollContext;

/// Fluents that agree in all arguments but the ordered ones.
type Kin = (RelationId, Vec<TermId>);

/// Replaces measured leaves by ordinary ones if no condition needs them at particular places. `roots` are the
/// conditions.
pub(super) fn demote_unsought_leaves(
    context: &UnrollContext<'_>,
    roots: &[u32],
    graph: &DiGraph<u32, ()>,
    numbers: &FxHashMap<u32, NodeIndex>,
    shapes: &mut [Shape],
) {
    let mut sizes: FxHashMap<Kin, usize> = FxHashMap::default();
    for (relation, _) in context.description.relation_ids() {
        let Some(measured) = context.leaves.measured.get(&relation) else { continue };
        for row in context.instances.database.table(relation).iter() {
            *sizes.entry(kin(relation, row, &measured.axes)).or_default() += 1;
        }
    }
    let search = Search { context, numbers, shapes };
    let mut sought: FxHashSet<u32> = FxHashSet::default();
    for condition in roots.iter().flat_map(|&root| search.conditions(root)) {
        let mut places: FxHashMap<Kin, FxHashSet<u32>> = FxHashMap::default();
        let mut leaves: Vec<(u32, Kin)> = Vec::new();
        for atom in search.positive_atoms(condition) {
            let Shape::Measured(_) = search.shape(atom) else { continue };
            // A leaf represents a fluent, or all fluents that fit its pattern.
            let fluents: Vec<u32> = match context.is_fluent(atom) {
                true => vec![atom],
                false => context.instances.of(atom).flatten().map(|&(fluent, _)| fluent).collect(),
            };
            let Some(&fluent) = fluents.first() else { continue };
            let relation = context.relation(fluent);
            let Some(measured) = context.leaves.measured.get(&relation) else { continue };
            let kin = kin(relation, context.instances.arguments(fluent), &measured.axes);
            places.entry(kin.clone()).or_default().extend(fluents);
            leaves.push((atom, kin));
        }
        let few = |kin: &Kin| places[kin].len() * 2 <= sizes[kin];
        sought.extend(leaves.iter().filter(|(_, kin)| few(kin)).map(|(atom, _)| *atom));
    }
    for (number, shape) in shapes.iter_mut().enumerate() {
        let atom = graph[NodeIndex::new(number)];
        if matches!(shape, Shape::Measured(_)) && !sought.contains(&atom) {
            *shape = if context.is_fluent(atom) { Shape::Fact } else { Shape::Anywhere };
        }
    }
}

/// Atoms with their shapes.
struct Search<'a> {
    context: &'a UnrollContext<'a>,
    numbers: &'a FxHashMap<u32, NodeIndex>,
    shapes: &'a [Shape],
}

impl Search<'_> {
    fn shape(&self, atom: u32) -> &Shape {
        &self.shapes[self.numbers[&atom].index()]
    }

    /// For each rule of an atom, its literals; a rule with one literal is replaced by the rules of this literal.
    fn conditions(&self, root: u32) -> Vec<Vec<AtomLiteral>> {
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut stack = vec![root];
        let mut conditions = Vec::new();
        while let Some(atom) = stack.pop() {
            if !seen.insert(atom) {
                continue;
            }
            let Shape::Rules = self.shape(atom) else {
                conditions.push(vec![(atom, false)]);
                continue;
            };
            let mut by_clause: BTreeMap<u32, Vec<&[AtomLiteral]>> = BTreeMap::new();
            for (clause, body) in self.context.instances.with_clauses(atom) {
                by_clause.entry(clause).or_default().push(body);
            }
            for bodies in by_clause.into_values() {
                match bodies[..] {
                    [&[(only, false)]] => stack.push(only),
                    _ => conditions.push(bodies.into_iter().flatten().copied().collect()),
                }
            }
        }
        conditions
    }

    /// The atoms that a condition needs under an even number of negations.
    fn positive_atoms(&self, mut stack: Vec<AtomLiteral>) -> Vec<u32> {
        let mut seen: FxHashSet<AtomLiteral> = FxHashSet::default();
        let mut positive = Vec::new();
        while let Some((atom, negated)) = stack.pop() {
            if !seen.insert((atom, negated)) {
                continue;
            }
            if !negated {
                positive.push(atom);
            }
            if let Shape::Rules = self.shape(atom) {
                let literals = self.context.instances.of(atom).flatten();
                stack.extend(literals.map(|&(other, under)| (other, under != negated)));
            }
        }
        positive
    }
}

/// The relation and the arguments of a fluent that are not ordered.
fn kin<T>(relation: RelationId, row: &[TermId], axes: &[(usize, T)]) -> Kin {
    let is_axis = |argument: usize| axes.iter().any(|(axis, _)| *axis == argument);
    (relation, (0..row.len()).filter(|&argument| !is_axis(argument)).map(|argument| row[argument]).collect())
}

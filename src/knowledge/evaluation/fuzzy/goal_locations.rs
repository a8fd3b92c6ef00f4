//! Which places a condition wants, so that distance to them tells something.
//!
//! A fluent of an ordered board is measured where a condition *wants* it at some place:
//! - it stands there under no negation, or an even number of them: what must not be at a place is not measured;
//! - the places where one condition wants its like are at most half of those where these can be. A condition such as
//!   "some stone can move" or "five in a row somewhere" speaks of the whole board; all of its stones are near to
//!   something then, wherever they are, and their mean distance to any one cell says nothing. Rules that are ways to
//!   reach the same thing are conditions of their own: to stand in the last row, or else to leave nobody a move.
//!
//! Else the fluent is worth p or 1 - p, as any other. "Some fact of this kind, wherever" has no place to be near to.

use std::collections::BTreeMap;

use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::gdl::rule::{RelationId, RelationKind};
use crate::gdl::term::TermId;

use super::instances::AtomLiteral;
use super::shape::Shape;
use super::unroller::Unroller;

/// Facts that agree in all arguments but the ordered ones.
type Like = (RelationId, Vec<TermId>);

impl Unroller<'_> {
    /// Makes the leaves that no condition wants at a place ordinary ones. `roots` are the conditions.
    pub(super) fn keep_goal_locations(
        &self,
        roots: &[u32],
        graph: &DiGraph<u32, ()>,
        numbers: &FxHashMap<u32, NodeIndex>,
        shapes: &mut [Shape],
    ) {
        let mut sizes: FxHashMap<Like, usize> = FxHashMap::default();
        for (relation, _) in self.description.relation_ids() {
            let Some(measured) = self.leaves.measured.get(&relation) else { continue };
            for row in self.instances.database.table(relation).iter() {
                *sizes.entry(like(relation, row, &measured.axes)).or_default() += 1;
            }
        }
        let mut kept: FxHashSet<u32> = FxHashSet::default();
        for &root in roots {
            for condition in self.conditions_of(root, numbers, shapes) {
                let mut places: FxHashMap<Like, FxHashSet<u32>> = FxHashMap::default();
                let mut leaves: Vec<(u32, Like)> = Vec::new();
                for atom in self.wished(condition, numbers, shapes) {
                    let Shape::Measured(_) = shapes[numbers[&atom].index()] else { continue };
                    let facts = self.facts_of(atom);
                    let Some(like) = facts.first().and_then(|&fact| self.like(fact)) else { continue };
                    places.entry(like.clone()).or_default().extend(facts);
                    leaves.push((atom, like));
                }
                let few = |like: &Like| places[like].len() * 2 <= sizes[like];
                kept.extend(leaves.iter().filter(|(_, like)| few(like)).map(|(atom, _)| *atom));
            }
        }
        for (number, shape) in shapes.iter_mut().enumerate() {
            let atom = graph[NodeIndex::new(number)];
            if kept.contains(&atom) {
                continue;
            }
            if let Shape::Measured(_) = shape {
                *shape = match self.is_fluent(atom) {
                    true => Shape::Fact,
                    false => Shape::Anywhere,
                };
            }
        }
    }

    /// The literals of each condition that is a way to reach an atom: of each of its rules, through rules that have but
    /// one literal.
    fn conditions_of(
        &self,
        root: u32,
        numbers: &FxHashMap<u32, NodeIndex>,
        shapes: &[Shape],
    ) -> Vec<Vec<AtomLiteral>> {
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut stack = vec![root];
        let mut conditions = Vec::new();
        while let Some(atom) = stack.pop() {
            if !seen.insert(atom) {
                continue;
            }
            let Shape::Rules = shapes[numbers[&atom].index()] else {
                conditions.push(vec![(atom, false)]);
                continue;
            };
            let mut by_clause: BTreeMap<u32, Vec<&[AtomLiteral]>> = BTreeMap::new();
            for (clause, body) in self.instances.with_clauses(atom) {
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

    /// The atoms that a condition wants to hold.
    fn wished(
        &self,
        condition: Vec<AtomLiteral>,
        numbers: &FxHashMap<u32, NodeIndex>,
        shapes: &[Shape],
    ) -> Vec<u32> {
        let mut seen: FxHashSet<(u32, bool)> = FxHashSet::default();
        let mut stack: Vec<(u32, bool)> =
            condition.into_iter().map(|(atom, negated)| (atom, !negated)).collect();
        let mut wished = Vec::new();
        while let Some((atom, wanted)) = stack.pop() {
            if !seen.insert((atom, wanted)) {
                continue;
            }
            if wanted {
                wished.push(atom);
            }
            if let Shape::Rules = shapes[numbers[&atom].index()] {
                let literals = self.instances.of(atom).flatten();
                stack.extend(literals.map(|&(other, negated)| (other, wanted != negated)));
            }
        }
        wished
    }

    fn is_fluent(&self, atom: u32) -> bool {
        let (relation, _) = self.instances.atoms[atom as usize];
        self.rules.relations[relation.index()].kind == RelationKind::True
    }

    /// The fluents that a leaf stands for: itself, or those that fit its pattern.
    fn facts_of(&self, atom: u32) -> Vec<u32> {
        match self.is_fluent(atom) {
            true => vec![atom],
            false => self.instances.of(atom).flatten().map(|&(fact, _)| fact).collect(),
        }
    }

    fn like(&self, fact: u32) -> Option<Like> {
        let (relation, _) = self.instances.atoms[fact as usize];
        let measured = self.leaves.measured.get(&relation)?;
        Some(like(relation, self.instances.arguments(fact), &measured.axes))
    }
}

fn like<T>(relation: RelationId, row: &[TermId], axes: &[(usize, T)]) -> Like {
    let is_axis = |argument: usize| axes.iter().any(|(axis, _)| *axis == argument);
    (relation, (0..row.len()).filter(|&argument| !is_axis(argument)).map(|argument| row[argument]).collect())
}

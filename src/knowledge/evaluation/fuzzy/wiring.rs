//! Which nodes mention a node, and how.

use std::ops::Range;

use super::bind::{Bound, Edge, Step};
use super::formula::Mention;

/// How a node is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A fluent.
    Fact,
    /// What is measured, compared or derived, and what always holds.
    Leaf,
    /// A conjunction, or a disjunction, of fluents.
    Counted,
    /// A conjunction.
    And,
    /// A disjunction.
    Or,
    /// A conjunction whose truth alone is wanted.
    PlainAnd,
    /// A disjunction whose truth alone is wanted.
    PlainOr,
    /// A node in a loop.
    Loop,
}

/// The edges of a formula from members to the nodes that mention them: the number of such a node, times two, plus one
/// where the member's negation is a member of the conjunction that the node is. (A disjunction is one of negations.)
pub(super) struct Wiring {
    /// How each node is evaluated.
    pub(super) kinds: Vec<Kind>,
    /// Whether a node's value is wanted, not its truth alone.
    pub(super) wanted: Vec<bool>,
    edges: Vec<Edge>,
    /// Where a node's edges begin: those to tallies, to others whose value is wanted, to those whose truth is, and to
    /// comparisons.
    starts: Vec<[u32; 4]>,
}

impl Wiring {
    /// The edges of a formula whose roots' values are wanted.
    pub(super) fn new(bound: &Bound<'_>, roots: &[Mention]) -> Wiring {
        let wanted = wanted(bound, roots);
        let kinds: Vec<Kind> = (0..bound.steps.len()).map(|node| kind(bound, &wanted, node)).collect();
        let mut found: Vec<(u32, usize, Edge)> = Vec::new();
        for (parent, step) in bound.steps.iter().enumerate() {
            let list = match (step, kinds[parent]) {
                (Step::Compare { .. }, _) => 3,
                (_, Kind::PlainAnd | Kind::PlainOr) => 2,
                (_, Kind::Counted) => 0,
                _ => 1,
            };
            let flip = u32::from(matches!(step, Step::Or));
            found.extend(
                bound.below(parent).map(|edge| (edge >> 1, list, (parent as u32) << 1 | (edge & 1) ^ flip)),
            );
        }
        found.sort_unstable();
        let mut starts = Vec::with_capacity(bound.steps.len() + 1);
        let mut at = 0;
        for node in 0..=bound.steps.len() as u32 {
            starts.push([0, 1, 2, 3].map(|list| {
                at += found[at..].iter().take_while(|(of, number, _)| (*of, *number) < (node, list)).count();
                at as u32
            }));
        }
        Wiring { kinds, wanted, edges: found.into_iter().map(|(_, _, edge)| edge).collect(), starts }
    }

    /// The places of a node's edges to tallies.
    pub(super) fn tallies_at(&self, node: usize) -> Range<usize> {
        self.starts[node][0] as usize..self.starts[node][1] as usize
    }

    pub(super) fn edge(&self, place: usize) -> Edge {
        self.edges[place]
    }

    /// The tallies that a node is a member of.
    pub(super) fn counted(&self, node: usize) -> &[Edge] {
        &self.edges[self.tallies_at(node)]
    }

    /// The other nodes that want a node's value.
    pub(super) fn graded(&self, node: usize) -> &[Edge] {
        &self.edges[self.starts[node][1] as usize..self.starts[node][2] as usize]
    }

    /// The nodes that want a node's truth.
    pub(super) fn plain(&self, node: usize) -> &[Edge] {
        &self.edges[self.starts[node][2] as usize..self.starts[node][3] as usize]
    }

    /// The comparisons that a node gives a value to.
    pub(super) fn comparisons(&self, node: usize) -> &[Edge] {
        &self.edges[self.starts[node][3] as usize..self.starts[node + 1][0] as usize]
    }
}

/// The nodes whose values are wanted.
fn wanted(bound: &Bound<'_>, roots: &[Mention]) -> Vec<bool> {
    let mut wanted = vec![false; bound.steps.len()];
    let mut stack: Vec<usize> = roots.iter().map(|mention| mention.unsigned_abs() as usize - 1).collect();
    // A best case is one of values, and a loop is settled by values, even where their truth alone matters.
    let by_value = |node: &usize| bound.loop_of[*node].is_some() || matches!(bound.steps[*node], Step::Best);
    stack.extend((0..wanted.len()).filter(by_value));
    while let Some(node) = stack.pop() {
        if !std::mem::replace(&mut wanted[node], true) {
            stack.extend(bound.members(node).iter().map(|edge| (edge >> 1) as usize));
        }
    }
    wanted
}

fn kind(bound: &Bound<'_>, wanted: &[bool], node: usize) -> Kind {
    let of_facts = || {
        let mut members = bound.members(node).iter();
        members.all(|edge| matches!(bound.steps[(edge >> 1) as usize], Step::Fact))
    };
    match bound.steps[node] {
        _ if bound.loop_of[node].is_some() => Kind::Loop,
        Step::Fact => Kind::Fact,
        Step::And | Step::Or if wanted[node] && of_facts() => Kind::Counted,
        Step::And if wanted[node] => Kind::And,
        Step::Or if wanted[node] => Kind::Or,
        Step::And => Kind::PlainAnd,
        Step::Or => Kind::PlainOr,
        _ => Kind::Leaf,
    }
}

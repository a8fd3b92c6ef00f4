//! Plans the evaluation of a loop: its steps and their order.
//!
//! A `Node::Best` that only one conjunction reads, or that has one member, is not a step of its own. The conjunction
//! chooses from its members.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::machine::CompressedRows;

use super::super::bind::BoundFormula;
use super::super::kinds::ExplainedKind;
use super::super::mention::Edge;

/// The number of nodes outside of loops that take as long as a step.
const WORK_OF_A_STEP: usize = 8;

/// The most members that planning visits: it takes a second.
const MOST_VISITED: usize = 1 << 25;

/// The plan of a loop.
#[derive(Default)]
pub(super) struct Loop {
    /// The steps, in the order in which derivations reach them.
    pub(super) steps: Vec<LoopStep>,
    /// For each step the vectors of members outside the loop.
    pub(super) outside: CompressedRows<u32>,
    /// For each step its choices.
    pub(super) choices: CompressedRows<u32>,
    /// For each choice the steps from which it takes the best.
    pub(super) chosen: CompressedRows<u32>,
    /// For each choice, the part of `chosen` that comes before the choosing step.
    pub(super) earlier: CompressedRows<u32>,
    /// For each choice the rest of `chosen`.
    pub(super) later: CompressedRows<u32>,
    /// For each step the steps that choose from it.
    pub(super) parents: CompressedRows<u32>,
    /// For each needed node, steps; the best one gives the node's value. No step is a `LoopStep::Best`.
    pub(super) outputs: CompressedRows<u32>,
}

/// A step of a loop.
#[derive(Clone, Copy, Debug)]
pub(super) enum LoopStep {
    /// A node outside the loop, by the vectors of its value and of its negation.
    Given([u32; 2]),
    /// A conjunction of its members outside the loop, and of the best member of each of its choices.
    And { half_saturation: f32 },
    /// The best of its one choice.
    Best,
}

impl Loop {
    /// The work of a value, in nodes.
    pub(super) fn work(&self) -> usize {
        WORK_OF_A_STEP * (self.steps.len() + self.outputs.total()) + self.chosen.total()
    }
}

/// The plan of a loop under construction.
pub(super) struct LoopPlanning<'a, 'm> {
    bound: &'a BoundFormula<'m, 'm>,
    nodes: RangeInclusive<usize>,
    /// For each node of the loop the number of its mentions in the loop.
    mentions: Vec<u32>,
    steps: Vec<Draft>,
    known: FxHashMap<Edge, u32>,
    /// Members visited so far.
    visited: usize,
}

/// A step under construction.
struct Draft {
    edge: Edge,
    outside: Vec<Edge>,
    choices: Vec<Vec<u32>>,
}

impl<'a, 'm> LoopPlanning<'a, 'm> {
    pub(super) fn new(bound: &'a BoundFormula<'m, 'm>, number: u32) -> LoopPlanning<'a, 'm> {
        let (first, last) = bound.loops[number as usize];
        let nodes = first as usize..=last as usize;
        let mut mentions = vec![0; nodes.clone().count()];
        for edge in nodes.clone().flat_map(|node| bound.members(node)) {
            let node = (edge >> 1) as usize;
            if nodes.contains(&node) {
                mentions[node - nodes.start()] += 1;
            }
        }
        LoopPlanning { bound, nodes, mentions, steps: Vec::new(), known: FxHashMap::default(), visited: 0 }
    }

    fn is_inside(&self, edge: Edge) -> bool {
        self.nodes.contains(&((edge >> 1) as usize))
    }

    fn is_best(&self, edge: Edge) -> bool {
        self.is_inside(edge) && self.bound.kind((edge >> 1) as usize) == Some(ExplainedKind::Best)
    }

    /// Whether a `Node::Best` is not a step of its own.
    fn is_inlined(&self, edge: Edge) -> bool {
        let node = (edge >> 1) as usize;
        let alone = matches!(self.bound.members(node), [member] if !self.is_best(*member));
        self.is_best(edge) && (alone || self.mentions[node - self.nodes.start()] <= 1)
    }

    /// Replaces the inlined `Node::Best` among some edges, or `all` of them, by their members. `None` if more than
    /// [`MOST_VISITED`] members would be visited.
    fn behind(&mut self, edges: &[Edge], all: bool) -> Option<Vec<Edge>> {
        let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
        let mut stack: Vec<Edge> = edges.iter().rev().copied().collect();
        while let Some(edge) = stack.pop() {
            if !seen.insert(edge) {
                continue;
            }
            self.visited += 1;
            if self.visited > MOST_VISITED {
                return None;
            }
            if self.is_inlined(edge) || all && self.is_best(edge) {
                stack.extend(self.bound.members((edge >> 1) as usize).iter().rev());
            } else {
                found.push(edge);
            }
        }
        // A conjunction of one of the others has no greater value.
        let alone: FxHashSet<Edge> = found.iter().copied().collect();
        let needs = |edge: Edge| match self.is_inside(edge) && !self.is_best(edge) {
            true => self.bound.members((edge >> 1) as usize),
            false => &[],
        };
        found.retain(|&edge| !needs(edge).iter().any(|need| !self.is_inside(*need) && alone.contains(need)));
        Some(found)
    }

    /// The steps of some edges, added if they are new.
    fn steps_of(&mut self, edges: &[Edge]) -> Vec<u32> {
        let mut numbers = Vec::with_capacity(edges.len());
        for &edge in edges {
            let next = self.steps.len() as u32;
            let number = *self.known.entry(edge).or_insert(next);
            if number == next {
                self.steps.push(Draft { edge, outside: Vec::new(), choices: Vec::new() });
            }
            numbers.push(number);
        }
        numbers
    }

    /// The plan for the needed nodes, or `None` if the loop is too large; `vectors` returns the vectors of a member's
    /// value and negation.
    pub(super) fn plan(
        mut self,
        needed: &[usize],
        vectors: impl Fn(Edge) -> [u32; 2],
        half_saturation: impl Fn(usize) -> f32,
    ) -> Option<Loop> {
        let mut outputs = Vec::with_capacity(needed.len());
        for &node in needed {
            let behind = self.behind(&[(node as Edge) << 1], true)?;
            outputs.push(self.steps_of(&behind));
        }
        let mut next = 0;
        while next < self.steps.len() {
            let edge = self.steps[next].edge;
            if self.is_inside(edge) {
                let members = self.bound.members((edge >> 1) as usize);
                let (inside, outside): (Vec<Edge>, Vec<Edge>) =
                    members.iter().copied().partition(|&edge| self.is_inside(edge));
                let mut choices = Vec::with_capacity(inside.len());
                if self.is_best(edge) {
                    let chosen = self.behind(members, false)?;
                    choices.push(self.steps_of(&chosen));
                } else {
                    for edge in inside {
                        let chosen = self.behind(&[edge], false)?;
                        choices.push(self.steps_of(&chosen));
                    }
                    self.steps[next].outside = outside;
                }
                self.steps[next].choices = choices;
            }
            next += 1;
        }
        let order = self.order();
        let mut position_of = vec![0; order.len()];
        (0..).zip(&order).for_each(|(at, &step)| position_of[step as usize] = at);
        let mut of = Loop::default();
        let mut parents = Vec::new();
        for (at, draft) in (0..).zip(order.iter().map(|&step| &self.steps[step as usize])) {
            let node = (draft.edge >> 1) as usize;
            of.steps.push(match () {
                () if !self.is_inside(draft.edge) => LoopStep::Given(vectors(draft.edge)),
                () if self.is_best(draft.edge) => LoopStep::Best,
                () => LoopStep::And { half_saturation: half_saturation(node) },
            });
            of.outside.push(draft.outside.iter().map(|&edge| vectors(edge)[0]));
            let first = of.chosen.len() as u32;
            for choice in &draft.choices {
                let chosen = choice.iter().map(|&step| position_of[step as usize]);
                of.chosen.push(chosen.clone());
                of.earlier.push(chosen.clone().filter(|&step| step < at));
                of.later.push(chosen.filter(|&step| step >= at));
                parents.extend(choice.iter().map(|&step| (position_of[step as usize], at)));
            }
            of.choices.push(first..of.chosen.len() as u32);
        }
        parents.sort_unstable();
        parents.dedup();
        of.parents = CompressedRows::of_pairs(&parents, order.len());
        for output in outputs {
            of.outputs.push(output.into_iter().map(|step| position_of[step as usize]));
        }
        Some(of)
    }

    /// The steps in the order in which derivations reach them, short ones first; then unreachable steps.
    fn order(&self) -> Vec<u32> {
        let of_choice: Vec<(u32, &Vec<u32>)> = (0..)
            .zip(&self.steps)
            .flat_map(|(step, draft)| draft.choices.iter().map(move |chosen| (step, chosen)))
            .collect();
        let mut pairs = Vec::new();
        for (choice, (_, chosen)) in (0..).zip(&of_choice) {
            pairs.extend(chosen.iter().map(|&step| (step, choice)));
        }
        pairs.sort_unstable();
        let readers = CompressedRows::of_pairs(&pairs, self.steps.len());
        let mut open: Vec<usize> = self.steps.iter().map(|draft| draft.choices.len()).collect();
        let mut made = vec![false; of_choice.len()];
        let mut queue: VecDeque<u32> =
            (0..self.steps.len() as u32).filter(|&step| open[step as usize] == 0).collect();
        let mut order = Vec::with_capacity(self.steps.len());
        while let Some(step) = queue.pop_front() {
            order.push(step);
            for &choice in readers.row(step as usize) {
                if !std::mem::replace(&mut made[choice as usize], true) {
                    let of = of_choice[choice as usize].0;
                    open[of as usize] -= 1;
                    if open[of as usize] == 0 {
                        queue.push_back(of);
                    }
                }
            }
        }
        order.extend((0..self.steps.len() as u32).filter(|&step| open[step as usize] > 0));
        order
    }
}

//! What others want of the nodes of a formula: values, negations, where they hold.

use std::ops::RangeInclusive;

use super::super::bind::{Bound, Edge, Step};
use super::super::evaluate::Evaluator;
use super::super::value::FuzzyFunction;

/// Facts that are tallied at most.
pub(super) const MOST_TALLIED: usize = 8;

/// What others want of a node: its value, its negation, where it holds.
#[derive(Clone, Copy, Default)]
pub(super) struct Want {
    pub(super) values: [bool; 2],
    pub(super) truth: bool,
}

impl Want {
    /// Whether somebody wants to know how far it holds.
    pub(super) fn graded(self) -> bool {
        self.values[0] || self.values[1]
    }

    fn any(self) -> bool {
        self.truth || self.graded()
    }
}

/// What is wanted of every node.
pub(super) struct Wants<'e, 'm> {
    pub(super) evaluator: &'e Evaluator<'m>,
    pub(super) of: Vec<Want>,
    /// For each loop the members outside that its nodes have, where some node of it is wanted.
    outside: Vec<Vec<Edge>>,
}

impl<'e, 'm> Wants<'e, 'm> {
    /// Goes from the roots down. Members stand before those that mention them, but for what always holds.
    pub(super) fn new(function: &FuzzyFunction, evaluator: &'e Evaluator<'m>) -> Wants<'e, 'm> {
        let bound = &evaluator.bound;
        let mut wants = vec![Want::default(); bound.steps.len()];
        let mut outside = vec![Vec::new(); bound.loops.len()];
        for goal in function.goals.iter().chain(&function.against) {
            wants[goal.condition.unsigned_abs() as usize - 1].values = [true; 2];
        }
        let terminal = function.terminal;
        wants[terminal.unsigned_abs() as usize - 1].values[usize::from(terminal > 0)] = true;
        for node in (0..bound.steps.len()).rev() {
            if let Some(number) = bound.loop_of[node] {
                // All that mentions a loop stands after it.
                let (first, last) = bound.loops[number as usize];
                if node == last as usize {
                    outside[number as usize] = ask_of_loop(bound, first as usize..=node, &mut wants);
                }
                continue;
            }
            let want = wants[node];
            if !want.any() {
                continue;
            }
            let graded = want.graded();
            let mut ask = |edge: Edge, value: bool, negation: bool, truth: bool| {
                let asked = &mut wants[(edge >> 1) as usize];
                let [value, negation] = if edge & 1 == 1 { [negation, value] } else { [value, negation] };
                asked.values[0] |= value;
                asked.values[1] |= negation;
                asked.truth |= truth;
            };
            let members = bound.members(node);
            match &bound.steps[node] {
                Step::And | Step::Or if graded && is_tally(bound, node) => {
                    members.iter().for_each(|&edge| ask(edge, false, false, true));
                }
                Step::And => members.iter().for_each(|&edge| ask(edge, graded, false, want.truth)),
                Step::Or => members.iter().for_each(|&edge| ask(edge, false, graded, want.truth)),
                Step::Soon => members.iter().for_each(|&edge| ask(edge, graded, graded, false)),
                Step::Toward => {
                    ask(members[0], false, false, true);
                    ask(members[1], graded, graded, false);
                }
                Step::Compare { .. } => bound.below(node).for_each(|edge| ask(edge, false, false, true)),
                _ => {}
            }
        }
        Wants { evaluator, of: wants, outside }
    }

    /// The members by whose values a node's is told.
    pub(super) fn graded_members(&self, node: usize) -> &[Edge] {
        let bound = &self.evaluator.bound;
        if let Some(number) = bound.loop_of[node] {
            return &self.outside[number as usize];
        }
        let members = bound.members(node);
        match &bound.steps[node] {
            Step::And | Step::Or if !is_tally(bound, node) => members,
            Step::Soon => members,
            Step::Toward => &members[1..],
            _ => &[],
        }
    }
}

/// Whether a conjunction or disjunction is told by the number of its members that hold.
pub(super) fn is_tally(bound: &Bound<'_>, node: usize) -> bool {
    let members = bound.members(node);
    let fact = |edge: &Edge| matches!(bound.steps[(edge >> 1) as usize], Step::Fact);
    bound.loop_of[node].is_none() && members.len() <= MOST_TALLIED && members.iter().all(fact)
}

/// Asks for what the nodes of a loop look at outside, if one of them is wanted: their values, and, where the negation of a best
/// case is wanted, which is that of its best member, their negations. Tells what that is.
fn ask_of_loop(bound: &Bound<'_>, nodes: RangeInclusive<usize>, wants: &mut [Want]) -> Vec<Edge> {
    let wanted = |sign: usize| wants[nodes.clone()].iter().any(|want| want.values[sign]);
    let signs = [wanted(0) || wanted(1), wanted(1)];
    if !signs[0] {
        return Vec::new();
    }
    let outside = |edge: &Edge| !nodes.contains(&((edge >> 1) as usize));
    let members = nodes.clone().flat_map(|node| bound.members(node)).copied();
    let mut edges: Vec<Edge> = members.filter(outside).collect();
    edges.sort_unstable();
    edges.dedup();
    for edge in &edges {
        let negated = (edge & 1) as usize;
        let asked = &mut wants[(edge >> 1) as usize].values;
        asked[negated] |= signs[0];
        asked[negated ^ 1] |= signs[1];
    }
    edges
}

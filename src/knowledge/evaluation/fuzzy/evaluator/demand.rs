//! Demand analysis: which values, negations and truth values of a formula's nodes are needed.

use std::ops::RangeInclusive;

use super::super::bind::BoundFormula;
use super::super::formula::Goal;
use super::super::kinds::ExplainedKind;
use super::super::kinds::and::MOST_COUNTED;
use super::super::mention::{Edge, Mention};

/// The nodes whose values are results.
#[derive(Clone, Copy, Default)]
pub(in super::super) struct Roots<'r> {
    /// Nodes whose values and negations are results.
    pub(in super::super) values: &'r [Mention],
    /// The goal values of a role and those of its opponents, from which the function's value is computed.
    pub(in super::super) goals: [&'r [Goal]; 2],
    /// The end, if there are goals.
    pub(in super::super) terminal: Option<Mention>,
}

/// The demand for a node.
#[derive(Clone, Copy, Default)]
pub(super) struct Needs {
    /// Its value, and its negation.
    pub(super) values: [bool; 2],
    /// Its truth value.
    pub(super) truth: bool,
}

/// The demand for every node.
pub(super) struct Demand {
    pub(super) of: Vec<Needs>,
    /// Whether a node's value is looked up by the number of members that hold.
    pub(super) counted: Vec<bool>,
    /// For each needed loop the members of its nodes outside of it.
    outside: Vec<Vec<Edge>>,
}

impl Demand {
    /// Visits the nodes from the roots to the leaves. Members come before their parents, except for the constant true.
    pub(super) fn new(bound: &BoundFormula<'_, '_>, roots: &Roots<'_>) -> Demand {
        let mut demand = Demand {
            of: vec![Needs::default(); bound.count()],
            counted: (0..bound.count()).map(|node| is_counted(bound, node)).collect(),
            outside: vec![Vec::new(); bound.loops.len()],
        };
        let goals = roots.goals.into_iter().flatten().map(|goal| goal.condition);
        for mention in roots.values.iter().copied().chain(goals) {
            demand.of[mention.unsigned_abs() as usize - 1].values = [true; 2];
        }
        if let Some(end) = roots.terminal {
            demand.of[end.unsigned_abs() as usize - 1].values[usize::from(end > 0)] = true;
        }
        for node in (0..bound.nodes.len()).rev() {
            match bound.loop_of[node] {
                Some(number) => {
                    // Nodes that mention a loop come after it.
                    let (first, last) = bound.loops[number as usize];
                    if node == last as usize {
                        demand.outside[number as usize] = demand.demand_of_loop(bound, first as usize..=node);
                    }
                }
                None => demand.demand_of_node(bound, node),
            }
        }
        demand
    }

    fn demand_of_node(&mut self, bound: &BoundFormula<'_, '_>, node: usize) {
        let kind = bound.nodes[node].kind();
        let members = bound.members(node);
        if self.is_valued(node) {
            let needs = kind.needs(self.of[node].values);
            for &edge in kind.valued(members, self.counted[node]) {
                let (member, sign) = ((edge >> 1) as usize, (edge & 1) as usize);
                self.of[member].values[sign] |= needs[0];
                self.of[member].values[sign ^ 1] |= needs[1];
            }
            for edge in self.reads(bound, node) {
                self.of[(edge >> 1) as usize].truth = true;
            }
        }
        if self.of[node].truth {
            kind.decided_by(members).iter().for_each(|&edge| self.of[(edge >> 1) as usize].truth = true);
        }
    }

    /// If a node of a loop is needed, the values of its members outside the loop are needed, too; they are returned.
    /// Their negations are needed if a negation of the loop is: the negation of a `best` node is that of its best
    /// member.
    fn demand_of_loop(&mut self, bound: &BoundFormula<'_, '_>, nodes: RangeInclusive<usize>) -> Vec<Edge> {
        // The truth of a node of a loop follows from its value.
        self.of[nodes.clone()].iter_mut().for_each(|needs| needs.values[0] |= needs.truth);
        let needed = |sign: usize| self.of[nodes.clone()].iter().any(|needs| needs.values[sign]);
        let signs = [needed(0) || needed(1), needed(1)];
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
            let values = &mut self.of[(edge >> 1) as usize].values;
            values[negated] |= signs[0];
            values[negated ^ 1] |= signs[1];
        }
        edges
    }

    /// Whether a node's value or its negation is computed.
    pub(super) fn is_valued(&self, node: usize) -> bool {
        self.of[node].values[0] || self.of[node].values[1]
    }

    /// The nodes whose values or negations are computed.
    pub(super) fn valued(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.of.len()).filter(|&node| self.is_valued(node))
    }

    /// The members whose values a node uses.
    pub(super) fn valued_members<'b>(&'b self, bound: &'b BoundFormula<'_, '_>, node: usize) -> &'b [Edge] {
        match (bound.loop_of[node], bound.kind(node)) {
            (Some(number), _) => &self.outside[number as usize],
            (None, Some(kind)) => kind.valued(bound.members(node), self.counted[node]),
            (None, None) => &[],
        }
    }

    /// The edges whose truth a node's value depends on.
    pub(super) fn reads(&self, bound: &BoundFormula<'_, '_>, node: usize) -> Vec<Edge> {
        match bound.kind(node).filter(|_| bound.loop_of[node].is_none()) {
            Some(kind) => kind.reads((node as Edge) << 1, bound.members(node), self.counted[node]),
            None => Vec::new(),
        }
    }
}

/// Whether a node is a conjunction or disjunction of few facts.
fn is_counted(bound: &BoundFormula<'_, '_>, node: usize) -> bool {
    let members = bound.members(node);
    let is_fact = |edge: &Edge| bound.kind((edge >> 1) as usize) == Some(ExplainedKind::Fact);
    [Some(ExplainedKind::And), Some(ExplainedKind::Or)].contains(&bound.kind(node))
        && bound.loop_of[node].is_none()
        && members.len() <= MOST_COUNTED
        && members.iter().all(is_fact)
}

//! Putting the nodes of a formula in an order in which many are computed in the same way, one after the other.

use std::mem;

use crate::machine::{CompressedRows, FluentId};

use super::super::bind::{Edge, Step};
use super::super::evaluate::Evaluator;
use super::super::formula::Mention;
use super::super::parameters::FuzzyParameters;
use super::super::strict::{self, Strict};
use super::super::value::{FuzzyFunction, Goal};
use super::conjunction::Norm;
use super::loop_planning::{Loop, LoopPlanning};
use super::plan::{Compared, Kind, NONE, Operation, Plan, Planned, ReadFacts, Segment, Wanted};
use super::truths::{Builder, Literal};
use super::wants::{Wants, is_tally};

/// What is known of a formula's nodes, by their places in the formula.
pub(super) struct Planning<'e, 'm> {
    wants: Wants<'e, 'm>,
    read: ReadFacts,
    truths: Builder,
    norm: Norm,
    /// What adds that does not hold, that holds, and that always does: its value, and its negation.
    leaf: [[f32; 2]; 3],
    held: f32,
    /// The places of nodes in the plan.
    place: Vec<u32>,
    /// Their vectors.
    vectors: Vec<[u32; 2]>,
}

impl<'e, 'm> Planning<'e, 'm> {
    pub(super) fn new(
        wants: Wants<'e, 'm>,
        read: ReadFacts,
        truths: Builder,
        parameters: &FuzzyParameters,
    ) -> Planning<'e, 'm> {
        let strict = Strict::new(parameters.threshold);
        let leaf = [1.0 - parameters.p, parameters.p, 1.0].map(|value| {
            let strict::Costs { value, negation } = strict::Costs::of(strict.inside(value));
            let [value, negation] = [value as f32, negation as f32];
            if value < negation { [value, -negation] } else { [-value, negation] }
        });
        let (norm, held) = (Norm::new(&strict), parameters.p as f32);
        let count = wants.of.len();
        let (place, vectors) = (vec![NONE; count], vec![[NONE; 2]; count]);
        Planning { wants, read, truths, norm, leaf, held, place, vectors }
    }

    /// Nodes whose values are asked for.
    fn graded(&self) -> impl DoubleEndedIterator<Item = usize> + use<'_, 'e, 'm> {
        (0..self.wants.of.len()).filter(|&node| self.wants.of[node].graded())
    }

    /// The values of a conjunction, or disjunction, of so many facts, by how many of them hold.
    fn tally(&self, members: usize, is_or: bool, breadth: f32) -> Vec<[f32; 2]> {
        let mut values = Vec::with_capacity(members + 1);
        for held in 0..=members {
            // A disjunction is the negation of a conjunction of negations.
            let part = usize::from(is_or);
            let mut sums = [0.0; 2];
            for member in 0..members {
                let cost = self.leaf[usize::from(member < held)][part];
                sums[usize::from(cost < 0.0)] += cost.abs();
            }
            let [value, negation] = self.norm.conjunction(sums, breadth);
            values.push(if is_or { [negation, value] } else { [value, negation] });
        }
        values
    }

    fn kind(&self, node: usize) -> Kind {
        let bound = &self.wants.evaluator.bound;
        if let Some(number) = bound.loop_of[node] {
            return Kind::Loop(number);
        }
        match &bound.steps[node] {
            Step::Always => Kind::Always,
            Step::And | Step::Or if !is_tally(bound, node) => Kind::Members,
            _ => Kind::Leaf,
        }
    }

    /// Sorts nodes by how far they stand above the leaves, and by kinds.
    fn order(&mut self) -> (Vec<usize>, Vec<Segment>) {
        let bound = &self.wants.evaluator.bound;
        let mut level = vec![0u32; self.place.len()];
        let mut sorted = Vec::new();
        for node in self.graded() {
            let kind = self.kind(node);
            if kind != Kind::Always {
                let below = self.wants.graded_members(node).iter().map(|edge| level[(edge >> 1) as usize]);
                level[node] = 1 + below.max().unwrap_or(0);
            }
            sorted.push((level[node], kind, bound.members(node).len(), node));
        }
        sorted.sort_unstable();
        let mut segments: Vec<Segment> = Vec::new();
        for of in sorted.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            let first = segments.last().map_or(0, |segment| segment.nodes.end);
            segments.push(Segment { kind: of[0].1, nodes: first..first + of.len() });
        }
        let order: Vec<usize> = sorted.into_iter().map(|(.., node)| node).collect();
        for (place, &node) in (0..).zip(&order) {
            self.place[node] = place;
        }
        (order, segments)
    }

    fn edge(&self, edge: Edge) -> Edge {
        self.place[(edge >> 1) as usize] << 1 | edge & 1
    }

    /// The vectors of a mention's value and negation.
    fn of(&self, mention: Mention) -> [u32; 2] {
        let [value, negation] = self.vectors[mention.unsigned_abs() as usize - 1];
        if mention < 0 { [negation, value] } else { [value, negation] }
    }

    /// The plan of a function that looks at these facts; none where a loop is too large.
    pub(super) fn plan(mut self, function: &FuzzyFunction, facts: Vec<FluentId>) -> Option<Plan> {
        let (order, segments) = self.order();
        let mut vectors = 0;
        for &node in &order {
            for (vector, wanted) in self.vectors[node].iter_mut().zip(self.wants.of[node].values) {
                if wanted {
                    *vector = vectors;
                    vectors += 1;
                }
            }
        }
        let mut lists = NodeLists::default();
        let nodes: Vec<Planned> = order.iter().map(|&node| self.node(node, &mut lists)).collect();
        let loops = self.loops(&order, &segments)?;
        let wanted =
            |goal: &Goal| Wanted { share: goal.value as f32 / 100.0, condition: self.of(goal.condition) };
        let [missing, holding, always] = self.leaf;
        let (watched, watchers) = lists.watchers();
        let NodeLists { operands, members, mut parents, tallied, counted, measured, compared, .. } = lists;
        parents.sort_unstable();
        parents.dedup();
        Some(Plan {
            watched,
            watchers,
            segments,
            operands,
            members,
            parents: CompressedRows::of_pairs(&parents, nodes.len()),
            tallied,
            counted,
            measured,
            compared,
            loops,
            nodes,
            vectors: vectors as usize,
            norm: self.norm,
            fact: [missing, holding],
            always,
            held: self.held,
            open: self.of(function.terminal)[1],
            goals: function.goals.iter().map(wanted).collect(),
            against: function.against.iter().map(wanted).collect(),
            truths: self.truths.into_truths(),
            facts,
        })
    }

    /// All loops, those empty of which nothing is wanted; none where one is too large.
    fn loops(&self, order: &[usize], segments: &[Segment]) -> Option<Vec<Loop>> {
        let Evaluator { bound, breadths, .. } = self.wants.evaluator;
        let mut loops: Vec<Loop> = bound.loops.iter().map(|_| Loop::default()).collect();
        for segment in segments {
            if let Kind::Loop(number) = segment.kind {
                let of_edge = |edge: Edge| {
                    let [value, negation] = self.vectors[(edge >> 1) as usize];
                    if edge & 1 == 1 { [negation, value] } else { [value, negation] }
                };
                let breadth = |node: usize| breadths[node] as f32;
                let planning = LoopPlanning::new(bound, number);
                loops[number as usize] = planning.plan(&order[segment.nodes.clone()], of_edge, breadth)?;
            }
        }
        Some(loops)
    }

    fn node(&self, node: usize, lists: &mut NodeLists) -> Planned {
        let Evaluator { bound, breadths, .. } = self.wants.evaluator;
        let (place, members) = (self.place[node], bound.members(node));
        let literals = |edges: &[(u32, Edge)]| -> Vec<(u32, Literal)> {
            edges.iter().map(|&(place, edge)| (place, self.truths.edge(edge))).collect()
        };
        let operation = match &bound.steps[node] {
            _ if bound.loop_of[node].is_some() => Operation::Loop,
            Step::Always => Operation::Always,
            Step::Fact => Operation::Fact,
            Step::Near(_) => {
                lists.measured.push(self.read.measured[node].clone());
                Operation::Near(lists.measured.len() as u32 - 1)
            }
            Step::Soon => Operation::Soon,
            Step::Toward => Operation::Toward(self.truths.edge(members[0])),
            Step::Compare { relation, left, right, length } => {
                let (sides, length) = ([literals(left), literals(right)], *length as f32);
                lists.compared.push(Compared { relation: *relation, sides, length });
                Operation::Compare(lists.compared.len() as u32 - 1)
            }
            Step::And | Step::Or if is_tally(bound, node) => {
                lists.tallied.push(members.iter().map(|&edge| self.truths.edge(edge)));
                let is_or = matches!(bound.steps[node], Step::Or);
                lists.counted.push(self.tally(members.len(), is_or, breadths[node] as f32));
                Operation::Tally(lists.tallied.len() as u32 - 1)
            }
            Step::And => Operation::And,
            Step::Or => Operation::Or,
            Step::Derived | Step::Best => unreachable!("such formulas are not planned"),
        };
        let below = self.wants.graded_members(node);
        lists.members.push(below.iter().map(|&edge| self.edge(edge)));
        lists.parents.extend(below.iter().map(|&edge| (self.edge(edge) >> 1, place)));
        let mut watch = |signal: u32| lists.watched.push((signal, place));
        match operation {
            Operation::And | Operation::Or => {
                let flip = u32::from(operation == Operation::Or);
                let operand = |&edge: &Edge| self.vectors[(edge >> 1) as usize][(edge & 1 ^ flip) as usize];
                lists.operands.push(below.iter().map(operand));
            }
            Operation::Fact | Operation::Near(_) | Operation::Soon => {
                let held = self.read.held.row(node).iter().copied();
                let measured = self.read.measured[node].iter().map(|&(fact, _)| fact);
                held.clone().chain(measured).for_each(watch);
                lists.operands.push(held);
            }
            Operation::Toward(literal) => watch(literal >> 1),
            Operation::Tally(tally) => {
                lists.tallied.row(tally as usize).iter().for_each(|literal| watch(literal >> 1));
            }
            Operation::Compare(number) => {
                let sides = lists.compared[number as usize].sides.iter().flatten();
                sides.for_each(|(_, literal)| watch(literal >> 1));
            }
            Operation::Always | Operation::Loop => {}
        }
        lists.operands.fill_to(lists.members.len());
        Planned { operation, vectors: self.vectors[node], breadth: breadths[node] as f32 }
    }
}

/// What is listed of nodes, one after the other.
#[derive(Default)]
struct NodeLists {
    operands: CompressedRows<u32>,
    members: CompressedRows<u32>,
    /// A node, and one that it is a member of.
    parents: Vec<(u32, u32)>,
    tallied: CompressedRows<u32>,
    counted: Vec<Vec<[f32; 2]>>,
    measured: Vec<Vec<(u32, f32)>>,
    compared: Vec<Compared>,
    /// A signal, and a node that looks at it.
    watched: Vec<(u32, u32)>,
}

impl NodeLists {
    /// The signals that nodes look at, and for each of them these nodes.
    fn watchers(&mut self) -> (Vec<u32>, CompressedRows<u32>) {
        let mut pairs = mem::take(&mut self.watched);
        pairs.sort_unstable();
        pairs.dedup();
        let (mut watched, mut watchers) = (Vec::new(), CompressedRows::default());
        for of in pairs.chunk_by(|one, other| one.0 == other.0) {
            watched.push(of[0].0);
            watchers.push(of.iter().map(|&(_, node)| node));
        }
        (watched, watchers)
    }
}

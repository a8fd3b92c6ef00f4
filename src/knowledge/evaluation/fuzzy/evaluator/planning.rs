//! Compiles a formula into a [`Plan`]: sorts its nodes into segments of nodes that are computed in the same way.

use std::mem;

use rustc_hash::FxHashMap;

use crate::machine::CompressedRows;

use super::super::bind::BoundFormula;
use super::super::bind_error::BindError;
use super::super::comparison::Places;
use super::super::formula::Goal;
use super::super::half_saturation::half_saturations;
use super::super::kinds::{KernelMaker, Kernels};
use super::super::mention::{Edge, Literal, Mention};
use super::super::parameters::FuzzyParameters;
use super::demand::{Demand, Roots};
use super::gates::GateBuilder;
use super::loop_planning::{Loop, LoopPlanning};
use super::plan::{Arithmetic, GoalOperand, Plan, Segment, SegmentKind};
use super::tables::{NONE, Tables};

/// A plan under construction. Lists have an entry for each node of the formula, unless they say otherwise.
struct Planning<'b> {
    bound: &'b BoundFormula<'b, 'b>,
    demand: &'b Demand,
    /// The literal that is true if the node holds.
    literals: Vec<Literal>,
    norm: Arithmetic,
    /// The operands of a fact that does not hold, of one that holds, and of the constant true.
    leaf: [[f32; 2]; 3],
    half_saturations: Vec<f64>,
    /// The node's index in the plan; [`NONE`] if it is not computed.
    place: Vec<u32>,
    /// The vectors of the node's value and of its negation; [`NONE`] if not needed.
    vectors: Vec<[u32; 2]>,
    lists: NodeLists,
}

/// Lists with an entry for each node of the plan.
#[derive(Default)]
struct NodeLists {
    tables: Tables,
    /// Pairs of a node and its parent.
    parents: Vec<(u32, u32)>,
    /// The operands of counts, by number of facts, kind and half-saturation.
    by_count: FxHashMap<(usize, bool, u64), Vec<[f32; 2]>>,
    /// Pairs of a signal and a node that reads it.
    watched: Vec<(u32, u32)>,
}

/// Makes the plan of a formula.
///
/// # Errors
/// A loop is too large.
pub(super) fn plan(
    bound: &BoundFormula<'_, '_>,
    roots: &Roots<'_>,
    parameters: &FuzzyParameters,
) -> Result<Plan, BindError> {
    let demand = Demand::new(bound, roots);
    let held = |node: usize| bound.held.row(node);
    let (gates, loop_signals) = GateBuilder::new(bound, &demand, &held);
    let (gates, literals) = gates.into_parts();
    let norm = Arithmetic::new(parameters.norm, parameters.threshold);
    let leaf = [1.0 - parameters.p, parameters.p, 1.0].map(|value| norm.leaf(parameters.threshold, value));
    let mut planning = Planning {
        bound,
        demand: &demand,
        literals,
        norm,
        leaf,
        half_saturations: half_saturations(bound, parameters),
        place: vec![NONE; bound.count()],
        vectors: vec![[NONE; 2]; bound.count()],
        lists: NodeLists::default(),
    };
    let (order, segments) = planning.order(&loop_signals);
    let vectors = planning.number_vectors(&order);
    let kernels: Vec<Kernels> = order.iter().map(|&node| planning.node(node)).collect();
    let loops = planning.loops(&order, &segments)?;
    let loop_signals =
        loop_signals.into_iter().map(|(node, signal)| (planning.place[node as usize], signal)).collect();
    let goal = |goal: &Goal| GoalOperand {
        share: goal.value as f32 / 100.0,
        condition: planning.vectors_of_mention(goal.condition),
    };
    let goals = roots.goals.map(|goals| goals.iter().map(goal).collect());
    let open = roots.terminal.map_or(NONE, |end| planning.vectors_of_mention(end)[1]);
    let of_root = |&root: &Mention| {
        let node = root.unsigned_abs() - 1;
        (node, planning.vectors[node as usize])
    };
    let mut values: Vec<(u32, [u32; 2])> = roots.values.iter().map(of_root).collect();
    values.sort_unstable();
    values.dedup();
    let (watched, watchers) = planning.lists.watchers();
    let NodeLists { tables, mut parents, .. } = planning.lists;
    let tables = Tables { fact: [leaf[0], leaf[1]], held: parameters.p as f32, ..tables };
    parents.sort_unstable();
    parents.dedup();
    Ok(Plan {
        facts: bound.fluents.ids.clone(),
        derived: bound.derived.iter().map(|(_, atom)| atom.clone()).collect(),
        gates,
        watched,
        watchers,
        parents: CompressedRows::of_pairs(&parents, kernels.len()),
        kernels,
        tables,
        segments,
        loops,
        loop_signals,
        vectors: vectors as usize,
        norm,
        always: leaf[2],
        open,
        goals,
        roots: values,
    })
}

impl Planning<'_> {
    fn kind(&self, node: usize) -> SegmentKind {
        match (self.bound.loop_of[node], self.bound.kind(node)) {
            (Some(number), _) => SegmentKind::Loop(number),
            (None, Some(_)) => SegmentKind::Nodes,
            (None, None) => SegmentKind::Always,
        }
    }

    /// Sorts the nodes by level (the length of the longest path to a leaf), and then by kind.
    fn order(&mut self, loop_signals: &[(u32, u32)]) -> (Vec<usize>, Vec<Segment>) {
        let (bound, demand) = (self.bound, self.demand);
        let count = bound.count();
        let mut level = vec![0u32; count];
        // The highest level of a loop on which a node's truth depends.
        let mut decided = vec![0u32; count];
        let mut sorted = Vec::new();
        for node in 0..count {
            let in_loop = bound.loop_of[node].is_some();
            if !in_loop && !loop_signals.is_empty() {
                let by = bound.kind(node).map_or(&[][..], |kind| kind.decided_by(bound.members(node)));
                decided[node] = by.iter().map(|edge| decided[(edge >> 1) as usize]).max().unwrap_or(0);
            }
            if demand.is_valued(node) {
                level[node] = self.level(node, &level, &decided);
            }
            if in_loop {
                decided[node] = level[node];
            }
        }
        for node in demand.valued() {
            let kind = bound.kind(node).map(|kind| kind as usize);
            sorted.push((level[node], self.kind(node), kind, bound.members(node).len(), node));
        }
        sorted.sort_unstable();
        let mut segments: Vec<Segment> = Vec::new();
        for group in sorted.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            let first = segments.last().map_or(0, |segment| segment.nodes.end);
            segments.push(Segment { kind: group[0].1, nodes: first..first + group.len() });
        }
        let order: Vec<usize> = sorted.into_iter().map(|(.., node)| node).collect();
        for (place, &node) in (0..).zip(&order) {
            self.place[node] = place;
        }
        (order, segments)
    }

    fn level(&self, node: usize, level: &[u32], decided: &[u32]) -> u32 {
        if self.kind(node) == SegmentKind::Always {
            return 0;
        }
        let members = self.demand.valued_members(self.bound, node).iter();
        let below = members.map(|edge| level[(edge >> 1) as usize]).max();
        let reads = self.demand.reads(self.bound, node);
        let read = reads.iter().map(|edge| decided[(edge >> 1) as usize]).max();
        1 + below.max(read).unwrap_or(0)
    }

    fn number_vectors(&mut self, order: &[usize]) -> u32 {
        let mut vectors = 0;
        for &node in order {
            for (vector, needed) in self.vectors[node].iter_mut().zip(self.demand.of[node].values) {
                if needed {
                    *vector = vectors;
                    vectors += 1;
                }
            }
        }
        vectors
    }

    /// The vectors of a mention's value and negation.
    fn vectors_of_mention(&self, mention: Mention) -> [u32; 2] {
        self.vectors(((mention.unsigned_abs() - 1) << 1) | u32::from(mention < 0))
    }

    /// All loops; those that no node needs are empty.
    fn loops(&self, order: &[usize], segments: &[Segment]) -> Result<Vec<Loop>, BindError> {
        let mut loops: Vec<Loop> = self.bound.loops.iter().map(|_| Loop::default()).collect();
        for segment in segments {
            if let SegmentKind::Loop(number) = segment.kind {
                let half_saturation = |node: usize| self.half_saturations[node] as f32;
                let planning = LoopPlanning::new(self.bound, number);
                let nodes = &order[segment.nodes.clone()];
                let (first, last) = self.bound.loops[number as usize];
                let too_large =
                    || BindError::Loop { first: first + 1, last: last + 1, what: "it is too large" };
                let found = planning.plan(nodes, |edge| self.vectors(edge), half_saturation);
                loops[number as usize] = found.ok_or_else(too_large)?;
            }
        }
        Ok(loops)
    }

    fn node(&mut self, node: usize) -> Kernels {
        let (bound, demand, place) = (self.bound, self.demand, self.place[node]);
        let kernel = match self.kind(node) {
            SegmentKind::Nodes => bound.nodes[node].kernel(node, self),
            SegmentKind::Always | SegmentKind::Loop(_) => Kernels::Elsewhere,
        };
        let members = demand.valued_members(bound, node).iter();
        self.lists.parents.extend(members.map(|&edge| (self.place[(edge >> 1) as usize], place)));
        for edge in demand.reads(bound, node) {
            self.lists.watched.push((self.literal(edge) >> 1, place));
        }
        let tables = &mut self.lists.tables;
        tables.operands.fill_to(place as usize + 1);
        tables.vectors.push(self.vectors[node]);
        tables.half_saturations.push(self.half_saturations[node] as f32);
        kernel
    }

    /// The operands of a conjunction or disjunction of `members` facts, by the number of those that hold.
    fn table(&self, members: usize, is_or: bool, half_saturation: f32) -> Vec<[f32; 2]> {
        let operands_if = |held: usize| {
            // A disjunction is the negation of a conjunction of negations.
            let part = usize::from(is_or);
            let operands = (0..members).map(|member| self.leaf[usize::from(member < held)][part]);
            let [value, negation] = self.norm.conjunction(&operands.collect::<Vec<f32>>(), half_saturation);
            if is_or { [negation, value] } else { [value, negation] }
        };
        (0..=members).map(operands_if).collect()
    }
}

impl KernelMaker for Planning<'_> {
    fn members(&self, node: usize) -> &[Edge] {
        self.bound.members(node)
    }

    fn literal(&self, edge: Edge) -> Literal {
        self.literals[(edge >> 1) as usize] ^ edge & 1
    }

    fn vectors(&self, edge: Edge) -> [u32; 2] {
        let [value, negation] = self.vectors[(edge >> 1) as usize];
        if edge & 1 == 1 { [negation, value] } else { [value, negation] }
    }

    fn measured(&mut self, node: usize) -> u32 {
        let to = &self.bound.measured[&(node as u32)];
        let distances = self.bound.fluents.groups[to.group as usize].distances(to);
        let place = self.place[node];
        self.lists.watched.extend(distances.iter().map(|&(fact, _)| (fact, place)));
        self.lists.tables.measured.push(distances);
        self.lists.tables.measured.len() as u32 - 1
    }

    fn compared(&mut self, places: Places) -> u32 {
        self.lists.tables.compared.push(places);
        self.lists.tables.compared.len() as u32 - 1
    }

    fn count(&mut self, node: usize, is_or: bool) -> u32 {
        let bound = self.bound;
        let members = bound.members(node);
        if !self.demand.counted[node] {
            let operands = members.iter().map(|&edge| self.vectors(edge)[usize::from(is_or)]);
            let operands: Vec<u32> = operands.collect();
            self.lists.tables.operands.push(operands);
            return NONE;
        }
        let literals: Vec<Literal> = members.iter().map(|&edge| self.literal(edge)).collect();
        self.lists.tables.counted_literals.push(literals);
        let key = (members.len(), is_or, self.half_saturations[node].to_bits());
        let table = match self.lists.by_count.get(&key) {
            Some(table) => table.clone(),
            None => self.table(members.len(), is_or, self.half_saturations[node] as f32),
        };
        self.lists.by_count.insert(key, table.clone());
        self.lists.tables.counted.push(table);
        self.lists.tables.counted.len() as u32 - 1
    }

    fn best(&mut self, node: usize) {
        let signs = if self.demand.of[node].values[1] { 2 } else { 1 };
        let members = self.bound.members(node);
        let operands = (0..signs).flat_map(|sign| members.iter().map(move |&edge| (edge, sign)));
        let operands: Vec<u32> = operands.map(|(edge, sign)| self.vectors(edge)[sign]).collect();
        self.lists.tables.operands.push(operands);
    }
}

impl NodeLists {
    /// The signals that nodes read, and for each signal the nodes that read it.
    fn watchers(&mut self) -> (Vec<u32>, CompressedRows<u32>) {
        let mut pairs = mem::take(&mut self.watched);
        pairs.sort_unstable();
        pairs.dedup();
        let (mut watched, mut watchers) = (Vec::new(), CompressedRows::default());
        for group in pairs.chunk_by(|one, other| one.0 == other.0) {
            watched.push(group[0].0);
            watchers.push(group.iter().map(|&(_, node)| node));
        }
        (watched, watchers)
    }
}

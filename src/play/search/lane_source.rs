//! Children and leaf values computed in lanes, with as many states as fit into a pass.
//!
//! # How
//! If lanes can compute the functions, all children of a state one ply before the horizon are evaluated in one pass.
//! For alpha-beta the best of them is the answer or the cutoff, so no move ordering is needed, and no child's state is
//! read. A pass takes about the same time for one child as for 512, so each pass should be full.
//!
//! - Two plies before the horizon, a reply that refuted other states is tried in each child, in the same lanes
//!   ([`RefutationProbe`]). In most cases it refutes them too, so that other replies are never computed.
//! - If the first of several siblings caused no cutoff, the later ones will all be searched, so their children are
//!   computed together ([`SiblingBatch`]). One ply before the horizon these are evaluated. Three plies before it, replies
//!   are tried in them; the leaves below the child that is probably searched first are evaluated as well.
//!
//! Until the lanes are compiled, children are computed and evaluated one by one. Values and counts stay the same,
//! because weights are rounded and the same replies are tried.

use std::ops::Range;

use crate::machine::lanes::frontier::{LaneFrontier, ValuedChildren};
use crate::machine::lanes::value::LaneValue;
use crate::machine::lanes::word::LANES;
use crate::machine::{ChildFields, Children, Machine, State};

use super::candidates::RecentRefutations;
use super::child_source::{BestLeaf, ChildSource, NodeSearch, Successors};
use super::knowledge::SearchKnowledge;
use super::leaf::{Leaf, MOST_GATES};
use super::limits::{Halt, Meter};
use super::node::{BOTH, Node, choosers};
use super::refutation_probe::{Attempt, RefutationProbe};
use super::scalar_source::ScalarSource;
use super::score::INFINITE;
use super::sibling_batch::{SiblingBatch, states_of};
use super::transpositions::Visit;
use super::valued_child::ValuedChild;
use super::window::SideWindow;

/// The most children of a sibling in a batch. The children of two larger siblings rarely fit into one pass.
const MAX_BATCHED_CHILDREN: usize = LANES / 3;

/// A source in lanes if they can compute the functions of all leaves, otherwise a scalar source.
pub(super) fn child_source<'m>(
    machine: &'m dyn Machine,
    mut leaves: Vec<Leaf<'m>>,
) -> Box<dyn ChildSource<'m> + 'm> {
    let functions: Vec<Option<LaneValue>> = leaves.iter_mut().map(Leaf::take_lanes).collect();
    let functions: Option<Vec<LaneValue>> = functions.into_iter().collect();
    // All functions are compiled together, so their total size counts.
    let small = |all: &Vec<LaneValue>| all.iter().map(LaneValue::size).sum::<usize>() <= MOST_GATES;
    let scalar = ScalarSource::new(machine, leaves);
    match functions.filter(small) {
        Some(functions) => Box::new(LaneSource::new(machine, functions, scalar)),
        None => Box::new(scalar),
    }
}

/// Leaves below one state.
const ALONE: usize = 0;
/// Leaves below several siblings.
const SIBLINGS: usize = 1;
/// Leaves below some children of a batch, by number in the batch.
const EARLY: usize = 2;

/// The evaluated children of several states, by number.
#[derive(Default)]
struct LeafBatch {
    parents: Vec<u32>,
    valued: ValuedChildren,
}

impl LeafBatch {
    /// The position of a state's children.
    fn of(&self, parent: u32) -> Option<Range<usize>> {
        let index = self.parents.iter().position(|&other| other == parent)?;
        Some(self.valued.of(index))
    }

    /// Evaluates the leaves below the first states of a list, given by number; does nothing without lanes.
    fn expand(
        &mut self,
        lanes: Option<&mut LaneFrontier<'_>>,
        parents: &[u32],
        states: &Children,
        meter: &mut Meter<'_>,
    ) -> Result<(), Halt> {
        self.parents.clear();
        let Some(lanes) = lanes.filter(|_| !parents.is_empty()) else { return Ok(()) };
        let most = lanes.room();
        let first = &parents[..parents.len().min(most)];
        let done =
            lanes.expand_each(meter.time_limits(), &states_of(first, states), most, &mut self.valued)?;
        self.parents.extend_from_slice(&first[..done]);
        meter.made(self.valued.children.len());
        Ok(())
    }
}

/// Results computed ahead for the children of a node.
#[derive(Default)]
struct Prefetch {
    /// The child that the search entered, if its siblings may be batched.
    current: Option<u32>,
    /// The children of several children.
    batch: SiblingBatch,
}

/// A source in lanes.
pub(super) struct LaneSource<'m> {
    machine: &'m dyn Machine,
    scalar: ScalarSource<'m>,
    functions: Vec<LaneValue>,
    lanes: Option<LaneFrontier<'m>>,
    recent: RecentRefutations,
    /// For each ply the results computed ahead for the node there.
    prefetch: Vec<Prefetch>,
    /// The replies tried for the node two plies before the horizon.
    probe: RefutationProbe,
    /// The leaves below [`ALONE`], [`SIBLINGS`] and [`EARLY`] states.
    leaves: [LeafBatch; 3],
}

impl<'m> LaneSource<'m> {
    fn new(machine: &'m dyn Machine, functions: Vec<LaneValue>, scalar: ScalarSource<'m>) -> LaneSource<'m> {
        let mut source = LaneSource {
            machine,
            scalar,
            functions,
            lanes: None,
            recent: RecentRefutations::default(),
            prefetch: Vec::new(),
            probe: RefutationProbe::default(),
            leaves: Default::default(),
        };
        // Compile before the first move if possible, not on its time.
        source.attach();
        source
    }

    /// Uses the lanes as soon as another part of the program has compiled them.
    fn attach(&mut self) {
        if self.lanes.is_none()
            && let Some(program) = self.machine.lanes_for_moves()
        {
            // On an interrupt the caller needs no lanes either.
            self.lanes = LaneFrontier::new(program, self.functions.clone()).ok();
        }
    }

    /// The batch that contains the node at a ply, if any.
    fn batch_of(&self, ply: usize) -> Option<&SiblingBatch> {
        self.prefetch.get(ply.checked_sub(1)?).map(|prefetch| &prefetch.batch)
    }

    /// Computes the children of a node two plies before the horizon, and tries a reply in each.
    fn expand_and_probe(&mut self, node: &mut Node, meter: &mut Meter<'_>) -> Result<(), Halt> {
        let Node { state, children, .. } = node;
        let Some(lanes) = &mut self.lanes else {
            let fields = ChildFields { choices: true, ..ChildFields::PLIES };
            return self.scalar.expand(state, fields, meter, children);
        };
        self.probe.expand(meter.expansion_limits(), lanes, state, children)?;
        meter.made(2 * children.len());
        Ok(())
    }

    /// Whether a leaf at a ply cuts off its siblings.
    fn cuts(&self, search: NodeSearch<'_>, window: SideWindow, leaf: &ValuedChild<'_>, ply: usize) -> bool {
        let score = window.sign * leaf.score(search.knowledge, &self.scalar.leaves[0], ply);
        window.is_cut_by(search.knowledge.scale, score, leaf.terminal)
    }

    /// Two plies before the horizon: the children, from an index on, that no reply tried in lanes refutes.
    fn unrefuted(&self, search: NodeSearch<'_>, index: usize) -> Vec<u32> {
        let ply = search.node.visit.ply;
        let batch = self.batch_of(ply);
        let is_refuted = |child: u32| {
            let window = search.child_window(child as usize)?;
            let mut tried = [Attempt::First, Attempt::Second]
                .into_iter()
                .filter_map(|attempt| self.probe.lane_reply(attempt, child, batch));
            Some(tried.any(|reply| self.cuts(search, window, &reply, ply + 2)))
        };
        search.open_from(index).filter(|&child| is_refuted(child) == Some(false)).collect()
    }

    /// Three plies before the horizon: computes the children of the siblings from an index on, and tries a reply in
    /// each. Then evaluates the leaves below each sibling's child that is probably searched first.
    fn probe_siblings(
        &mut self,
        search: NodeSearch<'_>,
        index: usize,
        meter: &mut Meter<'_>,
    ) -> Result<(), Halt> {
        let NodeSearch { node, knowledge, .. } = search;
        let ply = node.visit.ply;
        let batch = &mut self.prefetch[ply].batch;
        // All siblings get the same candidates, regardless of how many fit into a pass.
        if !batch.candidates.are_chosen {
            batch.candidates.choose(knowledge.ordering.killers(ply + 2), &self.recent);
        }
        let Some(lanes) = &mut self.lanes else { return Ok(()) };
        let most = lanes.room();
        let siblings = search.open_from(index);
        meter.made(2 * batch.expand(meter.time_limits(), (lanes, most), siblings, &node.children)?);
        let parents = self.likely_first(search);
        let LaneSource { lanes, leaves, prefetch, .. } = self;
        leaves[EARLY].expand(lanes.as_mut(), &parents, prefetch[ply].batch.children(), meter)
    }

    /// For each sibling of a batch the child that is probably searched first, unless a reply refutes it.
    fn likely_first(&self, search: NodeSearch<'_>) -> Vec<u32> {
        let NodeSearch { node, knowledge, .. } = search;
        let ply = node.visit.ply;
        let batch = &self.prefetch[ply].batch;
        let children = batch.children();
        let is_open = |&child: &usize| {
            let window = search.side_window(choosers(&knowledge.context, children, child));
            let cuts =
                |window| batch.reply(child).is_some_and(|reply| self.cuts(search, window, &reply, ply + 3));
            window.is_some_and(|window| !cuts(window))
        };
        let first = |(sibling, range): (u32, Range<usize>)| {
            let sibling = sibling as usize;
            let side = search.child_window(sibling)?.side;
            let key = knowledge.table.child_key(node.visit, &node.state.0, node.children.state(sibling));
            let visit = Visit { key, ply: ply + 1, depth: 2 };
            knowledge.likely_first(visit, side, node.children.state(sibling), (children, range))
        };
        batch.iter().filter_map(first).filter(is_open).map(|child| child as u32).collect()
    }

    /// The position of the leaves below a sibling, if they were evaluated in a batch.
    fn leaves_below(&self, number: u32) -> Option<(usize, Range<usize>)> {
        let of_siblings = self.leaves[SIBLINGS].of(number).map(|range| (SIBLINGS, range));
        let early = || Some((EARLY, self.leaves[EARLY].of(self.probe.number_in_batch(number)?)?));
        of_siblings.or_else(early)
    }

    /// Evaluates the leaves below one state; returns their number.
    fn expand_alone(&mut self, state: &State, meter: &mut Meter<'_>) -> Result<usize, Halt> {
        self.attach();
        let LaneSource { lanes, leaves: [LeafBatch { valued: alone, .. }, ..], scalar, .. } = self;
        match lanes {
            Some(lanes) => {
                lanes.expand(meter.expansion_limits(), state, alone)?;
                meter.made(alone.children.len());
            }
            None => {
                scalar.expand(state, ChildFields::PLIES, meter, &mut alone.children)?;
                alone.one_state(|words| scalar.leaves[0].value(words))?;
            }
        }
        Ok(alone.children.len())
    }
}

impl<'m> ChildSource<'m> for LaneSource<'m> {
    fn scalar(&mut self) -> &mut ScalarSource<'m> {
        &mut self.scalar
    }

    fn expand_leaves(
        &mut self,
        state: &State,
        meter: &mut Meter<'_>,
        successors: &mut Successors,
    ) -> Result<(), Halt> {
        self.attach();
        let Some(lanes) = &mut self.lanes else {
            return self.scalar.expand_leaves(state, meter, successors);
        };
        let alone = &mut self.leaves[ALONE].valued;
        lanes.expand(meter.expansion_limits(), state, alone)?;
        std::mem::swap(&mut successors.children, &mut alone.children);
        std::mem::swap(&mut successors.values, &mut alone.values);
        meter.made(successors.children.len());
        Ok(())
    }

    fn expand_node(
        &mut self,
        node: &mut Node,
        knowledge: &SearchKnowledge<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Halt> {
        self.attach();
        let Visit { ply, depth, .. } = node.visit;
        if self.prefetch.len() <= ply {
            self.prefetch.resize_with(ply + 1, Prefetch::default);
        }
        self.prefetch[ply].batch.clear();
        match depth {
            2 => {
                self.probe.begin();
                self.leaves[SIBLINGS].parents.clear();
            }
            3 => self.leaves[EARLY].parents.clear(),
            _ => {}
        }
        let parent = ply.checked_sub(1).map(|parent| &self.prefetch[parent]);
        if let Some(Prefetch { current: Some(number), batch }) = parent
            && let Some(index) = batch.place(*number)
        {
            let range = batch.of(index);
            node.children.copy_from(batch.children(), range.clone());
            self.probe.set_batch_position(range.start);
            return Ok(());
        }
        if depth != 2 || node.choose == BOTH {
            return self.scalar.expand_node(node, knowledge, meter);
        }
        match parent {
            // Use the same replies as in the children of the batched siblings.
            Some(Prefetch { current: Some(_), batch }) => self.probe.candidates().follow(&batch.candidates),
            _ => self.probe.candidates().choose(knowledge.ordering.killers(ply + 1), &self.recent),
        }
        self.expand_and_probe(node, meter)
    }

    fn refute(
        &mut self,
        search: NodeSearch<'_>,
        child: usize,
        meter: &mut Meter<'_>,
    ) -> Result<Option<BestLeaf<'_>>, Halt> {
        let NodeSearch { node, knowledge, .. } = search;
        let Visit { ply, depth, .. } = node.visit;
        if depth != 2 {
            return Ok(None);
        }
        let Some(window) = search.child_window(child) else { return Ok(None) };
        let mut refutation = None;
        for attempt in [Attempt::First, Attempt::Second] {
            if attempt == Attempt::Second && self.probe.note_unrefuted(node.children.len()) {
                let left = self.unrefuted(search, node.place_of(child));
                let lately = (knowledge.ordering.killers(ply + 1), &self.recent);
                meter.made(self.probe.try_second(self.lanes.as_mut(), lately, &left, &node.children));
            }
            let LaneSource { scalar, prefetch, probe, recent, .. } = self;
            let batch = ply.checked_sub(1).map(|parent| &prefetch[parent].batch);
            let sibling = (child as u32, node.children.state(child));
            let Some(reply) = probe.reply(attempt, sibling, batch, scalar)? else { continue };
            let score = reply.score(knowledge, &scalar.leaves[0], ply + 2);
            if window.is_cut_by(knowledge.scale, window.sign * score, reply.terminal) {
                meter.count(1)?;
                recent.note(reply.joint);
                refutation = Some((score, reply.terminal));
                break;
            }
        }
        let (joint, side) = (self.recent.last(), window.side);
        let refuted = |(score, proved)| BestLeaf { joint, number: None, side, score, proved, cuts: true };
        Ok(refutation.map(refuted))
    }

    fn enter(&mut self, search: NodeSearch<'_>, child: usize, meter: &mut Meter<'_>) -> Result<(), Halt> {
        let node = search.node;
        let Visit { ply, depth, .. } = node.visit;
        self.prefetch[ply].current = None;
        if search.child_window(child).is_none() {
            return Ok(());
        }
        let number = child as u32;
        let is_ready = match depth {
            2 => self.leaves_below(number).is_some(),
            3 => self.prefetch[ply].batch.place(number).is_some(),
            _ => {
                node.children.len() > MAX_BATCHED_CHILDREN || self.prefetch[ply].batch.place(number).is_some()
            }
        };
        let index = if is_ready { 0 } else { node.place_of(child) };
        // The first child may cut off, so nothing is computed ahead for its siblings.
        if index > 0 {
            self.attach();
            match (depth, &mut self.lanes) {
                (3, _) => self.probe_siblings(search, index, meter)?,
                (_, None) => {}
                (2, Some(_)) => {
                    let parents = self.unrefuted(search, index);
                    let LaneSource { lanes, leaves, .. } = self;
                    leaves[SIBLINGS].expand(lanes.as_mut(), &parents, &node.children, meter)?;
                }
                (_, Some(lanes)) => {
                    let (limits, batch) = (meter.time_limits(), &mut self.prefetch[ply].batch);
                    let siblings = search.open_from(index);
                    meter.made(batch.expand(limits, (lanes, LANES), siblings, &node.children)?);
                }
            }
        }
        let alike = depth != 3 || self.prefetch[ply].batch.candidates.are_chosen;
        self.prefetch[ply].current = alike.then_some(number);
        Ok(())
    }

    fn best_leaf(
        &mut self,
        search: NodeSearch<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<Option<BestLeaf<'_>>, Halt> {
        let NodeSearch { node, knowledge, .. } = search;
        let Some(window) = search.side_window(node.choose) else { return Ok(None) };
        let ply = node.visit.ply;
        let number = ply.checked_sub(1).and_then(|parent| self.prefetch[parent].current);
        let (index, range) = match number.and_then(|number| self.leaves_below(number)) {
            Some(found) => found,
            None => (ALONE, 0..self.expand_alone(&node.state, meter)?),
        };
        let LaneSource { scalar, leaves, recent, .. } = self;
        let valued = &leaves[index].valued;
        let (mut best, mut best_child, mut all_ended) = (-INFINITE, range.start, true);
        for child in range.clone() {
            let leaf = ValuedChild::of(valued, child);
            let score = window.sign * leaf.score(knowledge, &scalar.leaves[0], ply + 1);
            all_ended &= leaf.terminal;
            if score > best {
                (best, best_child) = (score, child);
            }
        }
        let side = window.side;
        if range.is_empty() {
            // No joint move is legal.
            let score = knowledge.end_score(&[], ply);
            return Ok(Some(BestLeaf { joint: &[], number: None, side, score, proved: true, cuts: false }));
        }
        let leaf = ValuedChild::of(valued, best_child);
        let cuts = window.is_cut_by(knowledge.scale, best, leaf.terminal);
        meter.count(if cuts { 1 } else { range.len() as u64 })?;
        if cuts {
            recent.note(leaf.joint);
        }
        let number = u16::try_from(best_child - range.start).ok();
        let proved = if cuts { leaf.terminal } else { all_ended };
        Ok(Some(BestLeaf { joint: leaf.joint, number, side, score: window.sign * best, proved, cuts }))
    }
}

//! Evaluating a formula in state after state: only what changed is computed anew.
//!
//! A change of a fluent marks the leaves that it touches, a change of a node's value the nodes that mention it;
//! marked nodes are computed in order, each from all that it is made of. So a value is the same to the last bit
//! whatever was evaluated before. Nodes that are needed for nothing but their truth (the sides of comparisons) are
//! computed as such.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::feature::Facts;
use crate::machine::{FluentId, Machine};

use super::bind::{BindError, Bound, Edge, Slot, Step, Valued};
use super::formula::{Comparison, Formula, Mention};
use super::lifted::Deriver;
use super::parameters::FuzzyParameters;

/// Which slots a machine's fluents have.
enum Slots {
    /// By number, as on a network.
    All(Vec<Slot>),
    /// Looked up when a fluent first comes up.
    Seen(FxHashMap<FluentId, Slot>),
}

/// A formula at a state.
pub struct Evaluator<'m> {
    bound: Bound<'m>,
    parameters: FuzzyParameters,
    /// Whether a node's value is wanted, not only its truth.
    graded: Vec<bool>,
    value: Vec<f64>,
    /// What a node adds to a conjunction, and what its negation does.
    term: Vec<[f64; 2]>,
    wanted: Vec<[bool; 2]>,
    /// How many of the facts that make a leaf hold do.
    count: Vec<u32>,
    /// For every group the number of its facts and, for every axis, the sum of their distances to each place.
    members: Vec<u32>,
    distance: Vec<Vec<Vec<u32>>>,
    dirty: Vec<u64>,
    words: Vec<u64>,
    slots: Slots,
    deriver: Option<Deriver<'m>>,
    truths: Vec<bool>,
    buffers: Buffers,
    /// Nodes computed so far.
    work: u64,
}

#[derive(Default)]
struct Buffers {
    holds: Vec<f64>,
    fails: Vec<f64>,
    heap: BinaryHeap<(u64, Reverse<u32>)>,
    pending: Vec<u32>,
    settled: Vec<bool>,
    before: Vec<f64>,
}

impl<'m> Evaluator<'m> {
    /// Makes a formula ready for a machine. The values of `roots` are wanted.
    ///
    /// # Errors
    /// The formula does not fit the game.
    pub fn new(
        machine: &'m dyn Machine,
        formula: &Formula,
        roots: &[Mention],
        parameters: FuzzyParameters,
    ) -> Result<Evaluator<'m>, BindError> {
        let bound = Bound::new(machine, formula)?;
        for &mention in roots {
            if mention == 0 || mention.unsigned_abs() as usize > formula.nodes.len() {
                return Err(BindError::Mention { node: formula.nodes.len() + 1, mention });
            }
        }
        let count = bound.steps.len();
        let mut graded = vec![false; count];
        let mut stack: Vec<usize> = roots.iter().map(|mention| mention.unsigned_abs() as usize - 1).collect();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut graded[node], true) || matches!(bound.steps[node], Step::Compare { .. })
            {
                continue;
            }
            stack.extend(bound.below(node).map(|edge| (edge >> 1) as usize));
        }
        let mut wanted = vec![[false; 2]; count];
        for node in (0..count).filter(|&node| graded[node]) {
            let flipped = u32::from(matches!(bound.steps[node], Step::Or));
            if matches!(bound.steps[node], Step::And | Step::Or) {
                for edge in bound.below(node) {
                    wanted[(edge >> 1) as usize][((edge & 1) ^ flipped) as usize] = true;
                }
            }
        }
        let slots = match machine.network() {
            Some(network) => Slots::All(
                (0..network.fluents.len() as u32).map(|number| bound.slot(FluentId(number))).collect(),
            ),
            None => Slots::Seen(FxHashMap::default()),
        };
        let atoms: Vec<&str> = bound.derived.iter().map(|(_, atom)| atom.as_str()).collect();
        let deriver = if atoms.is_empty() { None } else { Some(Deriver::new(machine, &atoms)?) };
        let distance = bound
            .groups
            .iter()
            .map(|group| group.sizes.iter().map(|&size| vec![0; size as usize]).collect())
            .collect();
        let mut dirty = vec![u64::MAX; count.div_ceil(64)];
        if let Some(last) = dirty.last_mut().filter(|_| count % 64 != 0) {
            *last = (1 << (count % 64)) - 1;
        }
        Ok(Evaluator {
            value: vec![-1.0; count],
            term: vec![[0.0; 2]; count],
            wanted,
            count: vec![0; count],
            members: vec![0; bound.groups.len()],
            distance,
            dirty,
            words: Vec::new(),
            slots,
            truths: vec![false; bound.derived.len()],
            deriver,
            buffers: Buffers { pending: vec![0; count], settled: vec![false; count], ..Buffers::default() },
            graded,
            parameters,
            bound,
            work: 0,
        })
    }

    /// Goes to a state.
    pub fn update(&mut self, facts: &Facts) {
        let new = facts.words();
        for index in 0..new.len().max(self.words.len()) {
            let after = new.get(index).copied().unwrap_or(0);
            let before = self.words.get(index).copied().unwrap_or(0);
            let mut changed = after ^ before;
            while changed != 0 {
                let bit = changed.trailing_zeros();
                changed &= changed - 1;
                self.flip(FluentId(index as u32 * 64 + bit), after >> bit & 1 == 1);
            }
        }
        self.words.clear();
        self.words.extend_from_slice(new);
        if let Some(deriver) = &mut self.deriver {
            let mut fluents = Vec::new();
            facts.for_each(|fluent| fluents.push(fluent));
            let before = std::mem::take(&mut self.truths);
            let mut truths = Vec::with_capacity(before.len());
            if deriver.derive(fluents.into_iter(), &mut truths).is_err() {
                truths = vec![false; before.len()];
            }
            for (index, &(node, _)) in self.bound.derived.iter().enumerate() {
                if before[index] != truths[index] {
                    self.dirty[node as usize / 64] |= 1 << (node % 64);
                }
                self.count[node as usize] = u32::from(truths[index]);
            }
            self.truths = truths;
        }
        self.sweep();
    }

    /// The value of a root of the formula at the state.
    pub fn value(&self, mention: Mention) -> f64 {
        let value = self.value[mention.unsigned_abs() as usize - 1];
        if mention < 0 { 1.0 - value } else { value }
    }

    /// Whether a mention holds at the state.
    pub fn holds(&self, mention: Mention) -> bool {
        mention == 0 || self.value(mention) > 0.5
    }

    /// Nodes computed so far.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Takes note of a fluent that has come or gone.
    fn flip(&mut self, fluent: FluentId, holds: bool) {
        let bound = &self.bound;
        let slot = match &mut self.slots {
            Slots::All(list) => match list.get(fluent.0 as usize) {
                Some(slot) => slot,
                None => return,
            },
            Slots::Seen(known) => known.entry(fluent).or_insert_with(|| bound.slot(fluent)),
        };
        for &node in &slot.nodes {
            let count = &mut self.count[node as usize];
            *count = if holds { *count + 1 } else { *count - 1 };
            self.dirty[node as usize / 64] |= 1 << (node % 64);
        }
        let Some((group, places)) = &slot.place else { return };
        let group = *group as usize;
        let members = &mut self.members[group];
        *members = if holds { *members + 1 } else { *members - 1 };
        for (axis, &place) in self.distance[group].iter_mut().zip(places) {
            for (to, sum) in axis.iter_mut().enumerate() {
                let steps = place.abs_diff(to as u32);
                *sum = if holds { *sum + steps } else { *sum - steps };
            }
        }
        for &leaf in &bound.groups[group].leaves {
            if self.graded[leaf as usize] {
                self.dirty[leaf as usize / 64] |= 1 << (leaf % 64);
            }
        }
    }

    /// Computes the marked nodes, in order.
    fn sweep(&mut self) {
        for index in 0..self.dirty.len() {
            while self.dirty[index] != 0 {
                let node = index * 64 + self.dirty[index].trailing_zeros() as usize;
                match self.bound.loop_of.get(node).copied().flatten() {
                    Some(number) => self.run_loop(number as usize),
                    None => {
                        self.dirty[index] &= self.dirty[index] - 1;
                        let value = self.compute(node);
                        self.set(node, value);
                    }
                }
            }
        }
    }

    /// Sets a node's value; marks the nodes that mention it if that is new.
    fn set(&mut self, node: usize, value: f64) {
        if self.value[node] == value {
            return;
        }
        self.store(node, value);
        let range = self.bound.parent_starts[node] as usize..self.bound.parent_starts[node + 1] as usize;
        for &parent in &self.bound.parents[range] {
            self.dirty[parent as usize / 64] |= 1 << (parent % 64);
        }
    }

    fn store(&mut self, node: usize, value: f64) {
        self.value[node] = value;
        let norm = self.parameters.norm;
        if self.wanted[node][0] {
            self.term[node][0] = norm.term(value);
        }
        if self.wanted[node][1] {
            self.term[node][1] = norm.term(1.0 - value);
        }
    }

    fn edge_holds(&self, edge: Edge) -> bool {
        (self.value[(edge >> 1) as usize] > 0.5) != (edge & 1 == 1)
    }

    fn compute(&mut self, node: usize) -> f64 {
        self.work += 1;
        let FuzzyParameters { p, threshold, .. } = self.parameters;
        let range = self.bound.starts[node] as usize..self.bound.starts[node + 1] as usize;
        match &self.bound.steps[node] {
            Step::Always => 1.0,
            Step::Fact | Step::Derived => {
                if self.count[node] > 0 {
                    p
                } else {
                    1.0 - p
                }
            }
            Step::Near { .. } if self.count[node] > 0 => p,
            Step::Near { .. } if !self.graded[node] => 1.0 - p,
            Step::Near { group, wanted } => {
                let group = *group as usize;
                if self.members[group] == 0 {
                    return 0.0;
                }
                let sizes = &self.bound.groups[group].sizes;
                let (mut far, mut axes) = (0.0, 0.0);
                for (axis, place) in wanted.iter().enumerate() {
                    if let Some(place) = place {
                        far += f64::from(self.distance[group][axis][*place as usize]) / sizes[axis];
                        axes += 1.0;
                    }
                }
                (1.0 - threshold) * (1.0 - far / (axes * f64::from(self.members[group])))
            }
            Step::Compare { relation, left, right, length } => {
                let lead = self.lead(*relation, left, right);
                let holds = lead.is_some_and(|(holds, _)| holds);
                match lead {
                    _ if !self.graded[node] => f64::from(u8::from(holds)),
                    None => 0.0,
                    Some((true, _)) if *relation == Comparison::Equal => p,
                    Some((true, steps)) => threshold + (1.0 - threshold) * steps / length,
                    Some((false, steps)) => (1.0 - threshold) * (1.0 - steps / length),
                }
            }
            Step::And | Step::Or if !self.graded[node] => {
                let edges = &self.bound.edges[range];
                let any = matches!(self.bound.steps[node], Step::Or);
                let found = edges.iter().any(|&edge| self.edge_holds(edge) == any);
                f64::from(u8::from(found == any))
            }
            Step::And => self.fold(range, 0),
            Step::Or => 1.0 - self.fold(range, 1),
            Step::Best => {
                let values = self.bound.edges[range].iter().map(|&edge| self.edge_value(edge));
                values.fold(0.0, f64::max)
            }
        }
    }

    fn edge_value(&self, edge: Edge) -> f64 {
        let value = self.value[(edge >> 1) as usize];
        if edge & 1 == 1 { 1.0 - value } else { value }
    }

    /// T′ over edges, all of them negated if `flipped` is 1.
    fn fold(&mut self, range: std::ops::Range<usize>, flipped: u32) -> f64 {
        let Buffers { holds, fails, .. } = &mut self.buffers;
        holds.clear();
        fails.clear();
        if range.is_empty() {
            return 1.0;
        }
        for &edge in &self.bound.edges[range] {
            let (node, negated) = ((edge >> 1) as usize, (edge & 1) ^ flipped);
            let above = self.value[node] > 0.5;
            let list = if above != (negated == 1) { &mut *holds } else { &mut *fails };
            list.push(self.term[node][negated as usize]);
        }
        self.parameters.norm.fold(holds, fails, self.parameters.threshold)
    }

    /// Whether a comparison holds, and by how many steps it does or does not; nothing where a side has no value.
    fn lead(&self, relation: Comparison, left: &[Valued], right: &[Valued]) -> Option<(bool, f64)> {
        let held = |list: &[Valued]| {
            let mut places = list.iter().filter(|&&(_, edge)| self.edge_holds(edge)).map(|&(place, _)| place);
            let first = places.next()?;
            Some(places.fold((first, first), |(low, high), place| (low.min(place), high.max(place))))
        };
        let (a, b) = (held(left)?, held(right)?);
        let steps = match relation {
            Comparison::Less | Comparison::AtMost => i64::from(b.1) - i64::from(a.0),
            Comparison::Greater | Comparison::AtLeast => i64::from(a.1) - i64::from(b.0),
            Comparison::Equal => {
                let of = |list: &[Valued]| {
                    let held = list.iter().filter(|&&(_, edge)| self.edge_holds(edge));
                    held.map(|&(place, _)| place).collect::<Vec<_>>()
                };
                let others = of(right);
                let nearest =
                    of(left).into_iter().flat_map(|a| others.iter().map(move |&b| a.abs_diff(b))).min()?;
                return Some((nearest == 0, f64::from(nearest)));
            }
        };
        let holds = match relation {
            Comparison::Less | Comparison::Greater => steps > 0,
            _ => steps >= 0,
        };
        Some((holds, steps.unsigned_abs() as f64))
    }

    /// The least values of a loop: its nodes are settled by descending value, each from settled ones (Knuth 1977).
    fn run_loop(&mut self, number: usize) {
        let (first, last) = self.bound.loops[number];
        let (first, last) = (first as usize, last as usize);
        let inside = |node: usize| (first..=last).contains(&node);
        for node in first..=last {
            self.dirty[node / 64] &= !(1 << (node % 64));
        }
        self.buffers.before.clear();
        self.buffers.before.extend_from_slice(&self.value[first..=last]);
        self.buffers.heap.clear();
        for node in first..=last {
            self.buffers.settled[node] = false;
            self.store(node, 0.0);
            let range = self.bound.starts[node] as usize..self.bound.starts[node + 1] as usize;
            let edges = &self.bound.edges[range.clone()];
            let within = edges.iter().filter(|&&edge| inside((edge >> 1) as usize)).count() as u32;
            self.buffers.pending[node] = within;
            if matches!(self.bound.steps[node], Step::Best) {
                let outside = edges.iter().filter(|&&edge| !inside((edge >> 1) as usize));
                let best = outside.map(|&edge| self.edge_value(edge)).fold(0.0, f64::max);
                self.buffers.heap.push((best.to_bits(), Reverse(node as u32)));
            } else if within == 0 {
                let value = self.compute(node);
                self.buffers.heap.push((value.to_bits(), Reverse(node as u32)));
            }
        }
        while let Some((bits, Reverse(node))) = self.buffers.heap.pop() {
            let node = node as usize;
            if std::mem::replace(&mut self.buffers.settled[node], true) {
                continue;
            }
            self.store(node, f64::from_bits(bits));
            let range = self.bound.parent_starts[node] as usize..self.bound.parent_starts[node + 1] as usize;
            for position in range {
                let parent = self.bound.parents[position] as usize;
                if !inside(parent) || self.buffers.settled[parent] {
                    continue;
                }
                if matches!(self.bound.steps[parent], Step::Best) {
                    self.buffers.heap.push((bits, Reverse(parent as u32)));
                    continue;
                }
                self.buffers.pending[parent] -= 1;
                if self.buffers.pending[parent] == 0 {
                    let value = self.compute(parent);
                    self.buffers.heap.push((value.to_bits(), Reverse(parent as u32)));
                }
            }
        }
        for node in first..=last {
            let before = self.buffers.before[node - first];
            if self.value[node] == before {
                continue;
            }
            let range = self.bound.parent_starts[node] as usize..self.bound.parent_starts[node + 1] as usize;
            for &parent in &self.bound.parents[range] {
                if !inside(parent as usize) {
                    self.dirty[parent as usize / 64] |= 1 << (parent % 64);
                }
            }
        }
    }
}

//! What the fluents of a machine touch, in flat lists.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::machine::{FluentId, Machine};

use super::bind::{Bound, Step};

/// No group.
const NONE: u32 = u32::MAX;

/// What a fluent touches, as places in the lists.
#[derive(Clone, Copy)]
pub(super) struct Dependents {
    nodes: (u32, u32),
    group: u32,
    places: (u32, u32),
}

impl Dependents {
    /// The places of its nodes.
    pub(super) fn nodes(self) -> Range<usize> {
        self.nodes.0 as usize..self.nodes.1 as usize
    }

    /// The group that it is a fact of.
    pub(super) fn group(self) -> Option<usize> {
        (self.group != NONE).then_some(self.group as usize)
    }
}

/// What fluents touch.
pub(super) struct FluentDependents {
    /// By fluent, on a network; else by order of appearance.
    list: Vec<Dependents>,
    /// Off the network, which fluent is which.
    seen: Option<FxHashMap<FluentId, u32>>,
    /// Nodes, times two, plus one where it is a leaf for the fluent alone.
    nodes: Vec<u32>,
    places: Vec<u32>,
}

impl FluentDependents {
    /// What the fluents of a network touch. Others are looked up when they first come up.
    pub(super) fn new(machine: &dyn Machine, bound: &Bound<'_>) -> FluentDependents {
        let seen = machine.network().is_none().then(FxHashMap::default);
        let mut dependents =
            FluentDependents { list: Vec::new(), seen, nodes: Vec::new(), places: Vec::new() };
        for number in 0..machine.network().map_or(0, |network| network.fluents.len() as u32) {
            dependents.add(FluentId(number), bound);
        }
        dependents
    }

    fn add(&mut self, fluent: FluentId, bound: &Bound<'_>) -> Dependents {
        let slot = bound.fluents.slot(fluent);
        let (nodes, places) = (self.nodes.len() as u32, self.places.len() as u32);
        let is_fact = |node: u32| matches!(bound.steps[node as usize], Step::Fact);
        self.nodes.extend(slot.nodes.iter().map(|&node| node << 1 | u32::from(is_fact(node))));
        let group = slot.place.map_or(NONE, |(group, at)| {
            self.places.extend(at);
            group
        });
        let touch = Dependents {
            nodes: (nodes, self.nodes.len() as u32),
            group,
            places: (places, self.places.len() as u32),
        };
        self.list.push(touch);
        touch
    }

    /// What a fluent touches; nothing where it is not the machine's.
    pub(super) fn of(&mut self, fluent: FluentId, bound: &Bound<'_>) -> Option<Dependents> {
        let known = match &mut self.seen {
            None => return self.list.get(fluent.0 as usize).copied(),
            Some(seen) => {
                let next = self.list.len() as u32;
                *seen.entry(fluent).or_insert(next)
            }
        };
        match self.list.get(known as usize) {
            Some(&touch) => Some(touch),
            None => Some(self.add(fluent, bound)),
        }
    }

    /// What a fluent of a network touches.
    pub(super) fn on_network(&self, fluent: FluentId) -> Option<Dependents> {
        self.list.get(fluent.0 as usize).copied()
    }

    /// The fluents that touch anything; none off the network.
    pub(super) fn touching(&self) -> Option<Vec<FluentId>> {
        let touches = |touch: &Dependents| touch.nodes.0 < touch.nodes.1 || touch.group().is_some();
        let list = (0..).map(FluentId).zip(&self.list).filter(|(_, touch)| touches(touch));
        self.seen.is_none().then(|| list.map(|(fluent, _)| fluent).collect())
    }

    /// A node, and whether it is a leaf for one fluent alone.
    pub(super) fn node(&self, at: usize) -> (usize, bool) {
        let node = self.nodes[at];
        ((node >> 1) as usize, node & 1 == 1)
    }

    /// Where a fluent is in its group.
    pub(super) fn places(&self, touch: Dependents) -> &[u32] {
        &self.places[touch.places.0 as usize..touch.places.1 as usize]
    }
}

//! Facts of a fluent relation in the states of 512 playouts at a time: which were seen, how many hold at
//! once, and which share a projection in one state.

use multiversion::multiversion;

use crate::machine::lanes::block::Block;
use crate::machine::lanes::word::Word;
use crate::simulate::sliced::Sliced;

use super::super::fluents::{Collision, FactTable};
use super::layout::RelationLayout;

/// Samples of one fluent relation.
#[derive(Clone, Debug)]
pub(super) struct LaneFacts {
    /// For each fact that changes, whether any state had it.
    seen: Vec<bool>,
    /// The facts that no state has had yet.
    unseen: Vec<u32>,
    /// For each fact that changes, whether any state that is not terminal had it.
    before_end: Vec<bool>,
    /// The facts that no such state has had yet.
    late: Vec<u32>,
    pub(super) fewest: u64,
    pub(super) most: u64,
    /// For each group of facts, whether two were in one state.
    shared: Vec<Collision>,
    /// For each group, the number of its parents that never had two facts in one state.
    waiting: Vec<u32>,
    /// Whether the relation had two facts in one state.
    several: bool,
    /// The groups that are being tested.
    open: Vec<u32>,
    count: Sliced,
}

/// The lanes of one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepLanes {
    /// The lanes with a running playout.
    pub(super) active: Word,
    /// The active lanes whose state is not terminal.
    pub(super) moving: Word,
}

impl LaneFacts {
    /// Empty samples.
    pub(super) fn new(layout: &RelationLayout) -> LaneFacts {
        let facts = layout.facts.len();
        LaneFacts {
            seen: vec![false; facts],
            unseen: (0..facts as u32).collect(),
            before_end: vec![false; facts],
            late: (0..facts as u32).collect(),
            fewest: u64::MAX,
            most: 0,
            shared: vec![Collision::default(); layout.groups.names.len()],
            waiting: layout.groups.parents.clone(),
            several: false,
            open: Vec::new(),
            count: Sliced::default(),
        }
    }

    /// Adds the samples of other blocks.
    pub(super) fn merge(&mut self, other: &LaneFacts) {
        self.seen.iter_mut().zip(&other.seen).for_each(|(seen, &more)| *seen |= more);
        self.before_end.iter_mut().zip(&other.before_end).for_each(|(seen, &more)| *seen |= more);
        self.shared.iter_mut().zip(&other.shared).for_each(|(shared, &more)| shared.add(more));
        self.fewest = self.fewest.min(other.fewest);
        self.most = self.most.max(other.most);
    }

    /// Whether any state had a fact that changes.
    pub(super) fn was_seen(&self, fact: usize) -> bool {
        self.seen[fact]
    }

    /// Adds the samples to a fact table, which has the facts seen already. `places` has their indices
    /// there, in the order of [`RelationLayout::fluents`].
    pub(super) fn record_into(
        &self,
        layout: &RelationLayout,
        places: &[Option<usize>],
        table: &mut FactTable,
    ) {
        for (group, &shared) in self.shared.iter().enumerate().filter(|(_, shared)| shared.any_state) {
            let (last, hypothesis) = layout.groups.names[group];
            let fact = |&bit: &u32| layout.facts.partition_point(|&(_, other)| other < bit);
            let members = std::iter::once(last as usize).chain(layout.groups.bits(group).iter().map(fact));
            // The sample has two facts of the group, but maybe not the last one.
            if let Some(index) = members.into_iter().find_map(|member| places[member]) {
                table.record_collision(index, hypothesis as usize, shared);
            }
        }
        for (fact, index) in places.iter().enumerate() {
            let before_end = self.before_end.get(fact).is_none_or(|&seen| seen);
            if let Some(index) = index.filter(|_| before_end) {
                table.before_end[index] = true;
            }
        }
        let initial = layout.initial.iter().filter(|holds| **holds).count() + layout.constant.len();
        table.record_counts(self.fewest, self.most, initial as u64);
    }
}

/// Processes a step of a block. Returns the active lanes that have one fact.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
pub(super) fn process(
    facts: &mut LaneFacts,
    layout: &RelationLayout,
    block: &Block<'_>,
    step: StepLanes,
) -> Word {
    let bit = |fact: usize| block.bit(layout.facts[fact].1 as usize);
    let constant = layout.constant.len();
    facts.count.clear();
    facts.count.add_all(layout.facts.len(), bit);
    if let (Some(fewest), Some(most)) = (facts.count.min(step.active), facts.count.max(step.active)) {
        facts.fewest = facts.fewest.min(fewest + constant as u64);
        facts.most = facts.most.max(most + constant as u64);
    }
    let (some, several) = (facts.count.some(), facts.count.several());
    let (one, several) = match constant {
        0 => (some & !several, several),
        1 => (!some, some),
        _ => (Word::ZERO, Word::ONES),
    };
    mark_seen(&mut facts.unseen, &mut facts.seen, |fact| !(bit(fact) & step.active).is_zero());
    mark_seen(&mut facts.late, &mut facts.before_end, |fact| !(bit(fact) & step.moving).is_zero());
    if !facts.several && !(several & step.active).is_zero() {
        facts.several = true;
        facts
            .open
            .extend((0..facts.waiting.len() as u32).filter(|&group| facts.waiting[group as usize] == 0));
    }
    test_groups(facts, layout, block, step);
    one & step.active
}

/// Marks the waiting facts that hold, and removes them from the list.
#[inline(always)]
fn mark_seen(waiting: &mut Vec<u32>, noted: &mut [bool], holds: impl Fn(usize) -> bool) {
    let mut next = 0;
    while let Some(&fact) = waiting.get(next) {
        if holds(fact as usize) {
            noted[fact as usize] = true;
            waiting.swap_remove(next);
        } else {
            next += 1;
        }
    }
}

/// Tests all groups that could have two facts in one state.
#[inline(always)]
fn test_groups(facts: &mut LaneFacts, layout: &RelationLayout, block: &Block<'_>, step: StepLanes) {
    let groups = &layout.groups;
    let mut next = 0;
    while let Some(&group) = facts.open.get(next) {
        let group = group as usize;
        let (mut some, mut several) =
            (Word::splat(groups.constants[group] > 0), Word::splat(groups.constants[group] > 1));
        for &bit in groups.bits(group) {
            let word = block.bit(bit as usize);
            several |= some & word;
            some |= word;
        }
        let several = several & step.active;
        if several.is_zero() {
            next += 1;
            continue;
        }
        if !std::mem::replace(&mut facts.shared[group].any_state, true) {
            for &child in groups.children(group) {
                let waiting = &mut facts.waiting[child as usize];
                *waiting -= 1;
                if *waiting == 0 {
                    facts.open.push(child);
                }
            }
        }
        if (several & step.moving).is_zero() {
            next += 1;
        } else {
            facts.shared[group].before_end = true;
            facts.open.swap_remove(next);
        }
    }
}

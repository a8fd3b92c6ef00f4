//! Changes of a fluent relation from step to step in lanes.
//!
//! In every step, the fact that follows each fact is recorded. Whether a relation depends on play is tested in the
//! first playout of each lane: these playouts are at the same step, so their words can be compared.

use multiversion::multiversion;

use crate::machine::lanes::block::Block;
use crate::machine::lanes::word::Word;

use super::super::trajectory::{Trajectory, fluent_hash};
use super::facts::LaneFacts;
use super::layout::RelationLayout;

/// The changes of one fluent relation.
#[derive(Clone, Debug, Default)]
pub(super) struct LaneTrajectory {
    /// For each step, a hash sum over its facts, while it is the same in all first playouts.
    by_step: Vec<u64>,
    varies: bool,
    /// For each fact, the next fact, if each was the only one.
    after: Vec<Option<u32>>,
    branches: bool,
    /// The words of the facts in the previous step.
    last: Vec<Word>,
}

impl LaneTrajectory {
    /// Whether the relation may be a counter. Only relations with one fact at a time may.
    fn may_count(&self, layout: &RelationLayout, facts: &LaneFacts) -> bool {
        layout.arity > 0 && layout.constant.is_empty() && facts.most == 1 && !self.branches
    }

    /// Processes a step, with the lanes in their first playout and those that continue a playout.
    pub(super) fn process(
        &mut self,
        layout: &RelationLayout,
        facts: &LaneFacts,
        block: &Block<'_>,
        early: Word,
        going_on: Word,
    ) {
        if self.may_count(layout, facts) {
            self.last.resize(layout.facts.len(), Word::ZERO);
            self.after.resize(layout.facts.len(), None);
            self.branches = follow(layout, block, going_on, &mut self.last, &mut self.after);
        }
        if !self.varies && !early.is_zero() {
            match common_hash(layout, block, early) {
                Some(sum) => self.by_step.push(sum),
                None => self.varies = true,
            }
        }
    }

    /// Adds the samples of other blocks.
    pub(super) fn merge(&mut self, other: LaneTrajectory) {
        self.varies |=
            other.varies || self.by_step.iter().zip(&other.by_step).any(|(one, other)| one != other);
        self.branches |= other.branches;
        if self.by_step.len() < other.by_step.len() {
            self.by_step = other.by_step;
        }
        self.after.resize(self.after.len().max(other.after.len()), None);
        for (after, other) in self.after.iter_mut().zip(other.after) {
            self.branches |= after.is_some() && other.is_some() && *after != other;
            *after = after.or(other);
        }
    }

    /// Adds these samples to `trajectory`; `places` has the indices of the facts seen.
    pub(super) fn record_into(
        &self,
        layout: &RelationLayout,
        places: &[Option<usize>],
        trajectory: &mut Trajectory,
    ) {
        for (step, &sum) in self.by_step.iter().enumerate() {
            trajectory.sum(step, sum);
        }
        trajectory.varies |= self.varies;
        trajectory.branches |= self.branches;
        for (before, after) in self.after.iter().enumerate() {
            if let (Some(before), Some(after)) =
                (places[before], after.and_then(|after| places[after as usize]))
            {
                trajectory.follow(before, after);
            }
        }
        let mut initial =
            layout.initial.iter().enumerate().filter(|(_, holds)| **holds).map(|(fact, _)| fact);
        let first = initial.next().or((!layout.constant.is_empty()).then_some(layout.facts.len()));
        let one = layout.initial.iter().filter(|holds| **holds).count() + layout.constant.len() == 1;
        trajectory.start = first.filter(|_| one).and_then(|fact| places[fact]);
    }
}

/// The hash sum over the facts of a relation, if they are the same in all these lanes.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn common_hash(layout: &RelationLayout, block: &Block<'_>, lanes: Word) -> Option<u64> {
    let lane = lanes.lanes().next()?;
    let mut sum: u64 = 0;
    for &(fluent, bit) in &layout.facts {
        let word = block.bit(bit as usize);
        let holds = word.lane(lane);
        if !(word.negate_if(holds) & lanes).is_zero() {
            return None;
        }
        if holds {
            sum = sum.wrapping_add(fluent_hash(fluent));
        }
    }
    Some(sum)
}

/// Records which fact follows which in these lanes, which all had at most one fact before. Returns whether
/// some fact had two different successors, or none.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn follow(
    layout: &RelationLayout,
    block: &Block<'_>,
    lanes: Word,
    last: &mut [Word],
    after: &mut [Option<u32>],
) -> bool {
    let bit = |fact: u32| block.bit(layout.facts[fact as usize].1 as usize);
    let mut branches = false;
    for (last, after) in last.iter().zip(after) {
        let before = *last & lanes;
        let Some(lane) = before.lanes().next() else { continue };
        if after.is_none() {
            *after = (0..layout.facts.len() as u32).find(|&fact| bit(fact).lane(lane));
        }
        branches |= after.is_none_or(|after| !(before & !bit(after)).is_zero());
    }
    for (fact, last) in last.iter_mut().enumerate() {
        *last = bit(fact as u32);
    }
    branches
}

//! What playouts in lanes say about the course of a fluent relation from step to step.
//!
//! Which fact follows which is looked at in every step. Whether a relation depends on play is looked at in the
//! first playout of each lane: these stand at the same step of their playouts, so that their words can be
//! compared.

use multiversion::multiversion;

use crate::machine::lanes::block::Block;
use crate::machine::lanes::word::Word;

use super::super::trajectory::{Trajectory, mixed};
use super::facts::Facts;
use super::layout::RelationLayout;

/// What was seen of the course of one fluent relation.
#[derive(Clone, Debug, Default)]
pub(super) struct LaneTrajectory {
    /// For each step a sum over the facts there, while it is the same in all first playouts.
    by_step: Vec<u64>,
    varies: bool,
    /// For each fact the one that followed when both were the only ones.
    after: Vec<Option<u32>>,
    branches: bool,
    /// The words of the facts in the step before.
    last: Vec<Word>,
}

impl LaneTrajectory {
    /// Whether one fact follows another is of interest for relations with one fact at a time: those that may
    /// count.
    fn may_count(&self, layout: &RelationLayout, facts: &Facts) -> bool {
        layout.arity > 0 && layout.constant.is_empty() && facts.most == 1 && !self.branches
    }

    /// Looks at a step, with the lanes in their first playout and those that go on with a playout.
    pub(super) fn look(
        &mut self,
        layout: &RelationLayout,
        facts: &Facts,
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
            match agreed(layout, block, early) {
                Some(sum) => self.by_step.push(sum),
                None => self.varies = true,
            }
        }
    }

    /// Takes over what other blocks showed.
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

    /// Tells what was seen; `places` gives the places of the facts seen.
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

/// A sum over the facts of a relation, if they are the same in all these lanes.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn agreed(layout: &RelationLayout, block: &Block<'_>, lanes: Word) -> Option<u64> {
    let lane = lanes.lanes().next()?;
    let mut sum: u64 = 0;
    for &(fluent, bit) in &layout.facts {
        let word = block.bit(bit as usize);
        let holds = word.lane(lane);
        if !(word.negate_if(holds) & lanes).is_zero() {
            return None;
        }
        if holds {
            sum = sum.wrapping_add(mixed(fluent));
        }
    }
    Some(sum)
}

/// Notes which fact follows which in these lanes, all of which had one fact at most before; whether any fact was
/// followed by two, or by none.
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

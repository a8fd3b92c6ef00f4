//! Samples from playouts in lanes. Every hypothesis is tested on the words of 512 games at once, without
//! extracting states.

mod control;
mod fact_changes;
mod facts;
mod layout;
mod moves;
#[cfg(test)]
mod tests;
mod trajectories;

pub(super) use layout::Layout;

use crate::machine::lanes::word::Word;
use crate::simulate::{LaneObserver, LaneStep};

use control::LaneControl;
use fact_changes::LaneFactChanges;
use facts::{LaneFacts, StepLanes};
use moves::LaneMoves;
use trajectories::LaneTrajectory;

use super::evidence::Extent;
use super::goals::GoalSamples;
use super::samples::Samples;

/// Samples of playouts in lanes.
pub(super) struct LaneSamples<'l, 'n> {
    layout: &'l Layout<'n>,
    relations: Vec<(LaneFacts, LaneTrajectory, LaneFactChanges)>,
    control: LaneControl,
    moves: LaneMoves,
    goals: GoalSamples,
    extent: Extent,
    /// The lanes in their first playout.
    early: Word,
    /// For each relation, the active lanes in which exactly one of its facts holds.
    one: Vec<Word>,
}

impl<'l, 'n> LaneSamples<'l, 'n> {
    /// Empty samples.
    pub(super) fn new(layout: &'l Layout<'n>) -> LaneSamples<'l, 'n> {
        let relations = layout.relations.iter().map(|relation| {
            (LaneFacts::new(relation), LaneTrajectory::default(), LaneFactChanges::default())
        });
        LaneSamples {
            layout,
            relations: relations.collect(),
            control: LaneControl::new(layout),
            moves: LaneMoves::new(layout.network),
            goals: GoalSamples::new(layout.network.moves.len(), layout.chance),
            extent: Extent::default(),
            early: Word::ONES,
            one: vec![Word::ZERO; layout.relations.len()],
        }
    }
}

impl LaneSamples<'_, '_> {
    /// Moves these samples into `samples`, which must be empty.
    pub(super) fn record_into(self, samples: &mut Samples<'_>) {
        let mut all = Vec::with_capacity(self.relations.len());
        for (relation, (layout, (facts, trajectory, changes))) in
            self.layout.relations.iter().zip(&self.relations).enumerate()
        {
            let was_seen = |fact: usize| fact >= layout.facts.len() || facts.was_seen(fact);
            let place = |(fact, fluent)| if was_seen(fact) { samples.place(fluent) } else { None };
            let places: Vec<Option<usize>> = layout.fluents().enumerate().map(place).collect();
            facts.record_into(layout, &places, &mut samples.facts[relation]);
            trajectory.record_into(layout, &places, samples.trajectories.of_mut(relation));
            samples.changes[relation] = changes.seen;
            all.push(places);
        }
        self.control.record_into(self.layout, &all, &mut samples.control);
        self.moves.record_into(self.layout.network, &mut samples.moves);
        samples.goals.merge(self.goals);
        samples.extent.add(self.extent);
    }
}

impl LaneObserver for LaneSamples<'_, '_> {
    fn step(&mut self, step: &LaneStep<'_>) {
        let lanes = StepLanes { active: step.active, moving: step.active & !step.terminal };
        let going_on = step.active & !step.first;
        self.early = if step.block.step() == 0 { step.active } else { self.early & going_on };
        for (relation, (facts, trajectory, changes)) in self.relations.iter_mut().enumerate() {
            let layout = &self.layout.relations[relation];
            self.one[relation] = facts::process(facts, layout, step.block, lanes);
            trajectory.process(layout, facts, step.block, self.early, going_on);
            changes.process(layout, step.block, going_on);
        }
        let single = |relation: usize| self.relations[relation].0.most <= 1;
        self.control.process(self.layout, step, lanes.moving, &self.one, single);
        self.moves.process(step, lanes.moving);
    }

    fn outcome(&mut self, goals: &[Vec<i32>], playouts: u64) {
        self.goals.end(goals, playouts);
    }

    fn over(&mut self, playouts: u64, states: u64) {
        self.extent.add(Extent { states, playouts });
    }

    fn merge(&mut self, later: Self) {
        for ((facts, trajectory, changes), (other_facts, other_trajectory, other_changes)) in
            self.relations.iter_mut().zip(later.relations)
        {
            facts.merge(&other_facts);
            trajectory.merge(other_trajectory);
            changes.seen.add(other_changes.seen);
        }
        self.control.merge(later.control);
        self.moves.merge(&later.moves);
        self.goals.merge(later.goals);
        self.extent.add(later.extent);
    }
}

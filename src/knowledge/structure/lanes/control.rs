//! Which roles have a choice while a fluent holds, in 512 playouts at a time. Only fluents with at most one
//! fact at a time are considered.

use multiversion::multiversion;

use crate::machine::lanes::block::Block;
use crate::machine::lanes::word::Word;
use crate::simulate::LaneStep;

use super::super::control_samples::ControlSamples;
use super::layout::{Layout, RelationLayout};

/// Samples of all relations.
#[derive(Clone, Debug)]
pub(super) struct LaneControl {
    relations: Vec<RelationControl>,
    /// The control samples of all blocks: pairs of relations and states with a choice.
    pub(super) samples: ControlSamples,
    /// Pairs of relations for which [`ControlSamples::record_pair`] still lacks an observation.
    pairs: Vec<(usize, usize)>,
}

/// Samples of one relation.
#[derive(Clone, Debug)]
struct RelationControl {
    /// For each fact that changes, the roles that had several moves while it was the only fact.
    choosers: Vec<u64>,
    /// The same for the constant fact, if there is exactly one.
    constant: u64,
    /// The facts under which some role has not yet had a choice.
    open: Vec<u32>,
    covered: u64,
}

impl LaneControl {
    /// Empty samples.
    pub(super) fn new(layout: &Layout<'_>) -> LaneControl {
        let relations = layout.relations.iter().map(|relation| RelationControl {
            choosers: vec![0; relation.facts.len()],
            constant: 0,
            open: (0..relation.facts.len() as u32).collect(),
            covered: 0,
        });
        let samples = ControlSamples::new(layout.relations.len());
        let eligible = |&relation: &usize| {
            layout.relations[relation].arity > 0 && layout.relations[relation].constant.len() < 2
        };
        let tracked: Vec<usize> = samples.tracked().filter(eligible).collect();
        let pairs = tracked
            .iter()
            .enumerate()
            .flat_map(|(index, &b)| tracked[..index].iter().map(move |&a| (a, b)))
            .collect();
        LaneControl { relations: relations.collect(), samples, pairs }
    }

    /// Processes a step. `one` has the lanes in which each relation has one fact; `single` says whether a
    /// relation never had more.
    pub(super) fn process(
        &mut self,
        layout: &Layout<'_>,
        step: &LaneStep<'_>,
        moving: Word,
        one: &[Word],
        single: impl Fn(usize) -> bool,
    ) {
        let choosing = step.several.iter().fold(Word::ZERO, |any, &several| any | several);
        self.samples.with_choice += u64::from(choosing.count());
        for (relation, control) in self.relations.iter_mut().enumerate() {
            if layout.relations[relation].arity > 0 && single(relation) {
                let lanes = one[relation] & choosing;
                process(control, &layout.relations[relation], step.block, lanes, step.several);
            }
        }
        let samples = &mut self.samples;
        self.pairs.retain(|&(a, b)| {
            if !single(a) || !single(b) {
                return false;
            }
            let (here, there) = (one[a] & moving, one[b] & moving);
            samples.record_pair(a, b, !(here & there).is_zero(), !(here ^ there).is_zero())
        });
    }

    /// Adds the samples of other blocks.
    pub(super) fn merge(&mut self, other: LaneControl) {
        for (control, other) in self.relations.iter_mut().zip(&other.relations) {
            control.choosers.iter_mut().zip(&other.choosers).for_each(|(choosers, more)| *choosers |= more);
            control.constant |= other.constant;
            control.covered += other.covered;
        }
        self.samples.merge(other.samples, &[]);
    }

    /// Adds these samples to `samples`; `places` has the indices of the facts seen, for each relation.
    pub(super) fn record_into(
        self,
        layout: &Layout<'_>,
        places: &[Vec<Option<usize>>],
        samples: &mut ControlSamples,
    ) {
        samples.merge(self.samples, &[]);
        for (relation, control) in self.relations.iter().enumerate() {
            let facts = layout.relations[relation].facts.len();
            let choosers = control.choosers.iter().copied().chain([control.constant]);
            let of_facts = choosers.zip(&places[relation][..(facts + 1).min(places[relation].len())]);
            let known = of_facts.filter_map(|(choosers, place)| Some((place.as_ref().copied()?, choosers)));
            samples.record(relation, known, control.covered);
        }
    }
}

/// Processes the facts of a relation in lanes where it has one fact and a role has a choice.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn process(
    control: &mut RelationControl,
    layout: &RelationLayout,
    block: &Block<'_>,
    lanes: Word,
    several: &[Word],
) {
    if lanes.is_zero() {
        return;
    }
    control.covered += u64::from(lanes.count());
    let all = several.iter().enumerate().fold(0_u64, |set, (role, _)| set | 1 << role.min(63));
    let mut next = 0;
    while let Some(&fact) = control.open.get(next) {
        let with = block.bit(layout.facts[fact as usize].1 as usize) & lanes;
        let choosers = &mut control.choosers[fact as usize];
        if !with.is_zero() {
            for (role, &several) in several.iter().enumerate() {
                *choosers |= u64::from(!(with & several).is_zero()) << role.min(63);
            }
        }
        if *choosers == all {
            control.open.swap_remove(next);
        } else {
            next += 1;
        }
    }
    if !layout.constant.is_empty() {
        for (role, &several) in several.iter().enumerate() {
            control.constant |= u64::from(!(lanes & several).is_zero()) << role.min(63);
        }
    }
}

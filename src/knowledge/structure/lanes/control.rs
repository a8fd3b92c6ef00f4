//! Who has a choice while a fluent holds, in 512 playouts at a time. Only fluents with at most one fact at a time
//! are looked at.

use multiversion::multiversion;

use crate::machine::lanes::block::Block;
use crate::machine::lanes::word::Word;
use crate::simulate::LaneStep;

use super::super::control_samples::ControlSamples;
use super::layout::{Layout, RelationLayout};

/// What was seen of all relations.
#[derive(Clone, Debug)]
pub(super) struct LaneControl {
    relations: Vec<Holders>,
    /// The control samples of all blocks: pairs of relations and states with a choice.
    pub(super) samples: ControlSamples,
    /// Pairs of relations of which something is not known yet.
    pairs: Vec<(usize, usize)>,
}

/// What was seen of one relation.
#[derive(Clone, Debug)]
struct Holders {
    /// For each fact that comes and goes, while it was the only one: the roles that had several moves.
    choosers: Vec<u64>,
    /// The same for the fact that always holds, if there is one.
    constant: u64,
    /// The facts under which not all roles have been seen to choose.
    open: Vec<u32>,
    covered: u64,
}

impl LaneControl {
    /// Nothing seen yet.
    pub(super) fn new(layout: &Layout<'_>) -> LaneControl {
        let relations = layout.relations.iter().map(|relation| Holders {
            choosers: vec![0; relation.facts.len()],
            constant: 0,
            open: (0..relation.facts.len() as u32).collect(),
            covered: 0,
        });
        let samples = ControlSamples::new(layout.relations.len());
        let eligible = |&relation: &usize| {
            layout.relations[relation].arity > 0 && layout.relations[relation].constant.len() < 2
        };
        let told_apart: Vec<usize> = samples.told_apart().filter(eligible).collect();
        let pairs = told_apart
            .iter()
            .enumerate()
            .flat_map(|(index, &b)| told_apart[..index].iter().map(move |&a| (a, b)))
            .collect();
        LaneControl { relations: relations.collect(), samples, pairs }
    }

    /// Looks at a step: `one` gives the lanes in which each relation has one fact, `single` whether it never had
    /// more.
    pub(super) fn look(
        &mut self,
        layout: &Layout<'_>,
        step: &LaneStep<'_>,
        moving: Word,
        one: &[Word],
        single: impl Fn(usize) -> bool,
    ) {
        let choosing = step.several.iter().fold(Word::ZERO, |any, &several| any | several);
        self.samples.with_choice += u64::from(choosing.count());
        for (relation, holders) in self.relations.iter_mut().enumerate() {
            if layout.relations[relation].arity > 0 && single(relation) {
                let lanes = one[relation] & choosing;
                look(holders, &layout.relations[relation], step.block, lanes, step.several);
            }
        }
        let samples = &mut self.samples;
        self.pairs.retain(|&(a, b)| {
            if !single(a) || !single(b) {
                return false;
            }
            let (here, there) = (one[a] & moving, one[b] & moving);
            samples.pair(a, b, !(here & there).is_zero(), !(here ^ there).is_zero())
        });
    }

    /// Takes over what other blocks showed.
    pub(super) fn merge(&mut self, other: LaneControl) {
        for (holders, other) in self.relations.iter_mut().zip(&other.relations) {
            holders.choosers.iter_mut().zip(&other.choosers).for_each(|(choosers, more)| *choosers |= more);
            holders.constant |= other.constant;
            holders.covered += other.covered;
        }
        self.samples.merge(other.samples, &[]);
    }

    /// Tells what was seen; `places` gives for each relation the places of its facts seen.
    pub(super) fn record_into(
        self,
        layout: &Layout<'_>,
        places: &[Vec<Option<usize>>],
        samples: &mut ControlSamples,
    ) {
        samples.merge(self.samples, &[]);
        for (relation, holders) in self.relations.iter().enumerate() {
            let facts = layout.relations[relation].facts.len();
            let choosers = holders.choosers.iter().copied().chain([holders.constant]);
            let of_facts = choosers.zip(&places[relation][..(facts + 1).min(places[relation].len())]);
            let known = of_facts.filter_map(|(choosers, place)| Some((place.as_ref().copied()?, choosers)));
            samples.hold(relation, known, holders.covered);
        }
    }
}

/// Looks at the facts of a relation in lanes in which it has one and a role has a choice.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn look(holders: &mut Holders, layout: &RelationLayout, block: &Block<'_>, lanes: Word, several: &[Word]) {
    if lanes.is_zero() {
        return;
    }
    holders.covered += u64::from(lanes.count());
    let all = several.iter().enumerate().fold(0_u64, |set, (role, _)| set | 1 << role.min(63));
    let mut next = 0;
    while let Some(&fact) = holders.open.get(next) {
        let with = block.bit(layout.facts[fact as usize].1 as usize) & lanes;
        let choosers = &mut holders.choosers[fact as usize];
        if !with.is_zero() {
            for (role, &several) in several.iter().enumerate() {
                *choosers |= u64::from(!(with & several).is_zero()) << role.min(63);
            }
        }
        if *choosers == all {
            holders.open.swap_remove(next);
        } else {
            next += 1;
        }
    }
    if !layout.constant.is_empty() {
        for (role, &several) in several.iter().enumerate() {
            holders.constant |= u64::from(!(lanes & several).is_zero()) << role.min(63);
        }
    }
}

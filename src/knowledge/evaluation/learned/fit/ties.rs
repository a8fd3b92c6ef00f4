//! Tied weights: facts that agree in some of their arguments share a weight while weights are fitted.
//!
//! A piece has about the same value on every square, and a row has about the same value for every role that occupies
//! it. All facts that agree in an argument contribute samples to their shared weight, so it converges long before the
//! weights of single facts do. After the fit it is added to the weights of its facts, which then hold only the
//! difference from others of their kind. Counts and material are such weights.

use std::collections::{BTreeMap, BTreeSet};

use crate::machine::FluentId;

use super::super::model::conjunctions::Conjunctions;
use super::super::self_play::samples::Samples;
use super::super::task::Task;

/// The most arguments that tied facts agree in.
const AGREED: usize = 2;

/// The most arguments of facts that are tied.
const ARGUMENTS: usize = 5;

/// Samples that show how many facts of a tie hold together.
const SAMPLES: usize = 2_000;

/// Groups of single facts that share a weight.
#[derive(Clone, Debug, Default)]
pub(super) struct Ties {
    /// For each conjunction the ties that it belongs to.
    of: Vec<Box<[u32]>>,
    /// For each tie the reciprocal of the mean number of its facts that hold if at least one holds.
    scales: Vec<f64>,
}

/// The number of facts of each tie that hold in a sample.
#[derive(Clone, Debug, Default)]
pub(super) struct TieCounts {
    counts: Vec<f64>,
    touched: Vec<u32>,
}

impl Ties {
    /// Ties of the conjunctions that are single facts, for every choice of at most two arguments to agree in.
    pub(super) fn new(task: &Task<'_>, conjunctions: &Conjunctions, samples: &Samples) -> Ties {
        let mut alike = BTreeMap::<_, Vec<u32>>::new();
        for (number, bits) in (0..).zip(conjunctions.list()) {
            let [bit] = bits[..] else { continue };
            let (relation, arguments) = task.machine.fluent(FluentId(task.network.bits[bit as usize]));
            if arguments.is_empty() || arguments.len() > ARGUMENTS {
                continue;
            }
            for agreed in 0..1_usize << arguments.len() {
                let count = agreed.count_ones() as usize;
                if count <= AGREED && count < arguments.len() {
                    let agrees = |place: &usize| agreed >> place & 1 == 1;
                    let values: Vec<_> = (0..arguments.len()).filter(agrees).map(|n| arguments[n]).collect();
                    alike.entry((relation, arguments.len(), agreed, values)).or_default().push(number);
                }
            }
        }
        let groups: BTreeSet<Vec<u32>> = alike.into_values().filter(|group| group.len() > 1).collect();
        let mut of = vec![Vec::new(); conjunctions.list().len()];
        for (tie, group) in (0..).zip(&groups) {
            group.iter().for_each(|&number| of[number as usize].push(tie));
        }
        let mut ties = Ties { of: of.into_iter().map(Box::from).collect(), scales: vec![1.0; groups.len()] };
        ties.scale(conjunctions, samples);
        ties
    }

    /// One tie of all conjunctions.
    #[cfg(test)]
    pub(super) fn of_all(conjunctions: usize, scale: f64) -> Ties {
        Ties { of: vec![[0].into(); conjunctions], scales: vec![scale] }
    }

    fn scale(&mut self, conjunctions: &Conjunctions, samples: &Samples) {
        let (mut sums, mut states) = (vec![0.0; self.scales.len()], vec![0.0; self.scales.len()]);
        let mut counts = TieCounts::default();
        for &number in samples.training.iter().rev().take(SAMPLES) {
            conjunctions
                .for_each_true(samples.state(number), |conjunction| self.count(conjunction, &mut counts));
            for tie in counts.touched.drain(..) {
                sums[tie as usize] += std::mem::take(&mut counts.counts[tie as usize]);
                states[tie as usize] += 1.0;
            }
        }
        for ((scale, sum), states) in self.scales.iter_mut().zip(sums).zip(states) {
            *scale = if sum > 0.0 { states / sum } else { 1.0 };
        }
    }

    pub(super) fn len(&self) -> usize {
        self.scales.len()
    }

    /// Counts a conjunction that is true.
    pub(super) fn count(&self, conjunction: u32, counts: &mut TieCounts) {
        let Some(ties) = self.of.get(conjunction as usize) else { return };
        if counts.counts.len() < self.scales.len() {
            counts.counts.resize(self.scales.len(), 0.0);
        }
        for &tie in ties {
            let count = &mut counts.counts[tie as usize];
            if *count == 0.0 {
                counts.touched.push(tie);
            }
            *count += 1.0;
        }
    }

    /// Appends the amount of each tie that was counted, and resets the counts. An amount is 1 if an average number of the tie's
    /// facts hold.
    pub(super) fn take(&self, counts: &mut TieCounts, out: &mut Vec<(u32, f32)>) {
        for tie in counts.touched.drain(..) {
            let count = std::mem::take(&mut counts.counts[tie as usize]);
            out.push((tie, (count * self.scales[tie as usize]) as f32));
        }
    }

    /// Weights of conjunctions, with the weights of their ties added.
    pub(super) fn add_to(&self, weights: &[f64], of_ties: &[f64]) -> Vec<f64> {
        if self.of.is_empty() {
            return weights.to_vec();
        }
        let of_tie = |&tie: &u32| of_ties[tie as usize] * self.scales[tie as usize];
        let with_ties = weights.iter().zip(&self.of);
        with_ties.map(|(weight, ties)| weight + ties.iter().map(of_tie).sum::<f64>()).collect()
    }
}

//! Weights that facts have in common while they are fitted: those alike in some of their arguments.
//!
//! A piece is worth about the same wherever it stands, and a row about the same whoever stands in it. A weight for all
//! facts that agree in an argument is told by every one of them, so that it is known long before those of single facts
//! are. After the fit it is added to the weights of its facts, where it belongs; what is left over for a single fact is
//! what it differs from others of its kind by. Counts and material are such weights.

use std::collections::{BTreeMap, BTreeSet};

use crate::ground::Network;
use crate::machine::{FluentId, Machine};

use super::conjunctions::Conjunctions;
use super::samples::Samples;

/// Arguments that facts with a common weight agree in, at most.
const AGREED: usize = 2;

/// Arguments of facts that have common weights, at most.
const ARGUMENTS: usize = 5;

/// States that tell how many facts of a tie hold together.
const STATES: usize = 2_000;

/// Common weights of single facts.
#[derive(Clone, Debug, Default)]
pub(super) struct Ties {
    /// For each conjunction the ties that it belongs to.
    of: Vec<Box<[u32]>>,
    /// For each tie one by the mean number of its facts that hold where one does.
    scales: Vec<f64>,
}

/// The ties of a state: how much of each there is.
#[derive(Clone, Debug, Default)]
pub(super) struct Tied {
    counts: Vec<f64>,
    touched: Vec<u32>,
}

impl Ties {
    /// Ties of the conjunctions that are single facts, for every choice of one or two arguments to agree in, or of none.
    pub(super) fn new(
        machine: &dyn Machine,
        network: &Network,
        conjunctions: &Conjunctions,
        samples: &Samples,
    ) -> Ties {
        let mut alike = BTreeMap::<_, Vec<u32>>::new();
        for (number, bits) in (0..).zip(conjunctions.list()) {
            let [bit] = bits[..] else { continue };
            let (relation, arguments) = machine.fluent(FluentId(network.bits[bit as usize]));
            if arguments.is_empty() || arguments.len() > ARGUMENTS {
                continue;
            }
            for agreed in 0..1_usize << arguments.len() {
                let count = agreed.count_ones() as usize;
                if count <= AGREED && count < arguments.len() {
                    let agrees = |place: &usize| agreed >> place & 1 == 1;
                    let kept: Vec<_> = (0..arguments.len()).filter(agrees).map(|n| arguments[n]).collect();
                    alike.entry((relation, arguments.len(), agreed, kept)).or_default().push(number);
                }
            }
        }
        let groups: BTreeSet<Vec<u32>> = alike.into_values().filter(|group| group.len() > 1).collect();
        let mut of = vec![Vec::new(); conjunctions.len()];
        for (tie, group) in (0..).zip(&groups) {
            group.iter().for_each(|&number| of[number as usize].push(tie));
        }
        let mut ties = Ties { of: of.into_iter().map(Box::from).collect(), scales: vec![1.0; groups.len()] };
        ties.scale(conjunctions, samples);
        ties
    }

    /// One tie of so many conjunctions.
    #[cfg(test)]
    pub(super) fn of_all(conjunctions: usize, scale: f64) -> Ties {
        Ties { of: vec![[0].into(); conjunctions], scales: vec![scale] }
    }

    fn scale(&mut self, conjunctions: &Conjunctions, samples: &Samples) {
        let (mut sums, mut states) = (vec![0.0; self.scales.len()], vec![0.0; self.scales.len()]);
        let mut tied = Tied::default();
        for &number in samples.fitted.iter().rev().take(STATES) {
            conjunctions.each(samples.state(number), |conjunction| self.add(conjunction, &mut tied));
            for tie in tied.touched.drain(..) {
                sums[tie as usize] += std::mem::take(&mut tied.counts[tie as usize]);
                states[tie as usize] += 1.0;
            }
        }
        for ((scale, sum), states) in self.scales.iter_mut().zip(sums).zip(states) {
            *scale = if sum > 0.0 { states / sum } else { 1.0 };
        }
    }

    /// Number of ties.
    pub(super) fn len(&self) -> usize {
        self.scales.len()
    }

    /// Notes that a conjunction holds.
    pub(super) fn add(&self, conjunction: u32, tied: &mut Tied) {
        let Some(ties) = self.of.get(conjunction as usize) else { return };
        if tied.counts.len() < self.scales.len() {
            tied.counts.resize(self.scales.len(), 0.0);
        }
        for &tie in ties {
            let count = &mut tied.counts[tie as usize];
            if *count == 0.0 {
                tied.touched.push(tie);
            }
            *count += 1.0;
        }
    }

    /// Appends how much there is of the ties noted, and forgets them: 1 where as many of a tie's facts hold as hold on the average.
    pub(super) fn take(&self, tied: &mut Tied, out: &mut Vec<(u32, f32)>) {
        for tie in tied.touched.drain(..) {
            let count = std::mem::take(&mut tied.counts[tie as usize]);
            out.push((tie, (count * self.scales[tie as usize]) as f32));
        }
    }

    /// Weights of conjunctions with those of their ties.
    pub(super) fn folded(&self, weights: &[f64], of_ties: &[f64]) -> Vec<f64> {
        if self.of.is_empty() {
            return weights.to_vec();
        }
        let of_tie = |&tie: &u32| of_ties[tie as usize] * self.scales[tie as usize];
        let with_ties = weights.iter().zip(&self.of);
        with_ties.map(|(weight, ties)| weight + ties.iter().map(of_tie).sum::<f64>()).collect()
    }
}

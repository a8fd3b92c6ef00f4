//! How far play has come, told by the facts of a state: weights that change in the course of play follow it.

use std::sync::Arc;

use crate::simulate::{Choices, Stopped, Watch};

use super::conjunctions::{Bits, Conjunctions};
use super::fit::judges;
use super::samples::Samples;

/// A weighted sum of facts, cut off at 0, the beginning of play, and at 1, its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Phase {
    /// Single facts.
    pub(super) facts: Arc<Conjunctions>,
    /// One for each of them.
    pub(super) weights: Vec<f64>,
    pub(super) constant: f64,
}

/// Times that the states are gone through, and states at most.
const EPOCHS: u64 = 3;
const STATES: usize = 40_000;

/// The length of a weight's first step, and the squares that are taken to have been seen before it.
const STEP: f64 = 0.1;
const SEEN: f64 = 1.0;

/// The share of the variance of what was played that it has to explain, on states kept back.
const EXPLAINED: f64 = 0.3;

/// States between two looks at the interrupt.
const STRIDE: usize = 1024;

/// Where play is taken to be, by a sum.
pub(super) fn cut_off(sum: f64) -> f64 {
    sum.clamp(0.0, 1.0)
}

impl Phase {
    /// The share of play that lies behind a state, 0 to 1.
    pub(super) fn share(&self, words: &[u64]) -> f64 {
        cut_off(self.sum(words))
    }

    fn sum(&self, words: &[u64]) -> f64 {
        let mut sum = self.constant;
        self.facts.each(words, |number| sum += self.weights[number as usize]);
        sum
    }
}

/// Fits weights of facts to the share of play that lay behind each state, by least squares in steps that become smaller
/// (Adagrad); none where facts don't tell.
///
/// # Errors
/// It has to end.
pub(super) fn fit_phase(
    samples: &Samples,
    bits: &[u32],
    seed: u64,
    watch: &Watch<'_>,
) -> Result<Option<Phase>, Stopped> {
    let list: Vec<Bits> = bits.iter().map(|&bit| Bits::from([bit])).collect();
    let mut phase = Phase {
        weights: vec![0.0; list.len()],
        facts: Arc::new(Conjunctions::new(list, &samples.support())),
        constant: 0.5,
    };
    let facts = Arc::clone(&phase.facts);
    let mut order: Vec<u32> = samples.fitted.iter().rev().take(STATES).copied().collect();
    let (mut squares, mut of_constant) = (vec![SEEN; phase.weights.len()], SEEN);
    let mut active = Vec::new();
    for epoch in 0..EPOCHS {
        Choices::new(seed, epoch).shuffle(&mut order);
        for block in order.chunks(STRIDE) {
            for &number in block {
                active.clear();
                let mut sum = phase.constant;
                facts.each(samples.state(number), |fact| {
                    sum += phase.weights[fact as usize];
                    active.push(fact as usize);
                });
                let slope = sum - samples.played(number);
                of_constant += slope * slope;
                phase.constant -= STEP * slope / of_constant.sqrt();
                for &fact in &active {
                    squares[fact] += slope * slope;
                    // So that many facts that hold together don't overshoot.
                    phase.weights[fact] -= STEP * slope / squares[fact].sqrt() / (active.len() as f64).sqrt();
                }
            }
            watch.spend(block.len() as u64)?;
        }
    }
    let judges = judges(samples);
    let count = judges.len().max(1) as f64;
    let mean = judges.iter().map(|&number| samples.played(number)).sum::<f64>() / count;
    let (mut left, mut all) = (0.0, 0.0);
    for &number in judges {
        let played = samples.played(number);
        left += (played - phase.share(samples.state(number))).powi(2);
        all += (played - mean).powi(2);
    }
    Ok(Some(phase).filter(|_| all > 1e-9 && 1.0 - left / all >= EXPLAINED))
}

#[cfg(test)]
mod tests {
    use super::super::none_of::NoneOf;
    use super::super::self_play::Played;
    use super::*;
    use crate::machine::State;

    /// Games of eight moves, each of which sets another bit; a ninth bit comes and goes.
    #[test]
    fn discs_on_a_board_tell_how_far_play_has_come() {
        let mut samples = Samples::new(Arc::new(NoneOf::new(1, Vec::new())), 1);
        for number in 0..400_u64 {
            let word = |moves: u64| ((1 << moves) - 1) | ((number + moves * 7) % 3 % 2) << 8;
            let states: Vec<State> = (0..8).map(|moves| State(Box::new([word(moves)]))).collect();
            let game = Played { missed: vec![None; 8], states, begin: 0, outcome: Some(vec![1.0]) };
            samples.add(&game, None, 1.0, number);
        }
        let watch = Watch::default();
        let phase = fit_phase(&samples, &[0, 1, 2, 3, 4, 5, 6, 7, 8], 1, &watch).unwrap().unwrap();
        for moves in 0..8_u64 {
            let share = phase.share(&[(1 << moves) - 1]);
            assert!((share - moves as f64 / 8.0).abs() < 0.1, "{share} after {moves} of 8 moves");
        }
        assert_eq!(fit_phase(&samples, &[8], 1, &watch).unwrap(), None, "what comes and goes tells nothing");
    }
}

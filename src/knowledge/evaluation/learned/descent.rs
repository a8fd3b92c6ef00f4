//! Weights on their way down the slope of the loss, a state at a time, in steps that become smaller for a weight the more was seen of
//! it (Adagrad; Duchi, Hazan and Singer 2011).

use crate::statistics::regression::sigmoid;

use super::classes::{Classes, Held};
use super::policy::{Policy, Turn};
use super::ties::Ties;

/// The squares that are taken to have been seen before the first step.
const SEEN: f64 = 10.0;

/// A number on its way.
#[derive(Clone, Copy, Debug)]
struct Moving {
    value: f64,
    /// Sum of the squares of the slopes so far.
    squares: f64,
}

impl Moving {
    fn from(value: f64) -> Moving {
        Moving { value, squares: SEEN }
    }

    fn step(&mut self, length: f64, slope: f64) {
        self.squares += slope * slope;
        self.value -= length * slope / self.squares.sqrt();
    }
}

/// Weights of classes of conjunctions. Where weights differ by whose turn it is, these are means over both sides, and `turns`
/// half of what they differ by: so what is true of both sides of a symmetry is in one number.
#[derive(Clone, Debug)]
pub(super) struct Descent<'a> {
    classes: &'a Classes,
    ties: &'a Ties,
    /// The length of a first step, and how strongly weights are drawn to 0.
    length: f64,
    ridge: f64,
    /// Whether neither side is worth more where nothing holds.
    is_even: bool,
    constant: Moving,
    weights: Vec<Moving>,
    of_ties: Vec<Moving>,
    turns: Option<(Moving, Vec<Moving>)>,
}

impl Descent<'_> {
    /// From the weights of a policy. Where symmetries change sides, `is_even`, its constant is 0 on both sides together.
    pub(super) fn new<'a>(
        policy: &Policy,
        classes: &'a Classes,
        ties: &'a Ties,
        is_even: bool,
        length: f64,
        ridge: f64,
    ) -> Descent<'a> {
        let moving = |means: Vec<f64>| means.into_iter().map(Moving::from).collect();
        let half = |place: usize| policy.turn.as_ref().map_or(0.0, |turn| turn.gains[place] / 2.0);
        let weights = (0..).zip(&policy.weights).map(|(place, weight)| weight + half(place));
        let turns = policy.turn.as_ref().map(|turn| {
            let gains = turn.gains.iter().map(|gain| gain / 2.0);
            (Moving::from(turn.constant / 2.0), moving(classes.means(gains, false)))
        });
        let constant = policy.constant + policy.turn.as_ref().map_or(0.0, |turn| turn.constant / 2.0);
        Descent {
            classes,
            ties,
            length,
            ridge,
            is_even,
            constant: Moving::from(if is_even { 0.0 } else { constant }),
            weights: moving(classes.means(weights, true)),
            of_ties: vec![Moving::from(0.0); ties.len()],
            turns,
        }
    }

    /// A step towards a state's target. `side` is 1 where the fact holds that tells whose turn it is, else -1.
    pub(super) fn step(&mut self, held: &[Held], tied: &[(u32, f32)], side: f64, target: f64) {
        let Descent { length, ridge, .. } = *self;
        let of_weight = |held: &Held| f64::from(held.balance) * self.weights[held.class as usize].value;
        let of_tie = |&(tie, amount): &(u32, f32)| f64::from(amount) * self.of_ties[tie as usize].value;
        let mut sum = self.constant.value
            + held.iter().map(of_weight).sum::<f64>()
            + tied.iter().map(of_tie).sum::<f64>();
        if let Some((constant, gains)) = &self.turns {
            let of_gain = |held: &Held| f64::from(held.count) * gains[held.class as usize].value;
            sum += side * (constant.value + held.iter().map(of_gain).sum::<f64>());
        }
        let slope = sigmoid(sum) - target;
        if !self.is_even {
            self.constant.step(length, slope);
        }
        for held in held.iter().filter(|held| held.balance != 0) {
            let weight = &mut self.weights[held.class as usize];
            weight.step(length, slope * f64::from(held.balance) + ridge * weight.value);
        }
        for &(tie, amount) in tied {
            self.of_ties[tie as usize].step(length, slope * f64::from(amount));
        }
        if let Some((constant, gains)) = &mut self.turns {
            constant.step(length, side * slope);
            for held in held {
                let gain = &mut gains[held.class as usize];
                gain.step(length, side * slope * f64::from(held.count) + ridge * gain.value);
            }
        }
    }

    /// The policy with the weights of now.
    pub(super) fn policy(&self, of: &Policy) -> Policy {
        let values = |moving: &[Moving]| moving.iter().map(|moving| moving.value).collect::<Vec<f64>>();
        let own: Vec<f64> = self.classes.spread(&values(&self.weights), true).collect();
        let folded = self.ties.folded(&own, &values(&self.of_ties));
        // What weights have in common may differ between images.
        let means = self.classes.means(folded.into_iter(), true);
        let mean: Vec<f64> = self.classes.spread(&means, true).collect();
        let Some((constant, gains)) = &self.turns else {
            return Policy { weights: mean, constant: self.constant.value, ..of.clone() };
        };
        let halves: Vec<f64> = self.classes.spread(&values(gains), false).collect();
        let turn = of.turn.as_ref().map(|turn| Turn {
            bit: turn.bit,
            gains: halves.iter().map(|half| 2.0 * half).collect(),
            constant: 2.0 * constant.value,
        });
        Policy {
            weights: mean.iter().zip(&halves).map(|(mean, half)| mean - half).collect(),
            constant: self.constant.value - constant.value,
            turn,
            ..of.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::conjunctions::{Bits, Conjunctions};
    use super::super::group::Image;
    use super::*;

    /// Two facts that a change of sides takes to each other, where the side that has the move gains by its own.
    #[test]
    fn what_is_seen_of_one_side_is_true_of_the_other() {
        let list = vec![Bits::from([0]), Bits::from([1])];
        let images = [Image::of_nothing(2), Image::of_bits(vec![1, 0], true)];
        let classes = Classes::new(&list, &images);
        let ties = Ties::default();
        let policy = Policy {
            weights: vec![0.0; 2],
            conjunctions: Arc::new(Conjunctions::new(list, &[1; 64])),
            ..Policy::default()
        };
        let policy = policy.by_turn(2);
        let mut descent = Descent::new(&policy, &classes, &ties, true, 0.05, 0.0);
        // Only the first fact is ever seen: worth 0.9 to who has the move, else 0.6.
        let held = [Held { class: 0, count: 1, balance: 1 }];
        for _ in 0..20_000 {
            descent.step(&held, &[], 1.0, 0.9);
            descent.step(&held, &[], -1.0, 0.6);
        }
        let found = descent.policy(&policy);
        let share = |facts: u64| found.share(&[facts]);
        assert!((share(0b101) - 0.9).abs() < 0.01 && (share(0b001) - 0.6).abs() < 0.01, "{found:?}");
        // The second fact is as bad on either side, and neither is worth anything of itself.
        assert!((share(0b010) - 0.1).abs() < 0.01 && (share(0b110) - 0.4).abs() < 0.01, "{found:?}");
        assert!((share(0b000) + share(0b100) - 1.0).abs() < 1e-9, "{found:?}");
    }
}

//! Gradient descent on the log loss, one state at a time. The steps of a weight become smaller as the sum of its
//! squared gradients grows (Adagrad; Duchi, Hazan and Singer 2011).

use crate::statistics::regression::sigmoid;

use super::super::model::{Model, TurnWeights};
use super::classes::{ActiveClass, Classes};
use super::ties::Ties;

/// The sum of squared gradients before the first step.
const INITIAL_SQUARES: f64 = 10.0;

#[derive(Clone, Copy, Debug)]
struct Weight {
    value: f64,
    /// Sum of the squared gradients so far.
    squares: f64,
}

impl Weight {
    fn from(value: f64) -> Weight {
        Weight { value, squares: INITIAL_SQUARES }
    }

    fn step(&mut self, length: f64, gradient: f64) {
        self.squares += gradient * gradient;
        self.value -= length * gradient / self.squares.sqrt();
    }
}

/// Weights of classes of conjunctions. If weights depend on whose turn it is, these are the means over both sides,
/// and `turns` is half of the difference. Then a weight that symmetries of both sides share is one number.
#[derive(Clone, Debug)]
pub(super) struct Descent<'a> {
    classes: &'a Classes,
    ties: &'a Ties,
    /// The length of a first step, and the ridge penalty.
    length: f64,
    ridge: f64,
    /// Whether the constants of both sides add up to 0.
    is_even: bool,
    constant: Weight,
    weights: Vec<Weight>,
    of_ties: Vec<Weight>,
    turns: Option<(Weight, Vec<Weight>)>,
}

impl Descent<'_> {
    pub(super) fn new<'a>(
        model: &Model,
        classes: &'a Classes,
        ties: &'a Ties,
        is_even: bool,
        length: f64,
        ridge: f64,
    ) -> Descent<'a> {
        let weights_from = |means: Vec<f64>| means.into_iter().map(Weight::from).collect();
        let weights = (0..).zip(&model.weights).map(|(number, weight)| weight + model.gain(number) / 2.0);
        let turns = model.turn.as_ref().map(|turn| {
            let gains = turn.gains.iter().map(|gain| gain / 2.0);
            (Weight::from(turn.constant / 2.0), weights_from(classes.means(gains, false)))
        });
        let constant = model.constant + model.turn.as_ref().map_or(0.0, |turn| turn.constant / 2.0);
        Descent {
            classes,
            ties,
            length,
            ridge,
            is_even,
            constant: Weight::from(if is_even { 0.0 } else { constant }),
            weights: weights_from(classes.means(weights, true)),
            of_ties: vec![Weight::from(0.0); ties.len()],
            turns,
        }
    }

    /// A step towards a state's target. `side` is 1 if the fact of the turn holds, else -1.
    pub(super) fn step(&mut self, active: &[ActiveClass], tied: &[(u32, f32)], side: f64, target: f64) {
        let Descent { length, ridge, .. } = *self;
        let of_class = |one: &ActiveClass| f64::from(one.balance) * self.weights[one.class as usize].value;
        let of_tie = |&(tie, amount): &(u32, f32)| f64::from(amount) * self.of_ties[tie as usize].value;
        let mut sum = self.constant.value
            + active.iter().map(of_class).sum::<f64>()
            + tied.iter().map(of_tie).sum::<f64>();
        if let Some((constant, gains)) = &self.turns {
            let of_gain = |one: &ActiveClass| f64::from(one.count) * gains[one.class as usize].value;
            sum += side * (constant.value + active.iter().map(of_gain).sum::<f64>());
        }
        let gradient = sigmoid(sum) - target;
        if !self.is_even {
            self.constant.step(length, gradient);
        }
        for one in active.iter().filter(|one| one.balance != 0) {
            let weight = &mut self.weights[one.class as usize];
            weight.step(length, gradient * f64::from(one.balance) + ridge * weight.value);
        }
        for &(tie, amount) in tied {
            self.of_ties[tie as usize].step(length, gradient * f64::from(amount));
        }
        if let Some((constant, gains)) = &mut self.turns {
            constant.step(length, side * gradient);
            for one in active {
                let gain = &mut gains[one.class as usize];
                gain.step(length, side * gradient * f64::from(one.count) + ridge * gain.value);
            }
        }
    }

    /// A model with the present weights.
    pub(super) fn model(&self, template: &Model) -> Model {
        let values = |weights: &[Weight]| weights.iter().map(|weight| weight.value).collect::<Vec<f64>>();
        let own: Vec<f64> = self.classes.spread(&values(&self.weights), true).collect();
        let with_ties = self.ties.add_to(&own, &values(&self.of_ties));
        // Tied weights may differ between the images of a conjunction.
        let means = self.classes.means(with_ties.into_iter(), true);
        let mean: Vec<f64> = self.classes.spread(&means, true).collect();
        let Some((constant, gains)) = &self.turns else {
            return Model { weights: mean, constant: self.constant.value, ..template.clone() };
        };
        let halves: Vec<f64> = self.classes.spread(&values(gains), false).collect();
        let turn = template.turn.as_ref().map(|turn| TurnWeights {
            bit: turn.bit,
            gains: halves.iter().map(|half| 2.0 * half).collect(),
            constant: 2.0 * constant.value,
        });
        Model {
            weights: mean.iter().zip(&halves).map(|(mean, half)| mean - half).collect(),
            constant: self.constant.value - constant.value,
            turn,
            ..template.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::model::conjunctions::Bits;
    use super::super::symmetries::Image;
    use super::*;

    /// Two facts that a change of sides exchanges; the side to move gains by its own.
    #[test]
    fn both_sides_learn_from_one() {
        let list = vec![Bits::from([0]), Bits::from([1])];
        let images = [Image::identity(2), Image { bits: vec![1, 0], is_opposite: true }];
        let classes = Classes::new(&list, &images);
        let ties = Ties::default();
        let model = Model::of_conjunctions(&Default::default(), list, &[1; 64]).by_turn(2);
        let mut descent = Descent::new(&model, &classes, &ties, true, 0.05, 0.0);
        // Samples have the first fact alone: worth 0.9 for the side to move, else 0.6.
        let active = [ActiveClass { class: 0, count: 1, balance: 1 }];
        for _ in 0..20_000 {
            descent.step(&active, &[], 1.0, 0.9);
            descent.step(&active, &[], -1.0, 0.6);
        }
        let found = descent.model(&model);
        let share = |facts: u64| found.share(&[facts]);
        assert!((share(0b101) - 0.9).abs() < 0.01 && (share(0b001) - 0.6).abs() < 0.01, "{found:?}");
        // The second fact is as bad for the other side, and neither side has an advantage without facts.
        assert!((share(0b010) - 0.1).abs() < 0.01 && (share(0b110) - 0.4).abs() < 0.01, "{found:?}");
        assert!((share(0b000) + share(0b100) - 1.0).abs() < 1e-9, "{found:?}");
    }
}

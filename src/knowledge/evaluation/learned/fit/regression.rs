//! Logistic regression of the samples' targets on the conjunctions that are true in them.

use crate::simulate::{Choices, EarlyEnd, WorkLimit};

use super::super::model::Model;
use super::super::model::conjunctions::has;
use super::super::schedule::EPOCHS;
use super::super::self_play::samples::Samples;
use super::activations::Activations;
use super::classes::Classes;
use super::descent::Descent;
use super::ties::Ties;

/// The learning rates of `Descent`, which are tried in this order. A smaller one is needed if outcomes depend little on
/// states: then larger steps increase the validation loss.
const LEARNING_RATES: [f64; 3] = [0.05, 0.0125, 0.003];

/// No other setting is tried after a fit that explains this share of the targets' variance.
const GOOD_EXPLAINED: f64 = 0.05;

/// Samples between two checks of the interrupt.
const STRIDE: usize = 1024;

/// A fit of one role's weights.
pub(super) struct LogisticRegression<'a> {
    pub(super) samples: &'a Samples,
    pub(super) role: usize,
    /// The ridge penalty, for each sample.
    pub(super) ridge: f64,
    /// The seed of the order of the samples.
    pub(super) seed: u64,
    /// The number of samples that are evaluated for one unit of work.
    pub(super) states_per_unit: u64,
    /// Classes of conjunctions that share a weight.
    pub(super) classes: &'a Classes,
    /// Whether a symmetry exchanges the sides, so that the constants of both sides add up to 0.
    pub(super) is_even: bool,
    pub(super) ties: &'a Ties,
    pub(super) work_limit: &'a WorkLimit<'a>,
}

/// A fitted model, with its quality on the validation set.
#[derive(Clone, Debug)]
pub(super) struct FittedModel {
    pub(super) model: Model,
    /// The share of the targets' variance that it explains; none if targets don't vary.
    pub(super) explained: Option<f64>,
    /// The mean log loss, in nats.
    pub(super) loss: f64,
}

impl LogisticRegression<'_> {
    /// Fits weights, beginning with those of a model. Tries the [`LEARNING_RATES`] with ties, and then without them,
    /// because ties increase the validation loss if samples are few. Ends after the first good fit.
    pub(super) fn fit(&self, start: Model) -> Result<FittedModel, EarlyEnd> {
        let no_ties = Ties::default();
        let settings = LEARNING_RATES.map(|step| (self.ties, step)).into_iter();
        let settings = settings.chain(LEARNING_RATES.map(|step| (&no_ties, step)));
        let mut best: Option<FittedModel> = None;
        let begin = self.work_limit.spent();
        let work_of_setting = self.samples.training.len() as u64 * EPOCHS / self.states_per_unit;
        // Settings that failed in an earlier round are not tried again.
        for (number, (ties, step)) in settings.enumerate().skip(start.fit_setting) {
            if number < LEARNING_RATES.len() && ties.len() == 0 {
                continue;
            }
            let start = Model { fit_setting: number, ..start.clone() };
            let Some(fitted) = self.descend(start, ties, step)? else { continue };
            let is_good = fitted.explained.is_some_and(|explained| explained >= GOOD_EXPLAINED);
            if best.as_ref().is_none_or(|best| fitted.loss < best.loss) {
                best = Some(fitted);
            }
            if is_good || self.work_limit.spent() - begin > work_of_setting {
                break;
            }
        }
        if let Some(best) = best {
            return Ok(best);
        }
        let loss = self.loss(&start)?;
        let explained = self.explained(&start)?;
        Ok(FittedModel { model: start, explained, loss })
    }

    /// The model after the best pass over the samples; none if no pass makes the validation loss better.
    fn descend(&self, start: Model, ties: &Ties, step: f64) -> Result<Option<FittedModel>, EarlyEnd> {
        let samples = self.samples;
        let mut descent = Descent::new(&start, self.classes, ties, self.is_even, step, self.ridge);
        let mut order = samples.training.clone();
        let mut best = (self.loss(&start)?, None);
        let mut activations = Activations::new(&start.conjunctions, self.classes, ties, samples);
        for epoch in 0..EPOCHS {
            Choices::new(self.seed, epoch).shuffle(&mut order);
            for block in order.chunks(STRIDE) {
                for &number in block {
                    let (active, tied) = activations.of(number);
                    let is_turn =
                        start.turn.as_ref().is_some_and(|turn| has(samples.state(number), turn.bit));
                    let side = if is_turn { 1.0 } else { -1.0 };
                    descent.step(active, tied, side, samples.target(self.role, number));
                }
                self.work_limit.spend(block.len() as u64 / self.states_per_unit)?;
            }
            let model = descent.model(&start);
            let loss = self.loss(&model)?;
            if loss < best.0 {
                best = (loss, Some(model));
            } else if epoch > 0 {
                break;
            }
        }
        let (loss, Some(model)) = best else { return Ok(None) };
        let explained = self.explained(&model)?;
        Ok(Some(FittedModel { model, explained, loss }))
    }

    /// The mean log loss on the validation set, in nats.
    fn loss(&self, model: &Model) -> Result<f64, EarlyEnd> {
        let validation = self.samples.validation();
        let mut sum = 0.0;
        for block in validation.chunks(STRIDE) {
            sum += block.iter().map(|&number| log_loss(model, self.samples, self.role, number)).sum::<f64>();
            self.work_limit.spend(block.len() as u64 / self.states_per_unit)?;
        }
        Ok(sum / validation.len().max(1) as f64)
    }

    /// The share of the targets' variance on the validation set that a model explains; none if targets don't vary.
    fn explained(&self, model: &Model) -> Result<Option<f64>, EarlyEnd> {
        let validation = self.samples.validation();
        let target = |number: &u32| self.samples.target(self.role, *number);
        let mean = validation.iter().map(target).sum::<f64>() / validation.len() as f64;
        let residuals = residuals(model, self.samples, self.role, validation, self.work_limit)?;
        let unexplained: f64 = residuals.iter().map(|residual| residual * residual).sum();
        let all: f64 = validation.iter().map(|number| (target(number) - mean).powi(2)).sum();
        Ok((all > 1e-9).then(|| 1.0 - unexplained / all))
    }
}

/// The log loss of a sample, in nats.
pub(super) fn log_loss(model: &Model, samples: &Samples, role: usize, number: u32) -> f64 {
    /// The least distance of a share from 0 and 1, so that losses are bounded.
    const NEAREST: f64 = 1e-6;
    let (target, share) = (samples.target(role, number), model.share(samples.state(number)));
    let share = share.clamp(NEAREST, 1.0 - NEAREST);
    -(target * share.ln() + (1.0 - target) * (1.0 - share).ln())
}

/// The residuals of some samples: their targets minus the model's values.
pub(super) fn residuals(
    model: &Model,
    samples: &Samples,
    role: usize,
    numbers: &[u32],
    work_limit: &WorkLimit<'_>,
) -> Result<Vec<f64>, EarlyEnd> {
    let mut residuals = Vec::with_capacity(numbers.len());
    for block in numbers.chunks(STRIDE) {
        let of = |&number: &u32| samples.target(role, number) - model.share(samples.state(number));
        residuals.extend(block.iter().map(of));
        work_limit.spend(block.len() as u64)?;
    }
    Ok(residuals)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::super::model::conjunctions::Bits;
    use super::super::super::model::none_of::NoneOf;
    use super::super::super::self_play::game::PlayedGame;
    use super::super::symmetries::Image;
    use super::*;

    /// If the steps of ties are far too long, ties are dropped, and the decisive fact still gets its weight.
    #[test]
    fn ties_that_make_the_loss_worse_are_dropped() {
        let mut samples = Samples::new(Arc::new(NoneOf::new(1, Vec::new())), 1);
        for number in 0..2_000_u64 {
            let facts = number * 7 / 3 % 16;
            samples.add(&PlayedGame::of_state(facts, &[(facts % 2) as f64]), None, 1.0, number);
        }
        let list = (0..4).map(|bit| Bits::from([bit])).collect();
        let start = Model::of_conjunctions(&Arc::default(), list, &samples.support());
        let fitted = |ties: &Ties| {
            let regression = LogisticRegression {
                samples: &samples,
                role: 0,
                ridge: 1e-5,
                seed: 1,
                states_per_unit: 1,
                classes: &Classes::new(start.conjunctions.list(), &[Image::identity(64)]),
                is_even: false,
                ties,
                work_limit: &WorkLimit::default(),
            };
            regression.fit(start.clone()).unwrap()
        };
        let without = fitted(&Ties::default());
        assert!(without.model.weights[0] > 1.0 && without.explained.unwrap() > 0.5, "{without:?}");
        assert_eq!(fitted(&Ties::of_all(4, 1e6)).model, without.model);
    }
}

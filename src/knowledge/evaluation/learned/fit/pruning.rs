//! Makes models cheaper, because a search evaluates every state that it visits. The terms that change values most are
//! kept, as many as lanes can evaluate, and weights are rounded to a coarse grid.

use crate::machine::lanes::value::adders;

use super::super::model::Model;
use super::super::self_play::samples::Samples;
use super::classes::Classes;
use super::regression::log_loss;

/// The most gates and adders of both sides of a turn together: a pass of lanes takes a microsecond or two for this
/// number. In games whose step has many gates, the limit is the number of these gates divided by `STEP_SHARE`, but at
/// most the limit of searches that evaluate in lanes.
const GATES: usize = 3_000;
const STEP_SHARE: usize = 8;
const MOST_GATES: usize = 12_000;

/// Grids that are tried, as shares of the weights' mean size, the coarsest first.
const GRIDS: [f64; 7] = [1.0, 0.5, 0.25, 0.125, 1.0 / 16.0, 1.0 / 32.0, 1.0 / 64.0];

/// The most that a grid may increase the validation loss, as a share of the model's reduction of it.
const GIVEN_UP: f64 = 0.01;

/// The most samples for the validation loss, and the most samples for counts of terms: the last
/// ones. They are few, so that an interrupt takes effect soon.
const VALIDATION: usize = 1_000;
const COUNTED: usize = 4_000;

/// The share of samples in which each term of a model is true.
pub(crate) fn support(model: &Model, samples: &Samples) -> Vec<f64> {
    let mut support = vec![0_u64; model.conjunctions.list().len()];
    let first = samples.len().saturating_sub(COUNTED) as u32;
    for state in first..samples.len() as u32 {
        model.conjunctions.for_each_true(samples.state(state), |number| support[number as usize] += 1);
    }
    let total = samples.len().clamp(1, COUNTED) as f64;
    support.into_iter().map(|count| count as f64 / total).collect()
}

/// The most gates of a model, for a game whose step has `step_gates`.
fn most_gates(step_gates: usize) -> usize {
    (step_gates / STEP_SHARE).clamp(GATES, MOST_GATES)
}

/// The model without the terms that change values least, so that few gates are left. `bit_support` is the number of
/// samples in which each bit is set. Terms of a class stay or go together.
pub(super) fn prune(
    model: &Model,
    samples: &Samples,
    bit_support: &[u64],
    classes: &Classes,
    step_gates: usize,
) -> Model {
    let mut of_classes = vec![(0.0, 0_u32); classes.len()];
    for (number, share) in (0..).zip(support(model, samples)) {
        let (sum, count) = &mut of_classes[classes.class(number) as usize];
        *sum += model.effect(number, share);
        *count += 1;
    }
    let effects: Vec<f64> =
        of_classes.into_iter().map(|(sum, count)| sum / f64::from(count.max(1))).collect();
    let mut order: Vec<usize> = (0..model.weights.len()).collect();
    order.sort_by(|&a, &b| {
        let [one, other] = [a, b].map(|number| classes.class(number) as usize);
        effects[other].total_cmp(&effects[one]).then(one.cmp(&other)).then(a.cmp(&b))
    });
    // The number of gates depends on the coarsest grid, which depends on the weights that are left.
    let mut kept = order.clone();
    for _ in 0..2 {
        let grid = grid(kept.iter().map(|&number| model.weights[number]), GRIDS[0]);
        let mut gates = 0;
        let fits = |number: &&usize| {
            gates += term_gates(model, **number, grid);
            gates <= most_gates(step_gates)
        };
        kept = order.iter().take_while(fits).copied().collect();
    }
    kept.sort_unstable();
    model.restricted(&kept, bit_support)
}

/// Gates and adders of a term on both sides, with weights on a grid.
fn term_gates(model: &Model, number: usize, grid: f64) -> usize {
    let atoms = |&bit: &u32| model.none_of.group(bit).map_or(1, |group| group.len());
    let atoms: usize = model.conjunctions.list()[number].iter().map(atoms).sum();
    // A weight that is 0 on this grid may differ from 0 on a finer one.
    let of_weight = |weight: f64| match (weight / grid).round() as i64 {
        0 if weight == 0.0 => 0,
        0 => atoms + 1,
        units => atoms + adders(units),
    };
    let weight = model.weights[number];
    of_weight(weight) + model.turn.as_ref().map_or(0, |turn| of_weight(weight + turn.gains[number]))
}

/// The model with its weights on the coarsest grid that hardly increases the validation loss, without weights of 0.
pub(crate) fn round_weights(model: &Model, samples: &Samples, role: usize, bit_support: &[u64]) -> Model {
    let validation = samples.validation();
    let validation = &validation[validation.len().saturating_sub(VALIDATION)..];
    let loss = |model: &Model| -> f64 {
        validation.iter().map(|&number| log_loss(model, samples, role, number)).sum()
    };
    let own = loss(model);
    let most = own + GIVEN_UP * (loss_of_mean(samples, role, validation) - own).max(0.0);
    let on = |&share: &f64| on_grid(model, grid(model.weights.iter().copied(), share), bit_support);
    GRIDS.iter().map(on).find(|rounded| loss(rounded) <= most).unwrap_or_else(|| model.clone())
}

/// The log loss of some samples, in nats, if each is valued at their mean.
fn loss_of_mean(samples: &Samples, role: usize, numbers: &[u32]) -> f64 {
    let count = numbers.len() as f64;
    let mean = numbers.iter().map(|&number| samples.target(role, number)).sum::<f64>() / count.max(1.0);
    let of = |share: f64| if share > 0.0 { -share * share.ln() } else { 0.0 };
    count * (of(mean) + of(1.0 - mean))
}

/// A power of two near a share of the weights' mean size.
fn grid(weights: impl ExactSizeIterator<Item = f64>, share: f64) -> f64 {
    let count = weights.len().max(1) as f64;
    let mean = weights.map(f64::abs).sum::<f64>() / count;
    2_f64.powi((mean * share).log2().round().clamp(-24.0, 24.0) as i32)
}

/// The model with all weights on multiples of a number, without terms whose weights are 0.
fn on_grid(model: &Model, grid: f64, support: &[u64]) -> Model {
    let round = |number: f64| (number / grid).round() * grid;
    let mut rounded = model.clone();
    rounded.weights.iter_mut().for_each(|weight| *weight = round(*weight));
    if let Some(turn) = &mut rounded.turn {
        for (number, gain) in turn.gains.iter_mut().enumerate() {
            *gain = round(model.weights[number] + *gain) - rounded.weights[number];
        }
    }
    let kept: Vec<usize> = (0..rounded.weights.len())
        .filter(|&number| rounded.weights[number] != 0.0 || rounded.gain(number) != 0.0)
        .collect();
    rounded.restricted(&kept, support)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::super::model::TurnWeights;
    use super::super::super::model::conjunctions::Bits;
    use super::super::super::model::none_of::NoneOf;
    use super::super::super::self_play::game::PlayedGame;
    use super::super::symmetries::Image;
    use super::*;
    use crate::statistics::regression::sigmoid;

    const WEIGHTS: [f64; 4] = [1.93, -1.04, 0.004, 0.52];
    const GAINS: [f64; 4] = [-1.9, 0.03, 0.0, 1.01];

    /// A model of four facts and one that shows whose turn it is, and samples whose targets are its values.
    fn model_and_samples() -> (Model, Samples) {
        let mut samples = Samples::new(Arc::new(NoneOf::new(1, Vec::new())), 1);
        let list = (0..4).map(|bit| Bits::from([bit])).collect();
        let model = Model::of_conjunctions(&Arc::default(), list, &[1; 64]);
        let turn = Some(TurnWeights { bit: 4, gains: GAINS.to_vec(), constant: -0.2 });
        let model = Model { weights: WEIGHTS.to_vec(), constant: 0.1, turn, ..model };
        for number in 0..3_000_u64 {
            let word = number / 7 % 32;
            let side = if word >> 4 == 1 { (1.0, -0.1) } else { (0.0, 0.1) };
            let of_bit = |bit: usize| (word >> bit & 1) as f64 * (WEIGHTS[bit] + side.0 * GAINS[bit]);
            let outcome = sigmoid(side.1 + (0..4).map(of_bit).sum::<f64>());
            samples.add(&PlayedGame::of_state(word, &[outcome]), None, 1.0, number);
        }
        (model, samples)
    }

    #[test]
    fn rounded_weights_of_both_sides_keep_the_values() {
        let (model, samples) = model_and_samples();
        let found = round_weights(&model, &samples, 0, &[1; 64]);
        // The term with small weights on both sides is gone.
        assert_eq!(found.conjunctions.list(), [Bits::from([0]), Bits::from([1]), Bits::from([3])]);
        let turn = found.turn.as_ref().unwrap();
        let sides = found.weights.iter().zip(&turn.gains).flat_map(|(weight, gain)| [*weight, weight + gain]);
        let grid = grid(model.weights.iter().copied(), GRIDS[GRIDS.len() - 1]);
        for weight in sides {
            assert_eq!(weight % grid, 0.0, "{found:?}");
        }
        for word in 0..32 {
            assert!((found.share(&[word]) - model.share(&[word])).abs() < 0.03, "{word}: {found:?}");
        }
        assert!(model.weights.len() > found.weights.len() && found.constant == model.constant);
    }

    /// A small weight is kept if targets hardly vary.
    #[test]
    fn small_weights_are_kept_if_nothing_else_explains_targets() {
        let mut samples = Samples::new(Arc::new(NoneOf::new(1, Vec::new())), 1);
        for number in 0..10_000_u64 {
            let word = number / 10 % 2;
            let outcome = 0.5 + 0.02 * (word as f64 - 0.5);
            samples.add(&PlayedGame::of_state(word, &[outcome]), None, 1.0, number);
        }
        let model = Model::of_conjunctions(&Arc::default(), vec![Bits::from([0])], &[1; 64]);
        let model = Model { weights: vec![0.08], constant: -0.04, ..model };
        let found = round_weights(&model, &samples, 0, &[1; 64]);
        assert!((found.share(&[1]) - found.share(&[0]) - 0.02).abs() < 0.005, "{found:?}");
    }

    #[test]
    fn a_model_without_terms_stays_one() {
        let (model, samples) = model_and_samples();
        let empty = model.restricted(&[], &[1; 64]);
        assert_eq!(round_weights(&empty, &samples, 0, &[1; 64]), empty);
    }

    /// The terms that change values most are kept, as many as lanes can value.
    #[test]
    fn the_terms_with_the_greatest_effect_are_kept() {
        let (model, samples) = model_and_samples();
        let classes = |model: &Model| Classes::new(model.conjunctions.list(), &[Image::identity(64)]);
        assert_eq!(prune(&model, &samples, &[1; 64], &classes(&model), 0), model, "few terms stay");
        // Triples of facts that never hold, and a fact that does.
        let triples =
            (8..30).flat_map(|a| (30..45).flat_map(move |b| (45..64).map(move |c| Bits::from([a, b, c]))));
        let sometimes = Bits::from([0]);
        let list: Vec<Bits> = triples.chain([sometimes.clone()]).collect();
        let many = Model::of_conjunctions(&samples.none_of, list, &[1; 64]);
        let many = Model { weights: vec![1.0; many.weights.len()], ..many };
        let grid = grid(many.weights.iter().copied(), GRIDS[0]);
        let left = prune(&many, &samples, &[1; 64], &classes(&many), 0);
        let gates: usize = (0..left.weights.len()).map(|number| term_gates(&left, number, grid)).sum();
        assert!(gates <= GATES && gates + 4 > GATES, "{gates}");
        assert!(left.conjunctions.list().contains(&sometimes));
    }

    #[test]
    fn shares_of_states_are_counted() {
        let (model, samples) = model_and_samples();
        support(&model, &samples).iter().for_each(|share| assert!((share - 0.5).abs() < 0.02));
    }
}

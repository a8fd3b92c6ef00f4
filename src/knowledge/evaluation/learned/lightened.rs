//! Functions made light, since a search values every state that it looks at: as few terms as lanes take, those that change values
//! most, and weights on a grid as coarse as can be.

use std::sync::Arc;

use crate::machine::lanes::value::adders;

use super::classes::Classes;
use super::conjunctions::Conjunctions;
use super::fit::{judges, log_loss};
use super::policy::{Policy, Turn};
use super::samples::Samples;

/// Gates and adders of both sides of a turn together at most: a pass of lanes takes a microsecond or two for so many. Where a step
/// takes many gates itself, those of a function may be a share of them, up to what searches let lanes value by.
const GATES: usize = 3_000;
const OF_A_STEP: usize = 8;
const MOST_GATES: usize = 12_000;

/// Grids tried, as shares of the weights' mean size, the coarsest first.
const GRIDS: [f64; 7] = [1.0, 0.5, 0.25, 0.125, 1.0 / 16.0, 1.0 / 32.0, 1.0 / 64.0];

/// How much of what a function tells a grid may cost, as a share: of the loss on games kept back that it saves.
const GIVEN_UP: f64 = 0.01;

/// States that tell that, and states that tell how often a term holds, at most: the last ones, few enough not to keep who
/// interrupted waiting.
const JUDGES: usize = 1_000;
const TOLD_BY: usize = 4_000;

/// The share of states in which each term of a policy holds.
pub(super) fn support(policy: &Policy, samples: &Samples) -> Vec<f64> {
    let mut support = vec![0_u64; policy.conjunctions.len()];
    let first = samples.len().saturating_sub(TOLD_BY) as u32;
    for state in first..samples.len() as u32 {
        policy.conjunctions.each(samples.state(state), |number| support[number as usize] += 1);
    }
    let total = samples.len().clamp(1, TOLD_BY) as f64;
    support.into_iter().map(|count| count as f64 / total).collect()
}

/// The gates of a function, where a step takes so many.
fn most_gates(of_a_step: usize) -> usize {
    (of_a_step / OF_A_STEP).clamp(GATES, MOST_GATES)
}

/// The policy without the terms that change values least, so that the gates of those left are few; `of_bits` says how often each
/// bit holds, `of_a_step` how many gates a step of the game takes. Those of a class stay or go together.
pub(super) fn lightened(
    policy: &Policy,
    samples: &Samples,
    of_bits: &[u64],
    classes: &Classes,
    of_a_step: usize,
) -> Policy {
    let mut of_classes = vec![(0.0, 0_u32); classes.len()];
    for (number, share) in (0..).zip(support(policy, samples)) {
        let (sum, count) = &mut of_classes[classes.class(number) as usize];
        *sum += policy.effect(number, share);
        *count += 1;
    }
    let effects: Vec<f64> =
        of_classes.into_iter().map(|(sum, count)| sum / f64::from(count.max(1))).collect();
    let mut order: Vec<usize> = (0..policy.weights.len()).collect();
    order.sort_by(|&a, &b| {
        let [one, other] = [a, b].map(|number| classes.class(number) as usize);
        effects[other].total_cmp(&effects[one]).then(one.cmp(&other)).then(a.cmp(&b))
    });
    // Gates are those of weights as coarse as they will be, which depends on the weights that are left.
    let mut kept = order.clone();
    for _ in 0..2 {
        let grid = grid(kept.iter().map(|&place| policy.weights[place]), GRIDS[0]);
        let mut gates = 0;
        let fits = |place: &&usize| {
            gates += size(policy, **place, grid);
            gates <= most_gates(of_a_step)
        };
        kept = order.iter().take_while(fits).copied().collect();
    }
    kept.sort_unstable();
    with(policy, &kept, of_bits)
}

/// Gates and adders of a term on both sides, with weights on a grid.
fn size(policy: &Policy, place: usize, grid: f64) -> usize {
    let atoms = |&bit: &u32| policy.none_of.group(bit).map_or(1, |group| group.len());
    let atoms: usize = policy.conjunctions.list()[place].iter().map(atoms).sum();
    // What is nothing on this grid may be something on a finer one.
    let of_weight = |weight: f64| match (weight / grid).round() as i64 {
        0 if weight == 0.0 => 0,
        0 => atoms + 1,
        units => atoms + adders(units),
    };
    let weight = policy.weights[place];
    of_weight(weight) + policy.turn.as_ref().map_or(0, |turn| of_weight(weight + turn.gains[place]))
}

/// The policy with its weights on the coarsest grid that loses next to nothing, without those that are 0 there.
pub(super) fn rounded(policy: &Policy, samples: &Samples, role: usize, of_bits: &[u64]) -> Policy {
    let judges = judges(samples);
    let judges = &judges[judges.len().saturating_sub(JUDGES)..];
    let loss = |policy: &Policy| -> f64 {
        judges.iter().map(|&number| log_loss(policy, samples, role, number)).sum()
    };
    let told = loss(policy);
    let most = told + GIVEN_UP * (loss_of_mean(samples, role, judges) - told).max(0.0);
    let on = |&share: &f64| on_grid(policy, grid(policy.weights.iter().copied(), share), of_bits);
    GRIDS.iter().map(on).find(|found| loss(found) <= most).unwrap_or_else(|| policy.clone())
}

/// The loss of some states, in nats, where nothing is known of them but their mean.
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

/// The policy with all weights on multiples of a number, without terms that have none.
fn on_grid(policy: &Policy, grid: f64, support: &[u64]) -> Policy {
    let round = |number: f64| (number / grid).round() * grid;
    let mut found = policy.clone();
    found.weights.iter_mut().for_each(|weight| *weight = round(*weight));
    if let (Some(turn), Some(of)) = (&mut found.turn, &policy.turn) {
        for (place, gain) in turn.gains.iter_mut().enumerate() {
            *gain = round(policy.weights[place] + of.gains[place]) - found.weights[place];
        }
    }
    let gain = |place: usize| found.turn.as_ref().map_or(0.0, |turn| turn.gains[place]);
    let kept: Vec<usize> =
        (0..found.weights.len()).filter(|&place| found.weights[place] != 0.0 || gain(place) != 0.0).collect();
    with(&found, &kept, support)
}

/// The policy with some of its terms alone, by place, ascending.
fn with(policy: &Policy, kept: &[usize], support: &[u64]) -> Policy {
    let of = |numbers: &[f64]| kept.iter().map(|&place| numbers[place]).collect();
    let list = kept.iter().map(|&place| policy.conjunctions.list()[place].clone()).collect();
    let turn = policy.turn.as_ref();
    Policy {
        none_of: Arc::clone(&policy.none_of),
        conjunctions: Arc::new(Conjunctions::new(list, support)),
        weights: of(&policy.weights),
        constant: policy.constant,
        turn: turn.map(|turn| Turn { bit: turn.bit, gains: of(&turn.gains), constant: turn.constant }),
        way_to_fit: policy.way_to_fit,
        changes_sides: policy.changes_sides,
        is_opposite: policy.is_opposite,
    }
}

#[cfg(test)]
mod tests {
    use super::super::conjunctions::Bits;
    use super::super::none_of::NoneOf;
    use super::super::self_play::Played;
    use super::*;
    use crate::machine::State;
    use crate::statistics::regression::sigmoid;

    const WEIGHTS: [f64; 4] = [1.93, -1.04, 0.004, 0.52];
    const GAINS: [f64; 4] = [-1.9, 0.03, 0.0, 1.01];

    /// States of four facts and one that tells whose turn it is, worth what a policy says of them.
    fn policy_and_samples() -> (Policy, Samples) {
        let mut samples = Samples::new(Arc::new(NoneOf::new(1, Vec::new())), 1);
        let list = (0..4).map(|bit| Bits::from([bit])).collect();
        let conjunctions = Arc::new(Conjunctions::new(list, &[1; 64]));
        let turn = Some(Turn { bit: 4, gains: GAINS.to_vec(), constant: -0.2 });
        let policy =
            Policy { weights: WEIGHTS.to_vec(), conjunctions, constant: 0.1, turn, ..Policy::default() };
        for number in 0..3_000_u64 {
            let word = number / 7 % 32;
            let side = if word >> 4 == 1 { (1.0, -0.1) } else { (0.0, 0.1) };
            let of_bit = |bit: usize| (word >> bit & 1) as f64 * (WEIGHTS[bit] + side.0 * GAINS[bit]);
            let outcome = Some(vec![sigmoid(side.1 + (0..4).map(of_bit).sum::<f64>())]);
            let states = vec![State(Box::new([word]))];
            samples.add(
                &Played { states, missed: vec![None], outcome, ..Played::default() },
                None,
                1.0,
                number,
            );
        }
        (policy, samples)
    }

    #[test]
    fn weights_of_both_sides_lie_on_a_grid_and_say_the_same() {
        let (policy, samples) = policy_and_samples();
        let found = rounded(&policy, &samples, 0, &[1; 64]);
        // What weighs next to nothing on either side is gone.
        assert_eq!(found.conjunctions.list(), [Bits::from([0]), Bits::from([1]), Bits::from([3])]);
        let turn = found.turn.as_ref().unwrap();
        let sides = found.weights.iter().zip(&turn.gains).flat_map(|(weight, gain)| [*weight, weight + gain]);
        let grid = grid(policy.weights.iter().copied(), GRIDS[GRIDS.len() - 1]);
        for weight in sides {
            assert_eq!(weight % grid, 0.0, "{found:?}");
        }
        for word in 0..32 {
            assert!((found.share(&[word]) - policy.share(&[word])).abs() < 0.03, "{word}: {found:?}");
        }
        assert!(policy.weights.len() > found.weights.len() && found.constant == policy.constant);
    }

    /// Where play comes out almost alike in all states, a function that tells little is all there is.
    #[test]
    fn what_tells_little_is_kept() {
        let mut samples = Samples::new(Arc::new(NoneOf::new(1, Vec::new())), 1);
        for number in 0..10_000_u64 {
            let word = number / 10 % 2;
            let outcome = Some(vec![0.5 + 0.02 * (word as f64 - 0.5)]);
            let states = vec![State(Box::new([word]))];
            let game = Played { states, missed: vec![None], outcome, ..Played::default() };
            samples.add(&game, None, 1.0, number);
        }
        let conjunctions = Arc::new(Conjunctions::new(vec![Bits::from([0])], &[1; 64]));
        let policy = Policy { weights: vec![0.08], conjunctions, constant: -0.04, ..Policy::default() };
        let found = rounded(&policy, &samples, 0, &[1; 64]);
        assert!((found.share(&[1]) - found.share(&[0]) - 0.02).abs() < 0.005, "{found:?}");
    }

    #[test]
    fn a_policy_of_nothing_stays_one() {
        let (policy, samples) = policy_and_samples();
        let nothing = with(&policy, &[], &[1; 64]);
        assert_eq!(rounded(&nothing, &samples, 0, &[1; 64]), nothing);
    }

    /// What is left are the terms that change values most, as many as lanes take at once.
    #[test]
    fn of_very_many_terms_those_that_say_most_are_left() {
        let (policy, samples) = policy_and_samples();
        assert_eq!(
            lightened(&policy, &samples, &[1; 64], &Classes::alone(4), 0),
            policy,
            "few stay as they are"
        );
        // Threes of facts that never hold, and one that does.
        let threes =
            (8..30).flat_map(|a| (30..45).flat_map(move |b| (45..64).map(move |c| Bits::from([a, b, c]))));
        let sometimes = Bits::from([0]);
        let list: Vec<Bits> = threes.chain([sometimes.clone()]).collect();
        let many = Policy {
            weights: vec![1.0; list.len()],
            conjunctions: Arc::new(Conjunctions::new(list, &[1; 64])),
            none_of: Arc::new(NoneOf::new(1, Vec::new())),
            turn: None,
            ..policy
        };
        let grid = grid(many.weights.iter().copied(), GRIDS[0]);
        let left = lightened(&many, &samples, &[1; 64], &Classes::alone(many.weights.len()), 0);
        let gates: usize = (0..left.weights.len()).map(|place| size(&left, place, grid)).sum();
        assert!(gates <= GATES && gates + 4 > GATES, "{gates}");
        assert!(left.conjunctions.list().contains(&sometimes));
    }

    #[test]
    fn shares_of_states_are_counted() {
        let (policy, samples) = policy_and_samples();
        support(&policy, &samples).iter().for_each(|share| assert!((share - 0.5).abs() < 0.02));
    }
}

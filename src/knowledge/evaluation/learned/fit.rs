//! Logistic regression of states' targets on the conjunctions that hold in them.

use std::sync::Arc;

use crate::simulate::{Choices, Stopped, Watch};

use super::classes::Classes;
use super::conjunctions::{Conjunctions, has};
use super::descent::Descent;
use super::holding::Holding;
use super::policy::{Policy, Turn};
use super::samples::Samples;
use super::ties::Ties;

/// Times that all states are gone through at most.
pub(super) const EPOCHS: u64 = 4;

/// The length of a weight's first step, and the shorter ones that are tried where those lead away from what is kept back, as they do
/// where outcomes tell little of states.
const STEPS: [f64; 3] = [0.05, 0.0125, 0.003];

/// The share of the targets' variance that is told by a way good enough to try no other.
const TOLD: f64 = 0.05;

/// States between two looks at the interrupt.
const STRIDE: usize = 1024;

/// How weights are fitted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fitting<'a> {
    /// How strongly weights are drawn to 0, for each state seen.
    pub(super) ridge: f64,
    /// Seed of the order in which states are gone through.
    pub(super) seed: u64,
    /// States that are gone through for a unit of work.
    pub(super) states_a_unit: u64,
    /// Conjunctions that have one weight.
    pub(super) classes: &'a Classes,
    /// Whether a symmetry changes sides, so that neither is worth more where nothing holds.
    pub(super) is_even: bool,
    /// Weights that single facts have in common.
    pub(super) ties: &'a Ties,
}

/// Weights, and what they are worth on states that they were not fitted to.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    pub(super) policy: Policy,
    /// The share of the targets' variance that they explain; none where targets don't vary.
    pub(super) explained: Option<f64>,
    /// The mean log loss there, in nats.
    pub(super) loss: f64,
}

/// Fits weights for a role to the states, beginning from weights there are. Where weights in common lead away from what is
/// kept back, as they may where states are few, it is done without.
///
/// # Errors
/// It has to end.
pub(super) fn fit(
    samples: &Samples,
    role: usize,
    start: Policy,
    fitting: &Fitting<'_>,
    watch: &Watch<'_>,
) -> Result<Fit, Stopped> {
    let alone = Fitting { ties: &Ties::default(), ..*fitting };
    let ways = STEPS.map(|step| (fitting, step)).into_iter().chain(STEPS.map(|step| (&alone, step)));
    let mut best: Option<Fit> = None;
    let begin = watch.spent();
    let of_a_way = samples.fitted.len() as u64 * EPOCHS / fitting.states_a_unit;
    // What led astray once is not tried again.
    for (number, (fitting, step)) in ways.enumerate().skip(start.way_to_fit) {
        if number < STEPS.len() && fitting.ties.len() == 0 {
            continue;
        }
        let start = Policy { way_to_fit: number, ..start.clone() };
        let Some(fit) = improved(samples, role, start, fitting, step, watch)? else { continue };
        let is_told = fit.explained.is_some_and(|explained| explained >= TOLD);
        if best.as_ref().is_none_or(|best| fit.loss < best.loss) {
            best = Some(fit);
        }
        if is_told || watch.spent() - begin > of_a_way {
            break;
        }
    }
    if let Some(best) = best {
        return Ok(best);
    }
    let loss = loss(&start, samples, role, fitting.states_a_unit, watch)?;
    let explained = explained(&start, samples, role, watch)?;
    Ok(Fit { policy: start, explained, loss })
}

/// The same; none where no time that all states are gone through makes the loss on those kept back less.
fn improved(
    samples: &Samples,
    role: usize,
    start: Policy,
    fitting: &Fitting<'_>,
    step: f64,
    watch: &Watch<'_>,
) -> Result<Option<Fit>, Stopped> {
    let &Fitting { ridge, seed, states_a_unit, classes, is_even, ties } = fitting;
    let mut descent = Descent::new(&start, classes, ties, is_even, step, ridge);
    let mut order = samples.fitted.clone();
    let mut best = (loss(&start, samples, role, states_a_unit, watch)?, None);
    let mut holding = Holding::new(&start.conjunctions, classes, ties, samples);
    for epoch in 0..EPOCHS {
        Choices::new(seed, epoch).shuffle(&mut order);
        for block in order.chunks(STRIDE) {
            for &number in block {
                let (held, tied) = holding.of(number);
                let told = start.turn.as_ref().is_some_and(|turn| has(samples.state(number), turn.bit));
                descent.step(held, tied, if told { 1.0 } else { -1.0 }, samples.target(role, number));
            }
            watch.spend(block.len() as u64 / states_a_unit)?;
        }
        let policy = descent.policy(&start);
        let now = loss(&policy, samples, role, states_a_unit, watch)?;
        if now < best.0 {
            best = (now, Some(policy));
        } else if epoch > 0 {
            break;
        }
    }
    let (loss, Some(policy)) = best else { return Ok(None) };
    let explained = explained(&policy, samples, role, watch)?;
    Ok(Some(Fit { policy, explained, loss }))
}

/// The states that tell how good a fit is: those kept back, or all where there are none.
pub(super) fn judges(samples: &Samples) -> &[u32] {
    if samples.held_out.is_empty() { &samples.fitted } else { &samples.held_out }
}

/// The mean log loss, in nats.
fn loss(
    policy: &Policy,
    samples: &Samples,
    role: usize,
    states_a_unit: u64,
    watch: &Watch<'_>,
) -> Result<f64, Stopped> {
    let judges = judges(samples);
    let mut sum = 0.0;
    for block in judges.chunks(STRIDE) {
        sum += block.iter().map(|&number| log_loss(policy, samples, role, number)).sum::<f64>();
        watch.spend(block.len() as u64 / states_a_unit)?;
    }
    Ok(sum / judges.len().max(1) as f64)
}

/// The log loss of one state, in nats.
pub(super) fn log_loss(policy: &Policy, samples: &Samples, role: usize, number: u32) -> f64 {
    /// Where a share is taken to be no nearer to 0 or 1, as its loss would be without end.
    const NEAREST: f64 = 1e-6;
    let (target, share) = (samples.target(role, number), policy.share(samples.state(number)));
    let share = share.clamp(NEAREST, 1.0 - NEAREST);
    -(target * share.ln() + (1.0 - target) * (1.0 - share).ln())
}

/// The share of the targets' variance that a policy explains; none where they don't vary.
fn explained(
    policy: &Policy,
    samples: &Samples,
    role: usize,
    watch: &Watch<'_>,
) -> Result<Option<f64>, Stopped> {
    let judges = judges(samples);
    let mean = judges.iter().map(|&number| samples.target(role, number)).sum::<f64>() / judges.len() as f64;
    let missing = residuals(policy, samples, role, judges, watch)?;
    let left: f64 = missing.iter().map(|missing| missing * missing).sum();
    let all: f64 = judges.iter().map(|&number| (samples.target(role, number) - mean).powi(2)).sum();
    Ok((all > 1e-9).then(|| 1.0 - left / all))
}

/// For each of some states, what is missing to its target.
///
/// # Errors
/// It has to end.
pub(super) fn residuals(
    policy: &Policy,
    samples: &Samples,
    role: usize,
    numbers: &[u32],
    watch: &Watch<'_>,
) -> Result<Vec<f64>, Stopped> {
    let mut missing = Vec::with_capacity(numbers.len());
    for block in numbers.chunks(STRIDE) {
        let of = |&number: &u32| samples.target(role, number) - policy.share(samples.state(number));
        missing.extend(block.iter().map(of));
        watch.spend(block.len() as u64)?;
    }
    Ok(missing)
}

/// The weights of a policy for other conjunctions: those that it has keep theirs.
pub(super) fn carried_over(policy: &Policy, conjunctions: Conjunctions) -> Policy {
    let known: std::collections::BTreeMap<&[u32], usize> =
        policy.conjunctions.list().iter().map(|bits| &**bits).zip(0..).collect();
    let places: Vec<Option<usize>> =
        conjunctions.list().iter().map(|bits| known.get(&**bits).copied()).collect();
    let carried =
        |weights: &[f64]| places.iter().map(|place| place.map_or(0.0, |place| weights[place])).collect();
    let turn = policy.turn.as_ref().map(|turn| Turn {
        bit: turn.bit,
        gains: carried(&turn.gains),
        constant: turn.constant,
    });
    let (weights, constant) = (carried(&policy.weights), policy.constant);
    let none_of = Arc::clone(&policy.none_of);
    let conjunctions = Arc::new(conjunctions);
    Policy {
        none_of,
        weights,
        constant,
        conjunctions,
        turn,
        way_to_fit: policy.way_to_fit,
        changes_sides: policy.changes_sides,
        is_opposite: false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::conjunctions::Bits;
    use super::super::none_of::NoneOf;
    use super::super::self_play::Played;
    use super::*;
    use crate::machine::State;

    /// Weights in common that take steps far too long are left out, and the fact that decides is found all the same.
    #[test]
    fn weights_in_common_that_lead_astray_are_left_out() {
        let mut samples = Samples::new(Arc::new(NoneOf::new(1, Vec::new())), 1);
        for number in 0..2_000_u64 {
            let facts = number * 7 / 3 % 16;
            let states = vec![State(Box::new([facts]))];
            let outcome = Some(vec![(facts % 2) as f64]);
            samples.add(
                &Played { states, missed: vec![None], outcome, ..Played::default() },
                None,
                1.0,
                number,
            );
        }
        let list = (0..4).map(|bit| Bits::from([bit])).collect();
        let conjunctions = Arc::new(Conjunctions::new(list, &samples.support()));
        let start = Policy { weights: vec![0.0; 4], conjunctions, ..Policy::default() };
        let fitted = |ties: &Ties| {
            let classes = Classes::alone(start.conjunctions.len());
            let fitting =
                Fitting { ridge: 1e-5, seed: 1, states_a_unit: 1, classes: &classes, is_even: false, ties };
            fit(&samples, 0, start.clone(), &fitting, &Watch::default()).unwrap()
        };
        let alone = fitted(&Ties::default());
        assert!(alone.policy.weights[0] > 1.0 && alone.explained.unwrap() > 0.5, "{alone:?}");
        let astray = fitted(&Ties::of_all(4, 1e6));
        assert_eq!(astray.policy, alone.policy);
    }
}

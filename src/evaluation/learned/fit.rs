//! Logistic regression of states' targets on the conjunctions that hold in them.

use std::sync::Arc;

use crate::simulate::{Choices, Stopped, Watch};
use crate::statistics::regression::sigmoid;

use super::conjunctions::Conjunctions;
use super::policy::{Course, Policy};
use super::samples::Samples;

/// Times that all states are gone through at most.
pub(super) const EPOCHS: u64 = 4;

/// The length of a weight's first step, and the squares that are taken to have been seen before it.
const STEP: f64 = 0.05;
const SEEN: f64 = 10.0;

/// States between two looks at the interrupt.
const STRIDE: usize = 1024;

/// Weights, and what they are worth on states that they were not fitted to.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    pub(super) policy: Policy,
    /// The share of the targets' variance that they explain; none where targets don't vary.
    pub(super) explained: Option<f64>,
    /// The mean log loss there, in nats.
    pub(super) loss: f64,
}

/// Fits weights for a role to the states, beginning from weights there are.
///
/// # Errors
/// It has to end.
pub(super) fn fit(
    samples: &Samples,
    role: usize,
    start: Policy,
    ridge: f64,
    seed: u64,
    watch: &Watch<'_>,
) -> Result<Fit, Stopped> {
    let mut policy = start;
    let mut squares = vec![SEEN; policy.weights.len()];
    let mut of_constant = SEEN;
    // The same for what weights gain in the course of play.
    let gains = policy.course.as_ref().map_or(0, |course| course.gains.len());
    let (mut gained, mut gained_constant) = (vec![SEEN; gains], SEEN);
    let mut order = samples.fitted.clone();
    let mut best = (loss(&policy, samples, role, watch)?, policy.clone());
    let conjunctions = Arc::clone(&policy.conjunctions);
    let mut active = Vec::new();
    for epoch in 0..EPOCHS {
        Choices::new(seed, epoch).shuffle(&mut order);
        for block in order.chunks(STRIDE) {
            for &number in block {
                active.clear();
                let mut sum = policy.constant;
                conjunctions.each(samples.state(number), |conjunction| {
                    sum += policy.weights[conjunction as usize];
                    active.push(conjunction as usize);
                });
                let mut behind = None;
                if let Some(course) = &policy.course {
                    let share = course.phase.share(samples.state(number));
                    let gains = active.iter().map(|&conjunction| course.gains[conjunction]);
                    sum += share * (course.constant + gains.sum::<f64>());
                    behind = Some(share);
                }
                let slope = sigmoid(sum) - samples.target(role, number);
                of_constant += slope * slope;
                policy.constant -= STEP * slope / of_constant.sqrt();
                if let (Some(share), Some(course)) = (behind, &mut policy.course) {
                    let slope = slope * share;
                    gained_constant += slope * slope;
                    course.constant -= STEP * slope / gained_constant.sqrt();
                    for &conjunction in &active {
                        let gain = &mut course.gains[conjunction];
                        let slope = slope + ridge * *gain;
                        gained[conjunction] += slope * slope;
                        *gain -= STEP * slope / gained[conjunction].sqrt();
                    }
                }
                for &conjunction in &active {
                    let weight = &mut policy.weights[conjunction];
                    let slope = slope + ridge * *weight;
                    let seen = &mut squares[conjunction];
                    *seen += slope * slope;
                    *weight -= STEP * slope / seen.sqrt();
                }
            }
            watch.spend(block.len() as u64)?;
        }
        let now = loss(&policy, samples, role, watch)?;
        if now < best.0 {
            best = (now, policy.clone());
        } else if epoch > 0 {
            break;
        }
    }
    let (loss, policy) = best;
    let explained = explained(&policy, samples, role, watch)?;
    Ok(Fit { policy, explained, loss })
}

/// The states that tell how good a fit is: those kept back, or all where there are none.
pub(super) fn judges(samples: &Samples) -> &[u32] {
    if samples.held_out.is_empty() { &samples.fitted } else { &samples.held_out }
}

/// The mean log loss, in nats.
fn loss(policy: &Policy, samples: &Samples, role: usize, watch: &Watch<'_>) -> Result<f64, Stopped> {
    /// Where a share is taken to be no nearer to 0 or 1, as its loss would be without end.
    const NEAREST: f64 = 1e-6;
    let judges = judges(samples);
    let mut sum = 0.0;
    for block in judges.chunks(STRIDE) {
        for &number in block {
            let (target, share) = (samples.target(role, number), policy.share(samples.state(number)));
            let share = share.clamp(NEAREST, 1.0 - NEAREST);
            sum -= target * share.ln() + (1.0 - target) * (1.0 - share).ln();
        }
        watch.spend(block.len() as u64)?;
    }
    Ok(sum / judges.len().max(1) as f64)
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
    let course = policy.course.as_ref().map(|course| Course {
        phase: Arc::clone(&course.phase),
        gains: carried(&course.gains),
        constant: course.constant,
    });
    let (weights, constant) = (carried(&policy.weights), policy.constant);
    Policy { weights, constant, conjunctions: Arc::new(conjunctions), course }
}

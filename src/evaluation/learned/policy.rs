//! What one role follows while it learns: weights of conjunctions of a state's bits.

use std::sync::Arc;

use crate::ground::{Lit, Network};
use crate::machine::lanes::value::{Atom, LaneValue, Sum};
use crate::machine::{FluentId, State};
use crate::statistics::regression::sigmoid;

use super::conjunctions::{Bits, Conjunctions};
use super::none_of::NoneOf;
use super::phase::{Phase, cut_off};

/// The grid that weights are rounded to for lanes, as a share of their mean size: the coarser, the fewer bits there are to
/// be added. Sums are off by some thousandths then, far less than moves are drawn by.
const COARSE: f64 = 1.0 / 64.0;

/// A weighted sum of conjunctions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Policy {
    /// What states are given bits for besides their own.
    pub(super) none_of: Arc<NoneOf>,
    pub(super) conjunctions: Arc<Conjunctions>,
    /// One for each conjunction.
    pub(super) weights: Vec<f64>,
    pub(super) constant: f64,
    /// What weights gain in the course of play, if they do.
    pub(super) course: Option<Course>,
    /// Whether it is the opposite of the first role's.
    pub(super) is_opposite: bool,
}

/// What weights gain in the course of play: at its end all of it, before by how far play has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Course {
    pub(super) phase: Arc<Phase>,
    /// One for each conjunction.
    pub(super) gains: Vec<f64>,
    pub(super) constant: f64,
}

impl Policy {
    /// The log-odds of a state with the bits of groups.
    fn sum(&self, words: &[u64]) -> f64 {
        let mut sum = self.constant;
        let Some(course) = &self.course else {
            self.conjunctions.each(words, |number| sum += self.weights[number as usize]);
            return sum;
        };
        let mut gain = course.constant;
        self.conjunctions.each(words, |number| {
            sum += self.weights[number as usize];
            gain += course.gains[number as usize];
        });
        sum + gain * course.phase.share(words)
    }

    /// The same weights, to be changed in the course of play.
    pub(super) fn with_course(self, phase: &Arc<Phase>) -> Policy {
        let gains = vec![0.0; self.weights.len()];
        let course = Some(Course { phase: Arc::clone(phase), gains, constant: 0.0 });
        Policy { course, ..self }
    }

    /// The log-odds of a state.
    pub(super) fn sum_of(&self, state: &State) -> f64 {
        self.sum(&self.none_of.extended(&state.0))
    }

    /// The share of the goal value that a state promises, 0 to 1.
    pub(super) fn share_of(&self, state: &State) -> f64 {
        sigmoid(self.sum_of(state))
    }

    /// The same of a state with the bits of groups.
    pub(super) fn share(&self, words: &[u64]) -> f64 {
        sigmoid(self.sum(words))
    }

    /// The share as lanes compute it, its weights rounded.
    pub(super) fn in_lanes(&self, network: &Network) -> LaneValue {
        let absent = |&bit: &u32| Atom::Gate { literal: !Lit::of(bit + 1), size: 0 };
        let part = |&bit: &u32| match self.none_of.group(bit) {
            Some(group) => group.iter().map(absent).collect(),
            None => vec![Atom::Fact(FluentId(network.bits[bit as usize]))],
        };
        let atom = |(bits, &weight): (&Bits, &f64)| (Atom::All(bits.iter().flat_map(part).collect()), weight);
        let value = |conjunctions: &Conjunctions, weights: &[f64], constant: f64| {
            let mean = weights.iter().map(|weight| weight.abs()).sum::<f64>() / weights.len().max(1) as f64;
            let grid = 2_f64.powi((mean * COARSE).log2().floor().max(-40.0) as i32);
            let weights: Vec<f64> = weights.iter().map(|weight| (weight / grid).round() * grid).collect();
            let weights = conjunctions.list().iter().zip(&weights).map(atom).collect();
            let (sum, error) = Sum { constant, weights }.rounded();
            LaneValue::of(sum, error)
        };
        let sum = value(&self.conjunctions, &self.weights, self.constant);
        let sum = match &self.course {
            None => sum,
            Some(course) => {
                let phase = value(&course.phase.facts, &course.phase.weights, course.phase.constant);
                let gain = value(&self.conjunctions, &course.gains, course.constant);
                let most = course.gains.iter().map(|gain| gain.abs()).sum::<f64>() + course.constant.abs();
                let gain = gain.fold(phase, [1.0, most], |gain, phase| gain * cut_off(phase));
                sum.fold(gain, [1.0; 2], |sum, gain| sum + gain)
            }
        };
        sum.map(0.25, sigmoid)
    }

    /// The same of a state that comes after one with these log-odds, by what changed.
    pub(super) fn share_after(&self, sum: f64, before: &[u64], after: &[u64]) -> f64 {
        let (before, after) = (&*self.none_of.extended(before), &*self.none_of.extended(after));
        if self.course.is_some() {
            return self.share(after);
        }
        let mut sum = sum;
        self.conjunctions.each_new(before, after, |number| sum += self.weights[number as usize]);
        self.conjunctions.each_new(after, before, |number| sum -= self.weights[number as usize]);
        sigmoid(sum)
    }

    /// The same for a role that gets what this one does not.
    pub(super) fn opposite(&self) -> Policy {
        let negated = |weights: &[f64]| weights.iter().map(|weight| -weight).collect();
        let course = self.course.as_ref().map(|course| Course {
            phase: Arc::clone(&course.phase),
            gains: negated(&course.gains),
            constant: -course.constant,
        });
        Policy {
            none_of: Arc::clone(&self.none_of),
            conjunctions: Arc::clone(&self.conjunctions),
            weights: negated(&self.weights),
            constant: -self.constant,
            course,
            is_opposite: true,
        }
    }
}

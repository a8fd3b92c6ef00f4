//! What one role follows while it learns: weights of conjunctions of a state's bits.

use std::sync::Arc;

use crate::ground::Network;
use crate::machine::FluentId;
use crate::machine::lanes::value::{Atom, LaneValue, Sum};
use crate::statistics::regression::sigmoid;

use super::conjunctions::{Bits, Conjunctions};
use super::phase::{Phase, cut_off};

/// A weighted sum of conjunctions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Policy {
    pub(super) conjunctions: Arc<Conjunctions>,
    /// One for each conjunction.
    pub(super) weights: Vec<f64>,
    pub(super) constant: f64,
    /// What weights gain in the course of play, if they do.
    pub(super) course: Option<Course>,
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
    /// The log-odds of a state.
    pub(super) fn sum(&self, words: &[u64]) -> f64 {
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

    /// The share of the goal value that a state promises, 0 to 1.
    pub(super) fn share(&self, words: &[u64]) -> f64 {
        sigmoid(self.sum(words))
    }

    /// The share as lanes compute it, its weights rounded.
    pub(super) fn in_lanes(&self, network: &Network) -> LaneValue {
        let fact = |&bit: &u32| Atom::Fact(FluentId(network.bits[bit as usize]));
        let atom = |(bits, &weight): (&Bits, &f64)| (Atom::All(bits.iter().map(fact).collect()), weight);
        let value = |conjunctions: &Conjunctions, weights: &[f64], constant: f64| {
            let weights = conjunctions.list().iter().zip(weights).map(atom).collect();
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
            conjunctions: Arc::clone(&self.conjunctions),
            weights: negated(&self.weights),
            constant: -self.constant,
            course,
        }
    }
}

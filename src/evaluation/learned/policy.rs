//! What one role follows while it learns: weights of conjunctions of a state's bits.

use std::sync::Arc;

use crate::ground::Network;
use crate::machine::FluentId;
use crate::machine::lanes::value::{Atom, LaneValue, Sum};
use crate::statistics::regression::sigmoid;

use super::conjunctions::{Bits, Conjunctions};

/// A weighted sum of conjunctions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Policy {
    pub(super) conjunctions: Arc<Conjunctions>,
    /// One for each conjunction.
    pub(super) weights: Vec<f64>,
    pub(super) constant: f64,
}

impl Policy {
    /// The log-odds of a state.
    pub(super) fn sum(&self, words: &[u64]) -> f64 {
        let mut sum = self.constant;
        self.conjunctions.each(words, |number| sum += self.weights[number as usize]);
        sum
    }

    /// The share of the goal value that a state promises, 0 to 1.
    pub(super) fn share(&self, words: &[u64]) -> f64 {
        sigmoid(self.sum(words))
    }

    /// The share as lanes compute it, its weights rounded.
    pub(super) fn in_lanes(&self, network: &Network) -> LaneValue {
        let fact = |&bit: &u32| Atom::Fact(FluentId(network.bits[bit as usize]));
        let atom = |(bits, &weight): (&Bits, &f64)| (Atom::All(bits.iter().map(fact).collect()), weight);
        let weights = self.conjunctions.list().iter().zip(&self.weights).map(atom).collect();
        let (sum, error) = Sum { constant: self.constant, weights }.rounded();
        LaneValue::of(sum, error).map(0.25, sigmoid)
    }

    /// The same of a state that comes after one with these log-odds, by what changed.
    pub(super) fn share_after(&self, sum: f64, before: &[u64], after: &[u64]) -> f64 {
        let mut sum = sum;
        self.conjunctions.each_new(before, after, |number| sum += self.weights[number as usize]);
        self.conjunctions.each_new(after, before, |number| sum -= self.weights[number as usize]);
        sigmoid(sum)
    }

    /// The same for a role that gets what this one does not.
    pub(super) fn opposite(&self) -> Policy {
        let weights = self.weights.iter().map(|weight| -weight).collect();
        Policy { conjunctions: Arc::clone(&self.conjunctions), weights, constant: -self.constant }
    }
}

//! What one role follows while it learns: weights of conjunctions of a state's bits.

use std::sync::Arc;

use crate::ground::{Lit, Network};
use crate::machine::lanes::value::{Atom, LaneValue, Sum};
use crate::machine::{FluentId, State};
use crate::statistics::regression::sigmoid;

use super::conjunctions::{Bits, Conjunctions, has};
use super::none_of::NoneOf;

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
    /// What weights gain where a fact holds that tells who chooses, if they do.
    pub(super) turn: Option<Turn>,
    /// The way to fit that led to it, counted from 0: ways before it led away from games kept back.
    pub(super) way_to_fit: usize,
    /// Whether symmetries that change sides count, so that what one side has is worth to it what it is worth to the other.
    pub(super) changes_sides: bool,
    /// Whether it is the opposite of the first role's.
    pub(super) is_opposite: bool,
}

/// What weights gain in the states in which a role chooses, or in those in which it does not.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Turn {
    /// The bit of a fact that tells which these are.
    pub(super) bit: u32,
    /// One for each conjunction.
    pub(super) gains: Vec<f64>,
    pub(super) constant: f64,
}

/// How much a term changes values that holds in a share of states: its standard deviation, on the side where it weighs more.
pub(super) fn effect(weight: f64, gain: f64, support: f64) -> f64 {
    weight.abs().max((weight + gain).abs()) * (support * (1.0 - support)).sqrt()
}

impl Policy {
    /// The same of a conjunction.
    pub(super) fn effect(&self, number: usize, support: f64) -> f64 {
        effect(self.weights[number], self.turn.as_ref().map_or(0.0, |turn| turn.gains[number]), support)
    }

    /// The log-odds of a state with the bits of groups.
    pub(super) fn sum(&self, words: &[u64]) -> f64 {
        let mut sum = self.constant;
        match &self.turn {
            Some(turn) if has(words, turn.bit) => {
                sum += turn.constant;
                self.conjunctions.each(words, |number| {
                    sum += self.weights[number as usize] + turn.gains[number as usize];
                });
            }
            _ => self.conjunctions.each(words, |number| sum += self.weights[number as usize]),
        }
        sum
    }

    /// The same weights, which may change where a fact holds.
    pub(super) fn by_turn(self, bit: u32) -> Policy {
        let gains = vec![0.0; self.weights.len()];
        Policy { turn: Some(Turn { bit, gains, constant: 0.0 }), ..self }
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
        let absent = |&bit: &u32| Atom::Gate(!Lit::of(bit + 1));
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
        let sum = match &self.turn {
            None => sum,
            Some(turn) => {
                let weights: Vec<f64> =
                    self.weights.iter().zip(&turn.gains).map(|(weight, gain)| weight + gain).collect();
                let other = value(&self.conjunctions, &weights, self.constant + turn.constant);
                sum.other_where(FluentId(network.bits[turn.bit as usize]), other)
            }
        };
        sum.map(0.25, sigmoid)
    }

    /// The same of a state that comes after one with these log-odds, by what changed.
    pub(super) fn share_after(&self, sum: f64, before: &[u64], after: &[u64]) -> f64 {
        let (before, after) = (&*self.none_of.extended(before), &*self.none_of.extended(after));
        if self.turn.is_some() {
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
        let turn = self.turn.as_ref().map(|turn| Turn {
            bit: turn.bit,
            gains: negated(&turn.gains),
            constant: -turn.constant,
        });
        Policy {
            none_of: Arc::clone(&self.none_of),
            conjunctions: Arc::clone(&self.conjunctions),
            weights: negated(&self.weights),
            constant: -self.constant,
            turn,
            way_to_fit: self.way_to_fit,
            changes_sides: self.changes_sides,
            is_opposite: true,
        }
    }
}

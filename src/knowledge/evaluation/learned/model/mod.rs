//! The model that learning fits for a role: a weighted sum of conjunctions of a state's bits, taken as log-odds.

pub(crate) mod conjunctions;
pub(crate) mod incremental_sum;
pub(crate) mod none_of;

use std::sync::Arc;

use crate::ground::{Lit, Network};
use crate::machine::lanes::value::{Atom, LaneValue, Sum};
use crate::machine::{FluentId, State};
use crate::statistics::regression::sigmoid;

use conjunctions::{Bits, Conjunctions, has};
use none_of::NoneOf;

/// The grid to which weights are rounded for lanes, as a share of their mean size. On a coarse grid, fewer bits are
/// added. The error of a sum is some thousandths, far less than the differences that choose moves.
const LANE_GRID: f64 = 1.0 / 64.0;

/// A weighted sum of conjunctions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Model {
    /// The additional bits of states that conjunctions may use.
    pub(crate) none_of: Arc<NoneOf>,
    pub(crate) conjunctions: Arc<Conjunctions>,
    /// One weight for each conjunction.
    pub(crate) weights: Vec<f64>,
    pub(crate) constant: f64,
    /// Additional weights for the states in which a fact shows whose turn it is.
    pub(crate) turn: Option<TurnWeights>,
    /// The index of the setting of `LogisticRegression` that it was fitted with. Earlier settings made the validation
    /// loss worse.
    pub(crate) fit_setting: usize,
    /// Whether symmetries that exchange the two sides share weights, with the opposite sign.
    pub(crate) exchanges_sides: bool,
    /// Whether it is the negated model of the first role.
    pub(crate) is_opposite: bool,
}

/// Weights that are added in the states in which a fact holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TurnWeights {
    pub(crate) bit: u32,
    /// One for each conjunction.
    pub(crate) gains: Vec<f64>,
    pub(crate) constant: f64,
}

/// The effect of a term on values if it is true in a share `support` of the states: the standard deviation of its
/// contribution, on the side with the larger weight.
pub(crate) fn effect(weight: f64, gain: f64, support: f64) -> f64 {
    weight.abs().max((weight + gain).abs()) * (support * (1.0 - support)).sqrt()
}

impl Model {
    /// A model with a weight of 0 for each conjunction.
    pub(crate) fn of_conjunctions(none_of: &Arc<NoneOf>, list: Vec<Bits>, support: &[u64]) -> Model {
        let weights = vec![0.0; list.len()];
        let conjunctions = Arc::new(Conjunctions::new(list, support));
        Model { none_of: Arc::clone(none_of), conjunctions, weights, ..Model::default() }
    }

    /// The log-odds of a state with the bits of groups.
    pub(crate) fn sum(&self, words: &[u64]) -> f64 {
        let mut sum = self.constant;
        match &self.turn {
            Some(turn) if has(words, turn.bit) => {
                sum += turn.constant;
                self.conjunctions.for_each_true(words, |number| {
                    sum += self.weights[number as usize] + turn.gains[number as usize];
                });
            }
            _ => self.conjunctions.for_each_true(words, |number| sum += self.weights[number as usize]),
        }
        sum
    }

    /// The log-odds of a state.
    pub(crate) fn sum_of(&self, state: &State) -> f64 {
        self.sum(&self.none_of.extended(&state.0))
    }

    /// The expected share of the goal value in a state with the bits of groups, 0 to 1.
    pub(crate) fn share(&self, words: &[u64]) -> f64 {
        sigmoid(self.sum(words))
    }

    /// The share in the state `after`, computed from the log-odds of the state `before` and the difference.
    pub(crate) fn share_after(&self, sum: f64, before: &[u64], after: &[u64]) -> f64 {
        let (before, after) = (&*self.none_of.extended(before), &*self.none_of.extended(after));
        if self.turn.is_some() {
            return self.share(after);
        }
        let mut sum = sum;
        self.conjunctions.for_each_new(before, after, |number| sum += self.weights[number as usize]);
        self.conjunctions.for_each_new(after, before, |number| sum -= self.weights[number as usize]);
        sigmoid(sum)
    }

    /// The share as lanes compute it, with rounded weights.
    pub(crate) fn in_lanes(&self, network: &Network) -> LaneValue {
        let absent = |&bit: &u32| Atom::Gate(!Lit::of(bit + 1));
        let part = |&bit: &u32| match self.none_of.group(bit) {
            Some(group) => group.iter().map(absent).collect(),
            None => vec![Atom::Fact(FluentId(network.bits[bit as usize]))],
        };
        let atom = |(bits, &weight): (&Bits, &f64)| (Atom::All(bits.iter().flat_map(part).collect()), weight);
        let value = |weights: &[f64], constant: f64| {
            let mean = weights.iter().map(|weight| weight.abs()).sum::<f64>() / weights.len().max(1) as f64;
            let grid = 2_f64.powi((mean * LANE_GRID).log2().floor().max(-40.0) as i32);
            let weights: Vec<f64> = weights.iter().map(|weight| (weight / grid).round() * grid).collect();
            let weights = self.conjunctions.list().iter().zip(&weights).map(atom).collect();
            let (sum, error) = Sum { constant, weights }.rounded();
            LaneValue::of(sum, error)
        };
        let mut sum = value(&self.weights, self.constant);
        if let Some(turn) = &self.turn {
            let weights: Vec<f64> =
                self.weights.iter().zip(&turn.gains).map(|(one, gain)| one + gain).collect();
            let other = value(&weights, self.constant + turn.constant);
            sum = sum.other_where(FluentId(network.bits[turn.bit as usize]), other);
        }
        sum.map(0.25, sigmoid)
    }

    /// The increase of a conjunction's weight if the fact of the turn holds.
    pub(crate) fn gain(&self, number: usize) -> f64 {
        self.turn.as_ref().map_or(0.0, |turn| turn.gains[number])
    }

    /// The effect of a conjunction on values if it is true in a share `support` of the states.
    pub(crate) fn effect(&self, number: usize, support: f64) -> f64 {
        effect(self.weights[number], self.gain(number), support)
    }

    /// The same weights, with additional ones of 0 for the states in which a fact holds.
    pub(crate) fn by_turn(self, bit: u32) -> Model {
        let gains = vec![0.0; self.weights.len()];
        Model { turn: Some(TurnWeights { bit, gains, constant: 0.0 }), ..self }
    }

    /// The model of a role with the opposite goals.
    pub(crate) fn opposite(&self) -> Model {
        let mut opposite = Model { constant: -self.constant, is_opposite: true, ..self.clone() };
        opposite.weights.iter_mut().for_each(|weight| *weight = -*weight);
        if let Some(turn) = &mut opposite.turn {
            turn.gains.iter_mut().for_each(|gain| *gain = -*gain);
            turn.constant = -turn.constant;
        }
        opposite
    }

    /// The model with only some of its conjunctions, given by number, ascending.
    pub(crate) fn restricted(&self, kept: &[usize], support: &[u64]) -> Model {
        let list = kept.iter().map(|&number| self.conjunctions.list()[number].clone()).collect();
        let places: Vec<Option<usize>> = kept.iter().map(|&number| Some(number)).collect();
        self.with(Conjunctions::new(list, support), &places)
    }

    /// The model for other conjunctions: those that it has keep their weights, the others begin with 0.
    pub(crate) fn carried_over(&self, list: Vec<Bits>, support: &[u64]) -> Model {
        let known: std::collections::BTreeMap<&[u32], usize> =
            self.conjunctions.list().iter().map(|bits| &**bits).zip(0..).collect();
        let places: Vec<Option<usize>> = list.iter().map(|bits| known.get(&**bits).copied()).collect();
        Model { is_opposite: false, ..self.with(Conjunctions::new(list, support), &places) }
    }

    /// Other conjunctions, each with the weight of one of its own, or 0.
    fn with(&self, conjunctions: Conjunctions, places: &[Option<usize>]) -> Model {
        let of =
            |weights: &[f64]| places.iter().map(|index| index.map_or(0.0, |index| weights[index])).collect();
        let turn = self.turn.as_ref();
        Model {
            none_of: Arc::clone(&self.none_of),
            conjunctions: Arc::new(conjunctions),
            weights: of(&self.weights),
            turn: turn.map(|turn| TurnWeights { gains: of(&turn.gains), ..*turn }),
            ..*self
        }
    }
}

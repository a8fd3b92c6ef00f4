//! Values of states in lanes: weighted sums over what holds, in fixed point, and what is made of the sums.
//!
//! A sum has a weight for every atom (a fact, a legal move, some of these together). Its weights are whole multiples of
//! a power of two, so that lanes add them up as integers, bit by bit (`sums`), and any other way of adding gives the
//! same number. Weights that are none are rounded first, see [`Sum::rounded`].
//!
//! What is no sum can stand in a sum's place as a [`BlockFunction`].
//!
//! `block` has the interface of such functions, and `gather` packs the lanes that they need side by side.
//! `valuer` values states that are in lanes, `state_valuer` given states. How a function is computed in lanes
//! is part of its `Measure` (`feature/measure.rs`). `tests/analysis/in_lanes.rs` compares the values with those
//! of one state at a time.

mod block;
mod gather;
mod state_valuer;
pub(super) mod sums;
mod valuer;

pub use block::{BlockEvaluator, BlockFunction, STATES};
pub use state_valuer::StateValuer;
pub use valuer::LaneValuer;

use std::collections::BTreeSet;
use std::sync::Arc;

use self::sums::digits;
use crate::ground::Lit;
use crate::machine::FluentId;
use crate::machine::lanes::word::LANES;

/// What a sum weighs: something that holds in a state or doesn't.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Atom {
    /// A fact.
    Fact(FluentId),
    /// A move of a role, by its place among the role's moves in the network, is legal by the rules; whether the state
    /// is terminal is not asked.
    Legal {
        /// The role, counted from 0.
        role: usize,
        /// The move's place.
        number: usize,
    },
    /// A literal of the network that depends on the state alone, and on no loop.
    Gate(Lit),
    /// All of them hold.
    All(Vec<Atom>),
    /// One of them holds at least.
    Any(Vec<Atom>),
}

impl Atom {
    /// Whether it asks for legal moves.
    fn reads_moves(&self) -> bool {
        match self {
            Atom::Fact(_) | Atom::Gate(_) => false,
            Atom::Legal { .. } => true,
            Atom::All(parts) | Atom::Any(parts) => parts.iter().any(Atom::reads_moves),
        }
    }

    /// Gates that it takes, about.
    fn size(&self) -> usize {
        match self {
            Atom::Fact(_) | Atom::Gate(_) | Atom::Legal { .. } => 0,
            Atom::All(parts) | Atom::Any(parts) => parts.iter().map(|part| 1 + part.size()).sum(),
        }
    }
}

/// `constant` and the weights of all atoms that hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sum {
    /// The value where no atom holds.
    pub constant: f64,
    /// Atoms with their weights.
    pub weights: Vec<(Atom, f64)>,
}

/// Weights are rounded to a grid so fine that a sum is off by at most this share of the sum of all weights' sizes.
pub const ROUNDING: f64 = 1.0 / 4096.0;

/// A sum whose weights need no more bits than this in all is left as it is, if its weights are multiples of some power
/// of two.
const EXACT_BITS: f64 = 20.0;

/// The finest grid that a weight lies on is looked for among this many powers of two.
const EXPONENTS: std::ops::RangeInclusive<i32> = -40..=40;

impl Sum {
    /// The power of two that all weights are rounded to multiples of; 1 where there are none.
    pub fn unit(weights: impl Iterator<Item = f64> + Clone) -> f64 {
        let total: f64 = weights.clone().map(f64::abs).sum();
        if total == 0.0 || !total.is_finite() {
            return 1.0;
        }
        let fits = |unit: &f64| weights.clone().all(|weight| (weight / unit).fract() == 0.0);
        let exact = EXPONENTS.rev().map(|exponent| 2f64.powi(exponent)).find(fits);
        if let Some(exact) = exact.filter(|exact| (total / exact).log2() <= EXACT_BITS) {
            return exact;
        }
        // Every weight is off by half a unit at most.
        let count = weights.count() as f64;
        2f64.powi((2.0 * ROUNDING * total / count).log2().floor() as i32).max(f64::MIN_POSITIVE)
    }

    /// The sum with its weights rounded to multiples of [`Sum::unit`], those that become 0 left out, and its constant to
    /// a grid fine enough to be added without another rounding; and by how much a value may differ at most.
    #[must_use]
    pub fn rounded(&self) -> (Sum, f64) {
        let unit = Sum::unit(self.weights.iter().map(|&(_, weight)| weight));
        let (mut weights, mut error) = (Vec::with_capacity(self.weights.len()), 0.0);
        for (atom, weight) in &self.weights {
            let near = (weight / unit).round() * unit;
            error += (weight - near).abs();
            if near != 0.0 {
                weights.push((atom.clone(), near));
            }
        }
        let constant = rounded_constant(self.constant, unit);
        (Sum { constant, weights }, error + (self.constant - constant).abs())
    }
}

/// A constant on a grid so much finer than the unit that sums with it are exact where it is not far larger than they are.
pub fn rounded_constant(constant: f64, unit: f64) -> f64 {
    let fine = unit / (1 << 20) as f64;
    let near = (constant / fine).round() * fine;
    if near.is_finite() { near } else { constant }
}

/// Full adders that a weight of so many units takes.
pub fn adders(units: i64) -> usize {
    digits(units).count()
}

/// What functions that are no sums take at once, added up over states: some milliseconds.
const PASS_SIZE: usize = 4_000_000;

/// States that a search values at once by such functions, at most: more of them are valued in vain, as the first of several
/// siblings has cut off, than passes are saved (measured with 32 to 512, see `reports/speed/search.md`).
const MOST_IN_BLOCKS: usize = 2 * STATES;

/// What is done with values: many at once.
type Map = Arc<dyn Fn(&mut [f64]) + Send + Sync>;
type Fold = Arc<dyn Fn(&mut [f64], &[f64]) + Send + Sync>;

/// What follows a sum.
#[derive(Clone)]
enum Then {
    /// The values of a function that is no sum, in place of what there was.
    Blocks(Arc<dyn BlockFunction>),
    Map(Map),
    Fold(LaneValue, Fold),
    Where(FluentId, LaneValue),
    UnlessTerminal,
}

/// A function of a state as lanes compute it: a sum, and what is made of it, alone or with other values.
#[derive(Clone)]
pub struct LaneValue {
    sum: Sum,
    then: Vec<Then>,
    error: f64,
}

impl LaneValue {
    /// A sum whose weights are multiples of their [unit](Sum::unit); `error` says by how much it differs from what it
    /// stands for at most.
    pub fn of(sum: Sum, error: f64) -> LaneValue {
        LaneValue { sum, then: Vec::new(), error }
    }

    /// A function that is no sum; `error` says by how much it differs from what it stands for at most.
    pub fn of_blocks(function: Arc<dyn BlockFunction>, error: f64) -> LaneValue {
        LaneValue { sum: Sum::default(), then: vec![Then::Blocks(function)], error }
    }

    /// Whether it is made of sums alone, which cost next to nothing beside a step.
    pub fn is_of_sums(&self) -> bool {
        self.then.iter().all(|then| match then {
            Then::Blocks(_) => false,
            Then::Fold(other, _) | Then::Where(_, other) => other.is_of_sums(),
            Then::Map(_) | Then::UnlessTerminal => true,
        })
    }

    /// Whether it asks for legal moves of a state.
    pub(super) fn reads_moves(&self) -> bool {
        let mut sums = Vec::new();
        self.sums(&mut sums);
        sums.iter().flat_map(|sum| &sum.weights).any(|(atom, _)| atom.reads_moves())
    }

    /// States to value at once: as many as there are lanes where sums alone are asked for, else those that take a few
    /// milliseconds, from [`STATES`] to twice as many.
    pub fn room(&self) -> usize {
        let mut blocks = Vec::new();
        self.blocks(&mut blocks);
        if blocks.is_empty() {
            return LANES;
        }
        let size: usize = blocks.iter().map(|function| function.size()).sum();
        (PASS_SIZE / size.max(1)).clamp(STATES, MOST_IN_BLOCKS)
    }

    /// The values through a function, which changes differences by the factor `steepness` at most.
    #[must_use]
    pub fn map(mut self, steepness: f64, function: impl Fn(f64) -> f64 + Send + Sync + 'static) -> LaneValue {
        self.error *= steepness;
        self.then.push(Then::Map(Arc::new(move |values: &mut [f64]| {
            values.iter_mut().for_each(|value| *value = function(*value));
        })));
        self
    }

    /// The values together with those of another function; `steepness` bounds by what factor differences of either go
    /// on.
    #[must_use]
    pub fn fold(
        mut self,
        other: LaneValue,
        steepness: [f64; 2],
        function: impl Fn(f64, f64) -> f64 + Send + Sync + 'static,
    ) -> LaneValue {
        self.error = self.error * steepness[0] + other.error * steepness[1];
        let together = move |values: &mut [f64], others: &[f64]| {
            values.iter_mut().zip(others).for_each(|(value, &other)| *value = function(*value, other));
        };
        self.then.push(Then::Fold(other, Arc::new(together)));
        self
    }

    /// The values, but those of another function where a fact holds.
    #[must_use]
    pub fn other_where(mut self, fact: FluentId, other: LaneValue) -> LaneValue {
        self.error = self.error.max(other.error);
        self.then.push(Then::Where(fact, other));
        self
    }

    /// The values, but 0 in terminal states.
    #[must_use]
    pub fn unless_terminal(mut self) -> LaneValue {
        self.then.push(Then::UnlessTerminal);
        self
    }

    /// By how much a value differs at most from that of the function as it was before its weights were rounded; 0 where
    /// nothing was.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// Full adders and gates that it takes, about: some microseconds each to compile.
    pub fn size(&self) -> usize {
        let mut sums = Vec::new();
        self.sums(&mut sums);
        let of_sum = |sum: &&Sum| {
            let unit = Sum::unit(sum.weights.iter().map(|&(_, weight)| weight));
            let of_term = |(atom, weight): &(Atom, f64)| atom.size() + adders((weight / unit) as i64);
            sum.weights.iter().map(of_term).sum::<usize>()
        };
        sums.iter().map(of_sum).sum()
    }

    /// All sums, in the order in which values are made of them.
    fn sums<'s>(&'s self, sums: &mut Vec<&'s Sum>) {
        sums.push(&self.sum);
        for then in &self.then {
            if let Then::Fold(other, _) | Then::Where(_, other) = then {
                other.sums(sums);
            }
        }
    }

    /// All functions that are no sums, in the same order.
    fn blocks<'s>(&'s self, blocks: &mut Vec<&'s Arc<dyn BlockFunction>>) {
        for then in &self.then {
            match then {
                Then::Blocks(function) => blocks.push(function),
                Then::Fold(other, _) | Then::Where(_, other) => other.blocks(blocks),
                Then::Map(_) | Then::UnlessTerminal => {}
            }
        }
    }

    /// The facts on which it depends which function counts.
    fn facts(&self, facts: &mut BTreeSet<FluentId>) {
        for then in &self.then {
            match then {
                Then::Where(fact, other) => {
                    facts.insert(*fact);
                    other.facts(facts);
                }
                Then::Fold(other, _) => other.facts(facts),
                Then::Blocks(_) | Then::Map(_) | Then::UnlessTerminal => {}
            }
        }
    }

    /// What it is where all these facts hold, or none of them.
    fn resolved(&self, holds: bool) -> LaneValue {
        let mut found = LaneValue { sum: self.sum.clone(), then: Vec::new(), error: self.error };
        for then in &self.then {
            match then {
                Then::Where(_, other) if holds => {
                    let LaneValue { sum, then, .. } = other.resolved(holds);
                    (found.sum, found.then) = (sum, then);
                }
                Then::Where(..) => {}
                Then::Fold(other, fold) => {
                    found.then.push(Then::Fold(other.resolved(holds), Arc::clone(fold)));
                }
                then => found.then.push(then.clone()),
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(weights: &[f64]) -> Sum {
        let fact = |number: usize| Atom::Fact(FluentId(number as u32));
        Sum { constant: 0.3, weights: weights.iter().enumerate().map(|(n, &w)| (fact(n), w)).collect() }
    }

    #[test]
    fn whole_weights_stay_and_others_are_off_by_little() {
        let whole = sum(&[3.0, -12.0, 0.5, 7.0]);
        assert_eq!(Sum::unit(whole.weights.iter().map(|w| w.1)), 0.5);
        let (rounded, error) = whole.rounded();
        assert_eq!(rounded.weights, whole.weights);
        assert!(error < 1e-6 && (rounded.constant - 0.3).abs() < 1e-6);
        let odd = sum(&[0.1, -0.377, 2.71, 0.000_001, -1.0 / 3.0]);
        let (rounded, error) = odd.rounded();
        let total: f64 = odd.weights.iter().map(|w| w.1.abs()).sum();
        assert!(error > 0.0 && error <= total * ROUNDING, "{error}");
        assert_eq!(rounded.weights.len(), 4, "what becomes 0 is left out");
        assert_eq!(rounded.rounded().0.weights, rounded.weights, "rounded once is rounded for good");
    }

    #[test]
    fn what_a_sum_takes_is_known_before_it_is_compiled() {
        let value = LaneValue::of(sum(&[1.0, 3.0, -8.0]), 0.0);
        assert_eq!(value.size(), 1 + 2 + 1);
        let fact = || Atom::Fact(FluentId(9));
        let both = Sum { constant: 0.0, weights: vec![(Atom::All(vec![fact(), fact()]), 4.0)] };
        assert_eq!(value.fold(LaneValue::of(both, 0.0), [1.0; 2], |a, b| a + b).size(), 4 + 3);
    }

    #[test]
    fn dear_functions_value_fewer_states_at_once() {
        struct Dear(usize);
        impl BlockFunction for Dear {
            fn reads(&self) -> &[FluentId] {
                &[]
            }
            fn size(&self) -> usize {
                self.0
            }
            fn evaluator(&self) -> Box<dyn BlockEvaluator> {
                unreachable!("nobody values a state")
            }
        }
        let of = |size: usize| LaneValue::of_blocks(Arc::new(Dear(size)), 0.0);
        assert_eq!([10, 80_000, 10_000_000].map(|size| of(size).room()), [2 * STATES, 50, STATES]);
        let sums = LaneValue::of(sum(&[1.0]), 0.0);
        assert!(sums.is_of_sums() && sums.room() == LANES);
        let both = sums.fold(of(80_000), [1.0; 2], |one, other| one + other);
        assert!(!both.is_of_sums() && both.room() == 50);
    }

    #[test]
    fn weights_beyond_measure_make_no_nonsense() {
        for tiny in [f64::MIN_POSITIVE, 1e-320] {
            let (rounded, error) = sum(&[tiny, -tiny, tiny / 3.0]).rounded();
            assert!(error.is_finite() && rounded.weights.iter().all(|(_, weight)| weight.is_finite()));
        }
        assert!(sum(&[1e15, 1.0, -1e15]).rounded().1 < 1e15);
    }

    #[test]
    fn a_sum_of_nothing_has_a_unit() {
        assert_eq!(Sum::unit(std::iter::empty()), 1.0);
        assert_eq!(sum(&[]).rounded().0.weights, []);
    }
}

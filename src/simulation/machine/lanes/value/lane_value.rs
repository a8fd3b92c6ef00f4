//! A function of a state in the form that lanes compute.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::block::{BlockFunction, STATES};
use super::sum::{Atom, Sum, adders};
use crate::machine::FluentId;
use crate::machine::lanes::word::LANES;

/// Target cost of one call of block functions, summed over states: some milliseconds.
const PASS_SIZE: usize = 4_000_000;

/// Maximum number of states that a search evaluates at once with block functions. With more states, the values wasted after
/// a cutoff among siblings outweigh the saved passes (measured with 32 to 512 states, see `reports/speed/search.md`).
const MAX_BLOCK_STATES: usize = 2 * STATES;

/// Operations on the values of many states at once.
type Map = Arc<dyn Fn(&mut [f64]) + Send + Sync>;
type Fold = Arc<dyn Fn(&mut [f64], &[f64]) + Send + Sync>;

/// An operation after the sum.
#[derive(Clone)]
pub(super) enum ValueOperation {
    /// Replaces the values by those of a block function.
    Blocks(Arc<dyn BlockFunction>),
    Map(Map),
    Fold(LaneValue, Fold),
    Where(FluentId, LaneValue),
    UnlessTerminal,
}

/// A function of a state as lanes compute it: a sum, followed by operations on its value and on other values.
#[derive(Clone)]
pub struct LaneValue {
    pub(super) sum: Sum,
    pub(super) then: Vec<ValueOperation>,
    error: f64,
}

impl LaneValue {
    /// A sum whose weights are multiples of their [unit](Sum::unit). `error` is its maximum difference from the exact
    /// function.
    pub fn of(sum: Sum, error: f64) -> LaneValue {
        LaneValue { sum, then: Vec::new(), error }
    }

    /// A function that is not a sum. `error` is its maximum difference from the exact function.
    pub fn of_blocks(function: Arc<dyn BlockFunction>, error: f64) -> LaneValue {
        LaneValue { sum: Sum::default(), then: vec![ValueOperation::Blocks(function)], error }
    }

    /// Whether it consists of sums only, which cost almost nothing compared with a step.
    pub fn is_of_sums(&self) -> bool {
        self.then.iter().all(|then| match then {
            ValueOperation::Blocks(_) => false,
            ValueOperation::Fold(other, _) | ValueOperation::Where(_, other) => other.is_of_sums(),
            ValueOperation::Map(_) | ValueOperation::UnlessTerminal => true,
        })
    }

    /// Whether it reads legal moves of a state.
    pub(in crate::machine::lanes) fn reads_moves(&self) -> bool {
        let mut sums = Vec::new();
        self.sums(&mut sums);
        sums.iter().flat_map(|sum| &sum.weights).any(|(atom, _)| atom.reads_moves())
    }

    /// Number of states to evaluate at once: all lanes if it consists of sums, else a number that takes a few milliseconds,
    /// from [`STATES`] to twice that.
    pub fn room(&self) -> usize {
        let mut blocks = Vec::new();
        self.blocks(&mut blocks);
        if blocks.is_empty() {
            return LANES;
        }
        let size: usize = blocks.iter().map(|function| function.size()).sum();
        (PASS_SIZE / size.max(1)).clamp(STATES, MAX_BLOCK_STATES)
    }

    /// Applies a function to the values; `steepness` is its Lipschitz constant.
    #[must_use]
    pub fn map(mut self, steepness: f64, function: impl Fn(f64) -> f64 + Send + Sync + 'static) -> LaneValue {
        self.error *= steepness;
        self.then.push(ValueOperation::Map(Arc::new(move |values: &mut [f64]| {
            values.iter_mut().for_each(|value| *value = function(*value));
        })));
        self
    }

    /// Combines the values with those of another function; `steepness` is the Lipschitz constant in either argument.
    #[must_use]
    pub fn fold(
        mut self,
        other: LaneValue,
        steepness: [f64; 2],
        function: impl Fn(f64, f64) -> f64 + Send + Sync + 'static,
    ) -> LaneValue {
        self.error = self.error * steepness[0] + other.error * steepness[1];
        let combine = move |values: &mut [f64], others: &[f64]| {
            values.iter_mut().zip(others).for_each(|(value, &other)| *value = function(*value, other));
        };
        self.then.push(ValueOperation::Fold(other, Arc::new(combine)));
        self
    }

    /// Replaces the values by those of another function in states in which the fact holds.
    #[must_use]
    pub fn other_where(mut self, fact: FluentId, other: LaneValue) -> LaneValue {
        self.error = self.error.max(other.error);
        self.then.push(ValueOperation::Where(fact, other));
        self
    }

    /// Replaces the values by 0 in terminal states.
    #[must_use]
    pub fn unless_terminal(mut self) -> LaneValue {
        self.then.push(ValueOperation::UnlessTerminal);
        self
    }

    /// Maximum difference of a value from that of the function before its weights were rounded; 0 if nothing was rounded.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// Approximate number of full adders and gates. Each takes some microseconds to compile.
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

    /// All sums, in the order of evaluation.
    pub(super) fn sums<'s>(&'s self, sums: &mut Vec<&'s Sum>) {
        sums.push(&self.sum);
        for then in &self.then {
            if let ValueOperation::Fold(other, _) | ValueOperation::Where(_, other) = then {
                other.sums(sums);
            }
        }
    }

    /// All block functions, in the order of evaluation.
    pub(super) fn blocks<'s>(&'s self, blocks: &mut Vec<&'s Arc<dyn BlockFunction>>) {
        for then in &self.then {
            match then {
                ValueOperation::Blocks(function) => blocks.push(function),
                ValueOperation::Fold(other, _) | ValueOperation::Where(_, other) => other.blocks(blocks),
                ValueOperation::Map(_) | ValueOperation::UnlessTerminal => {}
            }
        }
    }

    /// The facts on which [`LaneValue::other_where`] depends.
    pub(super) fn facts(&self, facts: &mut BTreeSet<FluentId>) {
        for then in &self.then {
            match then {
                ValueOperation::Where(fact, other) => {
                    facts.insert(*fact);
                    other.facts(facts);
                }
                ValueOperation::Fold(other, _) => other.facts(facts),
                ValueOperation::Blocks(_) | ValueOperation::Map(_) | ValueOperation::UnlessTerminal => {}
            }
        }
    }

    /// The function restricted to states in which all these facts hold, or none of them.
    pub(super) fn resolved(&self, holds: bool) -> LaneValue {
        let mut value = LaneValue { sum: self.sum.clone(), then: Vec::new(), error: self.error };
        for then in &self.then {
            match then {
                ValueOperation::Where(_, other) if holds => {
                    let LaneValue { sum, then, .. } = other.resolved(holds);
                    (value.sum, value.then) = (sum, then);
                }
                ValueOperation::Where(..) => {}
                ValueOperation::Fold(other, fold) => {
                    value.then.push(ValueOperation::Fold(other.resolved(holds), Arc::clone(fold)));
                }
                then => value.then.push(then.clone()),
            }
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::lanes::value::BlockEvaluator;

    fn sum(weights: &[f64]) -> Sum {
        let weights = weights.iter().map(|&weight| (Atom::Fact(FluentId(0)), weight));
        Sum { constant: 0.0, weights: weights.collect() }
    }

    #[test]
    fn size_is_known_before_compilation() {
        let value = LaneValue::of(sum(&[1.0, 3.0, -8.0]), 0.0);
        assert_eq!(value.size(), 1 + 2 + 1);
        let fact = || Atom::Fact(FluentId(9));
        let both = Sum { constant: 0.0, weights: vec![(Atom::All(vec![fact(), fact()]), 4.0)] };
        assert_eq!(value.fold(LaneValue::of(both, 0.0), [1.0; 2], |a, b| a + b).size(), 4 + 3);
    }

    #[test]
    fn expensive_functions_evaluate_fewer_states_at_once() {
        struct Expensive(usize);
        impl BlockFunction for Expensive {
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
        let of = |size: usize| LaneValue::of_blocks(Arc::new(Expensive(size)), 0.0);
        assert_eq!([10, 80_000, 10_000_000].map(|size| of(size).room()), [2 * STATES, 50, STATES]);
        let sums = LaneValue::of(sum(&[1.0]), 0.0);
        assert!(sums.is_of_sums() && sums.room() == LANES);
        let both = sums.fold(of(80_000), [1.0; 2], |one, other| one + other);
        assert!(!both.is_of_sums() && both.room() == 50);
    }
}

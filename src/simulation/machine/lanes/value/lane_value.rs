//! A function of a state as lanes compute it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::block::{BlockFunction, STATES};
use super::sum::{Atom, Sum, adders};
use crate::machine::FluentId;
use crate::machine::lanes::word::LANES;

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
pub(super) enum Then {
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
    pub(super) sum: Sum,
    pub(super) then: Vec<Then>,
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
    pub(in crate::machine::lanes) fn reads_moves(&self) -> bool {
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
    pub(super) fn sums<'s>(&'s self, sums: &mut Vec<&'s Sum>) {
        sums.push(&self.sum);
        for then in &self.then {
            if let Then::Fold(other, _) | Then::Where(_, other) = then {
                other.sums(sums);
            }
        }
    }

    /// All functions that are no sums, in the same order.
    pub(super) fn blocks<'s>(&'s self, blocks: &mut Vec<&'s Arc<dyn BlockFunction>>) {
        for then in &self.then {
            match then {
                Then::Blocks(function) => blocks.push(function),
                Then::Fold(other, _) | Then::Where(_, other) => other.blocks(blocks),
                Then::Map(_) | Then::UnlessTerminal => {}
            }
        }
    }

    /// The facts on which it depends which function counts.
    pub(super) fn facts(&self, facts: &mut BTreeSet<FluentId>) {
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
    pub(super) fn resolved(&self, holds: bool) -> LaneValue {
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
    use crate::machine::lanes::value::BlockEvaluator;

    fn sum(weights: &[f64]) -> Sum {
        let weights = weights.iter().map(|&weight| (Atom::Fact(FluentId(0)), weight));
        Sum { constant: 0.0, weights: weights.collect() }
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
}

//! Fuzzy goal functions of many states at once.
//!
//! # What it does
//! Values states thirty-two at a time, as they stand in lanes: the graph of formulas is evaluated over vectors of thirty-two numbers
//! (sixteen where there are fewer states) in single precision, node by node: all of it, or as far as anything differs from the
//! states before (see `evaluate`).
//!
//! # How
//! A node keeps, for its value and for its negation, what it adds to a conjunction: the cost -ln(value), with a sign that says
//! whether it holds there. So the two sums of the strict norm (see `strict`) are sums of positive and of negative members.
//! Conjunctions of a few facts are looked up by how many of these hold (see `leaves`), all others are added up.
//! What nobody wants, most often one of the two, is not computed; where nodes are wanted for their truth alone, thirty-two states
//! are bits of a word (see `truths`). Loops of formulas rise to their least values in all states together (see `loops`).
//!
//! # Guarantee
//! A value depends on the state alone, to the last bit, on every processor. It differs from the one in double precision by
//! [`ERROR`] at most: not proved, but held against all functions of `games/`, and of the corpus where it is there.
//!
//! # Limits
//! The strict norm alone; no loops of formulas of which somebody wants the truth alone, no rules that are followed, a network; graphs
//! no larger than a pass of lanes can value in the time that a player may be late (`plan`).
//!
//! # Cost
//! With vectors of 512 bits half a nanosecond to one for each node and state; a single state takes as long as sixteen.

mod compute;
mod conjunction;
mod evaluate;
mod leaves;
mod loop_planning;
mod loops;
mod plan;
mod planning;
mod together;
mod truths;
mod vector;
mod wants;

use std::sync::Arc;

use crate::feature::Facts;
use crate::machine::FluentId;
use crate::machine::lanes::value::{BlockEvaluator, BlockFunction, STATES};

use self::evaluate::Group;
use self::plan::Plan;
use self::vector::Mask;
use super::evaluate::Evaluator;
use super::value::FuzzyFunction;

/// By how much a value differs at most from the one in double precision; values go from 0 to 1.
pub(super) const ERROR: f64 = 1.0 / 4096.0;

/// A function ready for blocks of states.
pub(super) struct FuzzyBlocks(Arc<Plan>);

impl FuzzyBlocks {
    /// Makes a function ready that an evaluator was made of; none beyond the limits above.
    pub(super) fn new(function: &FuzzyFunction, evaluator: &Evaluator<'_>) -> Option<FuzzyBlocks> {
        debug_assert_eq!(STATES, vector::WIDTH);
        Plan::new(function, evaluator).map(|plan| FuzzyBlocks(Arc::new(plan)))
    }

    /// What values single states.
    pub(super) fn single(&self) -> SingleState {
        SingleState { facts: self.0.facts.clone(), group: Group::new(Arc::clone(&self.0)) }
    }
}

impl BlockFunction for FuzzyBlocks {
    fn reads(&self) -> &[FluentId] {
        &self.0.facts
    }

    fn size(&self) -> usize {
        self.0.work()
    }

    fn evaluator(&self) -> Box<dyn BlockEvaluator> {
        Box::new(Group::new(Arc::clone(&self.0)))
    }
}

impl BlockEvaluator for Group {
    fn values(&mut self, facts: &[Mask], wanted: Mask, out: &mut Vec<f64>) {
        let values = Group::values(self, facts.iter().copied(), wanted);
        out.extend(values.map(f64::from));
    }
}

/// Values states one by one, to the same values.
pub(super) struct SingleState {
    facts: Vec<FluentId>,
    group: Group,
}

impl SingleState {
    /// The value of a state.
    pub(super) fn value(&mut self, facts: &Facts) -> f64 {
        let lanes = self.facts.iter().map(|&fluent| Mask::from(facts.contains(fluent)));
        f64::from(self.group.values(lanes, 1).next().expect("of thirty-two states"))
    }
}

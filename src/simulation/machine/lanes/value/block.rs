//! Functions that are not sums, evaluated for 32 states at a time from the facts that hold in them.

use std::sync::Arc;

use crate::machine::FluentId;
use crate::machine::lanes::program::Program;
use crate::machine::lanes::word::Word;

use super::compress::LaneCompressor;

/// Number of states evaluated in one call.
pub const STATES: usize = 32;

/// A function of states that is evaluated for several states at once.
pub trait BlockFunction: Send + Sync {
    /// The facts that it reads, without duplicates.
    fn reads(&self) -> &[FluentId];

    /// Maximum cost of a value, in units of about a nanosecond.
    fn size(&self) -> usize;

    /// Creates an evaluator.
    fn evaluator(&self) -> Box<dyn BlockEvaluator>;
}

/// A function with its buffers.
pub trait BlockEvaluator: Send {
    /// Appends the values of [`STATES`] states; values of states outside `wanted` are undefined. At least one state is
    /// wanted. `facts` has a mask for each fact of [`BlockFunction::reads`]: the states in which it holds, the first state
    /// in the lowest bit, as in `wanted`. A value depends only on its own state.
    fn values(&mut self, facts: &[u32], wanted: u32, out: &mut Vec<f64>);
}

/// A block function bound to a program.
pub(super) struct BoundBlockFunction {
    /// The slots of the facts that it reads; none for a fact that always holds.
    slots: Vec<Option<u32>>,
    evaluator: Box<dyn BlockEvaluator>,
    /// For each fact, the lanes in which it holds, compressed to the wanted lanes.
    facts: Vec<Word>,
    /// For each fact, its mask in one group of [`STATES`] states.
    group: Vec<u32>,
    /// The values of the wanted lanes.
    values: Vec<f64>,
}

impl BoundBlockFunction {
    pub(super) fn new(program: &Program, function: &Arc<dyn BlockFunction>) -> BoundBlockFunction {
        let slots = function.reads().iter();
        BoundBlockFunction {
            slots: slots.map(|&fact| program.slot_of(fact).map(|slot| slot as u32)).collect(),
            evaluator: function.evaluator(),
            facts: Vec::new(),
            group: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Evaluates the wanted states among the first lanes; other values are undefined.
    pub(super) fn values(&mut self, slots: &[Word], lanes: usize, wanted: Word, out: &mut Vec<f64>) {
        out.clear();
        let wanted = wanted & Word::first(lanes);
        let many = wanted.count() as usize;
        // If the wanted lanes have gaps, they are compressed first.
        let dense = wanted == Word::first(many);
        let compressor = LaneCompressor::new(wanted);
        self.facts.clear();
        self.facts.extend(self.slots.iter().map(|slot| match slot.map(|slot| &slots[slot as usize]) {
            None => Word::ONES,
            Some(word) if dense => *word,
            Some(word) => compressor.compress(word),
        }));
        let BoundBlockFunction { facts, group, values, evaluator, .. } = self;
        values.clear();
        for first in (0..many).step_by(STATES) {
            let (part, shift) = (first / 64, first % 64);
            let states = (Word::first(many).0[part] >> shift) as u32;
            group.clear();
            group.extend(facts.iter().map(|word| (word.0[part] >> shift) as u32));
            evaluator.values(group, states, values);
        }
        out.resize(lanes, 0.0);
        wanted.lanes().zip(values.iter()).for_each(|(lane, &value)| out[lane] = value);
    }
}

//! Functions that are no sums: what values thirty-two states at a time by the facts that hold in them.

use std::sync::Arc;

use crate::machine::FluentId;
use crate::machine::lanes::program::Program;
use crate::machine::lanes::word::Word;

use super::gather::Gathering;

/// States valued at once.
pub const STATES: usize = 32;

/// A function of states that is evaluated for several of them at once.
pub trait BlockFunction: Send + Sync {
    /// The facts that it looks at, each once.
    fn reads(&self) -> &[FluentId];

    /// What a value takes at most, in units of about a nanosecond.
    fn size(&self) -> usize;

    /// What values states.
    fn evaluator(&self) -> Box<dyn BlockEvaluator>;
}

/// A function with room to work in.
pub trait BlockEvaluator: Send {
    /// Appends the values of [`STATES`] states, of no meaning where they are not wanted; one is at least. `facts` says for
    /// each fact that the function looks at, in their order, in which of them it holds, the first state in the lowest bit, as
    /// `wanted` does. A value depends on its state alone.
    fn values(&mut self, facts: &[u32], wanted: u32, out: &mut Vec<f64>);
}

/// Such a function at a program.
pub(super) struct Blocks {
    /// Where the facts stand that it looks at; none for one that always holds.
    slots: Vec<Option<u32>>,
    evaluator: Box<dyn BlockEvaluator>,
    /// Where each fact holds in the lanes that are wanted, and in those valued at once.
    facts: Vec<Word>,
    group: Vec<u32>,
    /// The values of the lanes that are wanted.
    values: Vec<f64>,
}

impl Blocks {
    pub(super) fn new(program: &Program, function: &Arc<dyn BlockFunction>) -> Blocks {
        let slots = function.reads().iter();
        Blocks {
            slots: slots.map(|&fact| program.slot_of(fact).map(|slot| slot as u32)).collect(),
            evaluator: function.evaluator(),
            facts: Vec::new(),
            group: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Values the states in the first lanes, those that are wanted; others get a value of no meaning.
    pub(super) fn values(&mut self, slots: &[Word], lanes: usize, wanted: Word, out: &mut Vec<f64>) {
        out.clear();
        let wanted = wanted & Word::first(lanes);
        let many = wanted.count() as usize;
        // Those that are wanted are put side by side where some between them are not.
        let dense = wanted == Word::first(many);
        let gathering = Gathering::new(wanted);
        self.facts.clear();
        self.facts.extend(self.slots.iter().map(|slot| match slot.map(|slot| &slots[slot as usize]) {
            None => Word::ONES,
            Some(word) if dense => *word,
            Some(word) => gathering.gathered(word),
        }));
        let Blocks { facts, group, values, evaluator, .. } = self;
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

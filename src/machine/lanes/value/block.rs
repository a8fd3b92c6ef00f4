//! Functions that are no sums: what values thirty-two states at a time by the facts that hold in them.

use std::sync::Arc;

use crate::machine::FluentId;
use crate::machine::lanes::program::Program;
use crate::machine::lanes::word::Word;

use super::valuer::slot_of;

/// States valued at once.
pub const STATES: usize = 32;

/// A function of states that is evaluated for several of them at once.
pub trait BlockFunction: Send + Sync {
    /// The facts that it looks at, each once.
    fn reads(&self) -> &[FluentId];

    /// Nodes that a value may take, about a nanosecond or two each.
    fn size(&self) -> usize;

    /// What values states.
    fn evaluator(&self) -> Box<dyn BlockEvaluator>;
}

/// A function with room to work in.
pub trait BlockEvaluator: Send {
    /// Appends the values of [`STATES`] states at most. `facts` says for each fact that the function looks at, in their
    /// order, in which of them it holds, the first state in the lowest bit; other bits are of no meaning. A value depends on
    /// its state alone.
    fn values(&mut self, facts: &[u32], states: usize, out: &mut Vec<f64>);
}

/// Such a function at a program.
pub(super) struct Blocks {
    /// Where the facts stand that it looks at; none for one that always holds.
    slots: Vec<Option<u32>>,
    evaluator: Box<dyn BlockEvaluator>,
    facts: Vec<u32>,
}

impl Blocks {
    pub(super) fn new(program: &Program, function: &Arc<dyn BlockFunction>) -> Blocks {
        let slots = function.reads().iter();
        Blocks {
            slots: slots.map(|&fact| slot_of(program, fact).map(|slot| slot as u32)).collect(),
            evaluator: function.evaluator(),
            facts: Vec::new(),
        }
    }

    /// Values the states in the first lanes.
    pub(super) fn values(&mut self, slots: &[Word], lanes: usize, out: &mut Vec<f64>) {
        out.clear();
        for first in (0..lanes).step_by(STATES) {
            let (part, shift) = (first / 64, first % 64);
            let of = |slot: &Option<u32>| {
                slot.map_or(u32::MAX, |slot| (slots[slot as usize].0[part] >> shift) as u32)
            };
            self.facts.clear();
            self.facts.extend(self.slots.iter().map(of));
            self.evaluator.values(&self.facts, STATES.min(lanes - first), out);
        }
    }
}

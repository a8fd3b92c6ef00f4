//! Evaluates functions of states in lanes.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::block::BoundBlockFunction;
use super::compiled_sums::Sums;
use super::lane_value::{LaneValue, ValueOperation};
use super::sums::compile_sums;
use crate::ground::Interrupted;
use crate::machine::FluentId;
use crate::machine::lanes::program::Program;
use crate::machine::lanes::states::LaneStates;
use crate::machine::lanes::transpose::lanes_of;
use crate::machine::lanes::word::Word;

/// Functions compiled for a program, which evaluate the states in lanes.
///
/// If one fact selects the functions, such as whose turn it is, the functions for both of its values are compiled. Only
/// those that the states need are run.
pub struct LaneValuer {
    /// The slot of the fact that selects the functions, if there is one.
    fact: Option<usize>,
    /// The functions if the fact does not hold, and if it holds; only one set without such a fact.
    sides: Vec<FunctionSet>,
    // Buffers, which are kept to save allocations.
    spare: Vec<Vec<f64>>,
    rows: Vec<u64>,
    others: Vec<Vec<f64>>,
}

/// The functions of states in which the fact has one value.
struct FunctionSet {
    functions: Vec<LaneValue>,
    sums: Arc<Sums>,
    /// Block functions, in the order of evaluation.
    blocks: Vec<BoundBlockFunction>,
}

impl LaneValuer {
    /// Compiles functions of the program's states.
    ///
    /// # Errors
    /// The interrupt ended compilation.
    ///
    /// # Panics
    /// A function has facts or moves that are not in the game.
    pub fn new(program: &Program, functions: Vec<LaneValue>) -> Result<LaneValuer, Interrupted> {
        let side = |functions: Vec<LaneValue>| {
            let mut sums = Vec::new();
            functions.iter().for_each(|function| function.sums(&mut sums));
            let sums = program.sums.get(&sums, || compile_sums(program, &sums))?;
            let mut blocks = Vec::new();
            functions.iter().for_each(|function| function.blocks(&mut blocks));
            let blocks =
                blocks.into_iter().map(|function| BoundBlockFunction::new(program, function)).collect();
            Ok(FunctionSet { functions, sums, blocks })
        };
        let mut facts = BTreeSet::new();
        functions.iter().for_each(|function| function.facts(&mut facts));
        let slot_of = |fact: &FluentId| program.slot_of(*fact);
        let fact = facts.first().filter(|_| facts.len() == 1).and_then(slot_of);
        let sides = match fact {
            Some(_) => [false, true]
                .into_iter()
                .map(|holds| side(functions.iter().map(|function| function.resolved(holds)).collect()))
                .collect::<Result<Vec<FunctionSet>, Interrupted>>()?,
            None => vec![side(functions)?],
        };
        Ok(LaneValuer { fact, sides, spare: Vec::new(), rows: Vec::new(), others: Vec::new() })
    }

    /// One more than the highest slot that the code uses.
    pub(in crate::machine::lanes) fn slots(&self) -> u32 {
        self.sides.iter().map(|side| side.sums.end).max().unwrap_or(0)
    }

    /// Evaluates the states in all lanes in use, which must be evaluated by [`LaneStates::observe`]. `out` gets a list per
    /// function, with a value per lane.
    ///
    /// # Panics
    /// There are fewer lists than functions.
    pub fn values(&mut self, states: &mut LaneStates<'_>, out: &mut [Vec<f64>]) {
        self.values_where(states, Word::ONES, out);
    }

    /// Like [`LaneValuer::values`], for the lanes of `wanted`; other values are undefined.
    pub(in crate::machine::lanes) fn values_where(
        &mut self,
        states: &mut LaneStates<'_>,
        wanted: Word,
        out: &mut [Vec<f64>],
    ) {
        let (lanes, terminal) = (states.lanes(), states.terminal());
        let program = states.program();
        self.values_in(program, states.observed_slots(), (lanes, wanted), terminal, out);
    }

    /// Like [`LaneValuer::values_where`], for the first lanes of slots that the program's code has evaluated; `terminal` has
    /// the terminal lanes.
    pub(in crate::machine::lanes) fn values_in(
        &mut self,
        program: &Program,
        slots: &mut Vec<Word>,
        (lanes, wanted): (usize, Word),
        terminal: Word,
        out: &mut [Vec<f64>],
    ) {
        let wanted = wanted & Word::first(lanes);
        let LaneValuer { fact, sides, spare, rows, others } = self;
        let mut run = |side: &mut FunctionSet, slots: &mut Vec<Word>, out: &mut [Vec<f64>]| {
            side.sums.run(slots);
            let FunctionSet { sums, blocks, .. } = side;
            let blocks = blocks.iter_mut();
            let mut run = ValuePass { program, slots, lanes, wanted, terminal, sums, blocks, rows, next: 0 };
            for (function, out) in side.functions.iter().zip(out) {
                run.value(function, out, others, 0);
            }
        };
        let used = Word::first(lanes);
        let holds = fact.map_or(Word::ZERO, |slot| slots[slot] & used);
        match &mut sides[..] {
            [_, holding] if holds == used => run(holding, slots, out),
            [other, holding] if !holds.is_zero() => {
                run(other, slots, out);
                spare.resize(holding.functions.len(), Vec::new());
                run(holding, slots, spare);
                for (out, spare) in out.iter_mut().zip(spare) {
                    holds.lanes().for_each(|lane| out[lane] = spare[lane]);
                }
            }
            sides => run(&mut sides[0], slots, out),
        }
    }
}

/// The state of one evaluation of the functions.
struct ValuePass<'r> {
    program: &'r Program,
    slots: &'r [Word],
    lanes: usize,
    /// The lanes whose values are needed.
    wanted: Word,
    terminal: Word,
    sums: &'r Sums,
    /// The next block functions.
    blocks: std::slice::IterMut<'r, BoundBlockFunction>,
    rows: &'r mut Vec<u64>,
    /// The index of the next sum.
    next: usize,
}

impl ValuePass<'_> {
    fn value(&mut self, function: &LaneValue, out: &mut Vec<f64>, others: &mut Vec<Vec<f64>>, depth: usize) {
        let lanes = self.lanes;
        let (unit, constant) = self.sums.scales[self.next];
        let bits = &self.slots[self.sums.slots[self.next].clone()];
        self.rows.clear();
        self.rows.resize(lanes * bits.len().div_ceil(64), 0);
        lanes_of(bits, lanes, self.rows);
        self.next += 1;
        out.clear();
        match self.rows.is_empty() {
            // A sum without weights has no bits.
            true => out.resize(lanes, constant),
            false => out.extend(self.rows.iter().map(|&row| constant + row as i64 as f64 * unit)),
        }
        for then in &function.then {
            match then {
                ValueOperation::Blocks(_) => {
                    if let Some(blocks) = self.blocks.next() {
                        blocks.values(self.slots, lanes, self.wanted, out);
                    }
                }
                ValueOperation::Map(map) => map(out),
                ValueOperation::UnlessTerminal => {
                    (self.terminal & Word::first(lanes)).lanes().for_each(|lane| out[lane] = 0.0);
                }
                ValueOperation::Fold(other, _) | ValueOperation::Where(_, other) => {
                    if others.len() <= depth {
                        others.push(Vec::new());
                    }
                    let mut values = std::mem::take(&mut others[depth]);
                    self.value(other, &mut values, others, depth + 1);
                    match then {
                        ValueOperation::Fold(_, fold) => fold(out, &values),
                        ValueOperation::Where(fact, _) => {
                            let holds =
                                self.program.slot_of(*fact).map_or(Word::ONES, |slot| self.slots[slot]);
                            (holds & Word::first(lanes)).lanes().for_each(|lane| out[lane] = values[lane]);
                        }
                        ValueOperation::Blocks(_)
                        | ValueOperation::Map(_)
                        | ValueOperation::UnlessTerminal => {}
                    }
                    others[depth] = values;
                }
            }
        }
    }
}

//! Functions of states that stand in lanes.

use std::sync::Arc;

use super::sums::Sums;
use super::{LaneValue, Then};
use crate::ground::Interrupted;
use crate::machine::lanes::program::Program;
use crate::machine::lanes::states::LaneStates;
use crate::machine::lanes::transpose::lanes_of;
use crate::machine::lanes::word::Word;

/// Functions compiled for a program: what they make of the states that stand in lanes.
pub struct LaneValuer {
    functions: Vec<LaneValue>,
    sums: Arc<Sums>,
    rows: Vec<u64>,
    others: Vec<Vec<f64>>,
}

impl LaneValuer {
    /// Functions of states of the program's game.
    ///
    /// # Errors
    /// It was interrupted.
    ///
    /// # Panics
    /// A function weighs facts or moves that the game has not.
    pub fn new(program: &Program, functions: Vec<LaneValue>) -> Result<LaneValuer, Interrupted> {
        let mut sums = Vec::new();
        functions.iter().for_each(|function| function.sums(&mut sums));
        let sums = program.sums.get(program, &sums)?;
        Ok(LaneValuer { functions, sums, rows: Vec::new(), others: Vec::new() })
    }

    /// Its code names fewer slots than these.
    pub(in crate::machine::lanes) fn slots(&self) -> u32 {
        self.sums.end
    }

    /// Values the states in all lanes in use, which have to be observed: for each function, in their order, one value for
    /// each lane into a list of its own.
    ///
    /// # Panics
    /// There are fewer lists than functions.
    pub fn values(&mut self, states: &mut LaneStates<'_>, out: &mut [Vec<f64>]) {
        let (lanes, terminal) = (states.lanes(), states.terminal());
        self.values_in(states.observed_slots(), lanes, terminal, out);
    }

    /// The same of the first lanes of slots that the program's code looked at, with the lanes in which that found an end.
    pub(in crate::machine::lanes) fn values_in(
        &mut self,
        slots: &mut Vec<Word>,
        lanes: usize,
        terminal: Word,
        out: &mut [Vec<f64>],
    ) {
        self.sums.run(slots);
        let LaneValuer { functions, sums, rows, others } = self;
        let mut run = Run { slots, lanes, terminal, sums, rows, next: 0 };
        for (function, out) in functions.iter().zip(out) {
            run.value(function, out, others, 0);
        }
    }
}

/// Values under way.
struct Run<'r> {
    slots: &'r [Word],
    lanes: usize,
    terminal: Word,
    sums: &'r Sums,
    rows: &'r mut Vec<u64>,
    /// The next sum.
    next: usize,
}

impl Run<'_> {
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
            // A sum of nothing has no bits.
            true => out.resize(lanes, constant),
            false => out.extend(self.rows.iter().map(|&row| constant + row as i64 as f64 * unit)),
        }
        for then in &function.then {
            match then {
                Then::Map(map) => map(out),
                Then::UnlessTerminal => {
                    (self.terminal & Word::first(lanes)).lanes().for_each(|lane| out[lane] = 0.0);
                }
                Then::Fold(other, fold) => {
                    if others.len() <= depth {
                        others.push(Vec::new());
                    }
                    let mut values = std::mem::take(&mut others[depth]);
                    self.value(other, &mut values, others, depth + 1);
                    fold(out, &values);
                    others[depth] = values;
                }
            }
        }
    }
}

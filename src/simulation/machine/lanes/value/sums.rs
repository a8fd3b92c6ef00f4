//! Weighted sums over a state's gates as code over lane words: bits of equal worth are added three at a time.
//!
//! A weight is written with digits 1, 0 and -1 of which no two neighbours differ from 0 (the canonical signed digits of
//! Reitwiesner 1960: a third of them do on the mean); a digit of -1 counts the lanes in which the atom does not hold, and
//! is made up for in the constant. Then full adders turn three bits of one worth into one of the same and one of twice the
//! worth (Wallace 1964), until a bit of each worth is left.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::{Atom, Sum};
use crate::ground::{Interrupted, Lit, Network};
use crate::machine::lanes::engine::Ready;
use crate::machine::lanes::gates::{Gates, Signal};
use crate::machine::lanes::interpret::SCRATCH;
use crate::machine::lanes::program::Program;
use crate::machine::lanes::schedule::{Netlist, Root};
use crate::machine::lanes::word::Word;

/// Sums compiled for a program.
pub(super) struct Sums {
    ready: Ready,
    /// For every sum the slots of its bits, the lowest first.
    pub(super) slots: Vec<std::ops::Range<usize>>,
    /// For every sum what a unit is worth, and what is added.
    pub(super) scales: Vec<(f64, f64)>,
    /// Slots that the code names are fewer than this.
    pub(super) end: u32,
}

impl Sums {
    /// Compiles sums; what they need stands after the slots of the program's code for given moves.
    ///
    /// # Errors
    /// It was interrupted.
    pub(super) fn new(program: &Program, sums: &[&Sum]) -> Result<Sums, Interrupted> {
        let mut builder = Builder {
            program,
            network: program.network(),
            gates: Gates::new(),
            signals: vec![None; program.given()?.slots as usize],
            inputs: Vec::new(),
            made: FxHashMap::default(),
        };
        let mut next = program.given()?.slots;
        let (mut roots, mut slots, mut scales) = (Vec::new(), Vec::new(), Vec::new());
        for sum in sums {
            program.interrupt.check()?;
            let unit = Sum::unit(sum.weights.iter().map(|&(_, weight)| weight));
            let (bits, below) = builder.sum(sum, unit);
            slots.push(next as usize..next as usize + bits.len());
            for signal in bits {
                roots.push(Root { signal, slot: next, stage: 0 });
                next += 1;
            }
            scales.push((unit, sum.constant + below as f64 * unit));
        }
        let netlist = Netlist {
            gates: &builder.gates,
            inputs: &builder.inputs,
            roots,
            loops: Vec::new(),
            first_free: next,
        };
        let (ready, end) = Ready::of_netlist(&netlist, program.engine(), &program.interrupt)?;
        Ok(Sums { ready, slots, scales, end })
    }

    /// Adds up in all lanes of slots that the program's code looked at.
    pub(super) fn run(&self, slots: &mut Vec<Word>) {
        let end = self.end as usize + SCRATCH;
        if slots.len() < end {
            slots.resize(end, Word::ZERO);
        }
        self.ready.run(slots);
    }
}

/// Sums compiled before: players of one game after the other have the same functions.
#[derive(Default)]
pub(in crate::machine::lanes) struct CompiledSums(Mutex<Vec<(Vec<Sum>, Arc<Sums>)>>);

/// Sums that are kept.
const KEPT: usize = 8;

impl CompiledSums {
    /// Sums compiled for a program, whose own these are.
    ///
    /// # Errors
    /// It was interrupted.
    pub(super) fn get(&self, program: &Program, sums: &[&Sum]) -> Result<Arc<Sums>, Interrupted> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |(known, _): &&(Vec<Sum>, _)| known.iter().eq(sums.iter().copied());
        if let Some((_, compiled)) = lock().iter().find(same) {
            return Ok(Arc::clone(compiled));
        }
        let compiled = Arc::new(Sums::new(program, sums)?);
        let mut kept = lock();
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((sums.iter().copied().cloned().collect(), Arc::clone(&compiled)));
        Ok(compiled)
    }
}

struct Builder<'p> {
    program: &'p Program,
    network: &'p Network,
    gates: Gates,
    /// By slot, the input that stands in it.
    signals: Vec<Option<Signal>>,
    inputs: Vec<(u32, u32)>,
    /// Nodes of the network that were made.
    made: FxHashMap<u32, Signal>,
}

impl Builder<'_> {
    /// The bits of a sum in units, the lowest first, and how many units lie below them.
    fn sum(&mut self, sum: &Sum, unit: f64) -> (Vec<Signal>, i64) {
        let mut columns: Vec<Vec<Signal>> = Vec::new();
        let mut below = 0i64;
        for (atom, weight) in &sum.weights {
            let signal = self.atom(atom);
            for (place, digit) in digits((weight / unit) as i64) {
                if columns.len() <= place {
                    columns.resize(place + 1, Vec::new());
                }
                if digit < 0 {
                    below -= 1 << place;
                }
                match signal.negate_if(digit < 0) {
                    Signal::FALSE => {}
                    signal => columns[place].push(signal),
                }
            }
        }
        let mut bits = Vec::new();
        let mut place = 0;
        while place < columns.len() {
            let mut column = std::mem::take(&mut columns[place]);
            let mut carried = Vec::new();
            while column.len() > 1 {
                let (one, two) = (column[0], column[1]);
                let three = column.get(2).copied().unwrap_or(Signal::FALSE);
                let (digit, carry) = self.gates.add(one, two, three);
                column.drain(..column.len().min(3));
                if digit != Signal::FALSE {
                    column.insert(0, digit);
                }
                if carry != Signal::FALSE {
                    carried.push(carry);
                }
            }
            bits.push(column.first().copied().unwrap_or(Signal::FALSE));
            if !carried.is_empty() {
                if columns.len() <= place + 1 {
                    columns.resize(place + 2, Vec::new());
                }
                columns[place + 1].extend(carried);
            }
            place += 1;
        }
        (bits, below)
    }

    fn atom(&mut self, atom: &Atom) -> Signal {
        let layout = &self.program.layout;
        match atom {
            Atom::Fact(fluent) => match self.network.fluents[fluent.0 as usize].bit {
                Some(bit) => self.input(layout.bit(bit as usize)),
                None => Signal::TRUE,
            },
            Atom::Legal { role, number } => self.input(layout.legal[*role].start + *number as u32),
            Atom::Gate(literal) => self.gate(*literal),
            Atom::All(parts) => {
                let mut signals: Vec<Signal> = parts.iter().map(|part| self.atom(part)).collect();
                self.gates.and_all(&mut signals)
            }
            Atom::Any(parts) => {
                let mut signals: Vec<Signal> = parts.iter().map(|part| !self.atom(part)).collect();
                !self.gates.and_all(&mut signals)
            }
        }
    }

    /// A literal of the network, made anew from the facts that it depends on.
    fn gate(&mut self, literal: Lit) -> Signal {
        let network = self.network;
        // Gates stand after what they depend on.
        let mut wanted = std::collections::BTreeSet::from([literal.node()]);
        let mut open = vec![literal.node()];
        while let Some(node) = open.pop() {
            let Some(gate) = node.checked_sub(network.first_gate) else { continue };
            let below = network.gate(gate as usize).iter().map(|operand| operand.node());
            open.extend(below.filter(|node| !self.made.contains_key(node) && wanted.insert(*node)));
        }
        for node in wanted {
            let signal = match node.checked_sub(network.first_gate) {
                None if node == 0 => Signal::FALSE,
                None => {
                    let slot = self.program.layout.bit(node as usize - 1);
                    self.input(slot)
                }
                Some(gate) => {
                    let operands = network.gate(gate as usize).iter();
                    let mut signals: Vec<Signal> = operands
                        .map(|operand| self.made[&operand.node()].negate_if(operand.negated()))
                        .collect();
                    self.gates.and_all(&mut signals)
                }
            };
            self.made.insert(node, signal);
        }
        self.made[&literal.node()].negate_if(literal.negated())
    }

    fn input(&mut self, slot: u32) -> Signal {
        if let Some(signal) = self.signals[slot as usize] {
            return signal;
        }
        let signal = self.gates.input(0);
        self.inputs.push((signal.node(), slot));
        self.signals[slot as usize] = Some(signal);
        signal
    }
}

/// The canonical signed digits of a number that are not 0: their places from the lowest, each 1 or -1.
pub(super) fn digits(number: i64) -> impl Iterator<Item = (usize, i32)> {
    let mut left = i128::from(number);
    let mut place = 0;
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let zeros = left.trailing_zeros();
        left >>= zeros;
        place += zeros as usize;
        let digit = if left & 3 == 3 { -1 } else { 1 };
        left -= i128::from(digit);
        Some((place, digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_make_up_the_number_and_have_no_neighbours() {
        for number in (-300..300).chain([i64::MAX, i64::MIN + 1, 1 << 40, -(1 << 40) + 12345]) {
            let found: Vec<(usize, i32)> = digits(number).collect();
            let sum: i128 = found.iter().map(|&(place, digit)| i128::from(digit) << place).sum();
            assert_eq!(sum, i128::from(number));
            assert!(found.windows(2).all(|pair| pair[1].0 > pair[0].0 + 1), "{number}: {found:?}");
        }
    }
}

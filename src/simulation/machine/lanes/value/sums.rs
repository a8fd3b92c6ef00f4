//! Weighted sums over a state's gates as code over lane words: bits of equal significance are added three at a time.
//!
//! Weights are written with the digits 1, 0 and -1, without two adjacent nonzero digits (canonical signed digits,
//! Reitwiesner 1960; on average a third of the digits is nonzero). A digit of -1 counts the lanes in which the atom does not
//! hold; the constant compensates for it. Full adders then turn three bits of one significance into one of the same and one
//! of twice the significance (Wallace 1964), until one bit of each significance remains.

use rustc_hash::FxHashMap;

use super::compiled_sums::Sums;
use super::sum::{Atom, Sum, digits};
use crate::ground::{Interrupted, Lit, Network};
use crate::machine::lanes::engine::Executable;
use crate::machine::lanes::gates::{Gates, Signal};
use crate::machine::lanes::program::Program;
use crate::machine::lanes::schedule::{Netlist, Root};

/// Compiles sums; their slots come after those of the program's code for given moves.
///
/// # Errors
/// The interrupt ended compilation.
pub(super) fn compile_sums(program: &Program, sums: &[&Sum]) -> Result<Sums, Interrupted> {
    let mut builder = SumCompiler {
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
    let (ready, end) = Executable::of_netlist(&netlist, program.engine(), &program.interrupt)?;
    Ok(Sums { ready, slots, scales, end })
}

struct SumCompiler<'p> {
    program: &'p Program,
    network: &'p Network,
    gates: Gates,
    /// By slot, the input in it.
    signals: Vec<Option<Signal>>,
    inputs: Vec<(u32, u32)>,
    /// The network's nodes that were created.
    made: FxHashMap<u32, Signal>,
}

impl SumCompiler<'_> {
    /// The bits of a sum in units, least significant first, and the offset to add, in units.
    fn sum(&mut self, sum: &Sum, unit: f64) -> (Vec<Signal>, i64) {
        let mut columns: Vec<Vec<Signal>> = Vec::new();
        let mut below = 0i64;
        for (atom, weight) in &sum.weights {
            let signal = self.atom(atom);
            for (index, digit) in digits((weight / unit) as i64) {
                if columns.len() <= index {
                    columns.resize(index + 1, Vec::new());
                }
                if digit < 0 {
                    below -= 1 << index;
                }
                match signal.negate_if(digit < 0) {
                    Signal::FALSE => {}
                    signal => columns[index].push(signal),
                }
            }
        }
        let mut bits = Vec::new();
        let mut index = 0;
        while index < columns.len() {
            let mut column = std::mem::take(&mut columns[index]);
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
                if columns.len() <= index + 1 {
                    columns.resize(index + 2, Vec::new());
                }
                columns[index + 1].extend(carried);
            }
            index += 1;
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

    /// Creates the gates of a literal of the network from the facts on which it depends.
    fn gate(&mut self, literal: Lit) -> Signal {
        let network = self.network;
        // Gates come after the nodes on which they depend.
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

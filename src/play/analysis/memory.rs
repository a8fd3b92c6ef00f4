//! The memory limit of loading and analysing a game, and its distribution.
//!
//! Created items are counted (atoms, instances, gates, states, nodes), with a fixed estimate of bytes for each. The
//! system is not asked for the memory in use, so that the same game gives the same result on any computer. The estimates
//! were measured on public games (November 2026) and are slightly too high on purpose.

use crate::evaluation::Function;
use crate::machine::Machine;

/// Bytes of a node of a fuzzy function. They include its copies in the document and in one evaluator.
const NODE: usize = 400;

/// Bytes of a reference to such a node, with the same copies.
const REFERENCE: usize = 50;

/// Bytes of a feature with its formula.
const FEATURE: usize = 2000;

/// Bytes of a conjunction of up to three facts with a weight.
const CONJUNCTION: usize = 400;

/// Stored states of a sequence.
const STATES: usize = 5;

/// Bytes of a state in addition to its fluents.
const STATE: usize = 100;

/// The memory limit of loading and analysing a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    bytes: usize,
}

impl Default for Memory {
    /// 4 GiB.
    fn default() -> Memory {
        Memory { bytes: 4 << 30 }
    }
}

impl Memory {
    /// A limit in bytes.
    pub fn of_bytes(bytes: usize) -> Memory {
        Memory { bytes }
    }

    /// The limit in bytes.
    pub fn bytes(self) -> usize {
        self.bytes
    }

    /// The limit for grounding, and later for the tables of compiled lanes: half of all, as in
    /// [`Limits::bytes`](crate::ground::Limits::bytes).
    pub fn loading(self) -> usize {
        self.bytes / 2
    }

    /// The limit for the instances from which fuzzy functions are made.
    pub fn unrolling(self) -> usize {
        self.bytes / 4
    }

    /// The limit for stored evaluation functions.
    pub fn functions(self) -> usize {
        self.bytes / 8
    }

    /// The number of sequences that can be stored for statistics.
    pub(super) fn sequences(self, machine: &dyn Machine) -> u64 {
        let initial = machine.initial();
        let words = match machine.network() {
            Some(network) => network.bits.len().div_ceil(64),
            // On the relational machine a state is a list of fluents; later states may be longer than the initial one.
            None => 2 * initial.0.len(),
        };
        (self.bytes / 8 / (STATES * (8 * words + STATE))) as u64
    }
}

/// Removes functions that don't fit into this number of bytes, and returns their ids. Functions of a single feature are
/// considered last, because there are many of them.
pub(super) fn drop_oversized(functions: &mut Vec<Function>, bytes: usize) -> Vec<String> {
    let mut order: Vec<usize> = (0..functions.len()).collect();
    order.sort_by_key(|&index| matches!(functions[index], Function::Feature(_)));
    let (mut remaining, mut kept, mut too_large) = (bytes, vec![true; functions.len()], Vec::new());
    for index in order {
        match remaining.checked_sub(function_bytes(&functions[index])) {
            Some(rest) => remaining = rest,
            None => {
                kept[index] = false;
                too_large.push(functions[index].id());
            }
        }
    }
    let mut kept = kept.into_iter();
    functions.retain(|_| kept.next().unwrap_or(true));
    too_large
}

/// Approximate bytes of a function.
fn function_bytes(function: &Function) -> usize {
    match function {
        Function::Feature(_) => FEATURE,
        Function::Fuzzy(fuzzy) => {
            let bytes = |node: &crate::evaluation::fuzzy::Node| NODE + REFERENCE * node.mentions().len();
            fuzzy.formula.nodes.iter().map(bytes).sum()
        }
        Function::Statistical(statistical) => FEATURE * statistical.terms.len(),
        Function::Learned(learned) => CONJUNCTION * learned.terms.len(),
    }
}

/// A number of bytes as text for notes, in KiB or MiB.
pub(super) fn size_text(bytes: usize) -> String {
    match bytes >> 20 {
        0 => format!("{} KiB", bytes >> 10),
        mib => format!("{mib} MiB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::fuzzy::UnrollLimits;
    use crate::ground::Limits;

    #[test]
    fn the_default_memory_has_the_default_shares() {
        assert_eq!(Memory::default().loading(), Limits::default().bytes);
        assert_eq!(Memory::default().unrolling(), UnrollLimits::default().bytes);
    }

    #[test]
    fn the_shares_fit_into_the_memory() {
        let memory = Memory::default();
        let states = memory.bytes() / 8;
        assert!(memory.loading() + memory.unrolling() + memory.functions() + states <= memory.bytes());
    }
}

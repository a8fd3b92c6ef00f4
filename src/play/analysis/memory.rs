//! The memory limit of loading and analysing a game, and its distribution.
//!
//! Created items are counted (atoms, instances, gates, states, nodes), with a fixed estimate of bytes for each. The
//! system is not asked for the memory in use, so that the same game gives the same result on any computer. The estimates
//! were measured on public games (November 2026) and are slightly too high on purpose.

use crate::evaluation::Function;
use crate::machine::Machine;

/// Bytes of a node of a fuzzy function and of a reference to one: stored, in its document, and in one evaluator.
const NODE: usize = 400;
const MENTION: usize = 50;

/// Bytes of a feature with its formula.
const FEATURE: usize = 2000;

/// Bytes of a conjunction of up to three facts with a weight.
const CONJUNCTION: usize = 400;

/// States of a sequence, and the bytes of a state in addition to its fluents.
const STATES: usize = 5;
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
            // On this machine a state is a list of fluents and may grow.
            None => 2 * initial.0.len(),
        };
        (self.bytes / 8 / (STATES * (8 * words + STATE))) as u64
    }
}

/// Removes functions that don't fit into this number of bytes, and returns their names. Functions of many things come
/// first, in their order, because those of a single feature are numerous.
pub(super) fn fit(functions: &mut Vec<Function>, bytes: usize) -> Vec<String> {
    let mut order: Vec<usize> = (0..functions.len()).collect();
    order.sort_by_key(|&place| matches!(functions[place], Function::Feature(_)));
    let (mut room, mut kept, mut too_large) = (bytes, vec![true; functions.len()], Vec::new());
    for place in order {
        match room.checked_sub(function_bytes(&functions[place])) {
            Some(rest) => room = rest,
            None => {
                kept[place] = false;
                too_large.push(functions[place].id());
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
            let bytes = |node: &crate::evaluation::fuzzy::Node| NODE + MENTION * node.mentions().len();
            fuzzy.formula.nodes.iter().map(bytes).sum()
        }
        Function::Statistical(statistical) => FEATURE * statistical.terms.len(),
        Function::Learned(learned) => CONJUNCTION * learned.terms.len(),
    }
}

/// A number of bytes for notes.
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

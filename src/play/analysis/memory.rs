//! The memory that loading and analysing a game may take, and how it is shared out.
//!
//! What is made is counted (atoms, instances, gates, states, nodes) and each counted thing is taken to need a stated number
//! of bytes. Nothing asks the system how much is held, so that the same game gives the same result on any computer. The
//! figures were measured on public games (November 2026); they are meant to be a little high.

use crate::evaluation::Function;
use crate::machine::Machine;

/// Bytes of a node of a fuzzy function and of a mention of one: as it is kept, as it goes into its document, and as one
/// evaluator holds it.
const NODE: usize = 400;
const MENTION: usize = 50;

/// Bytes of a feature with its formula.
const FEATURE: usize = 2000;

/// Bytes of up to three facts with a weight.
const CONJUNCTION: usize = 400;

/// States of a sequence, and the bytes of one beside its fluents.
const STATES: usize = 5;
const STATE: usize = 100;

/// The memory that loading and analysing a game may take.
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
    /// So many bytes.
    pub fn of_bytes(bytes: usize) -> Memory {
        Memory { bytes }
    }

    /// All of it, in bytes.
    pub fn bytes(self) -> usize {
        self.bytes
    }

    /// What grounding may hold, and later the tables of compiled lanes: half of it, as
    /// [`Limits::bytes`](crate::ground::Limits::bytes) has it by default.
    pub fn loading(self) -> usize {
        self.bytes / 2
    }

    /// What the instances may hold from which fuzzy functions are made.
    pub fn unrolling(self) -> usize {
        self.bytes / 4
    }

    /// What the evaluation functions may hold that are kept.
    pub fn functions(self) -> usize {
        self.bytes / 8
    }

    /// How many sequences of states may be kept for statistics.
    pub(super) fn sequences(self, machine: &dyn Machine) -> u64 {
        let initial = machine.initial();
        let words = match machine.network() {
            Some(network) => network.bits.len().div_ceil(64),
            // A state is a list of fluents there, and may grow.
            None => 2 * initial.0.len(),
        };
        (self.bytes / 8 / (STATES * (8 * words + STATE))) as u64
    }
}

/// Leaves out functions that do not fit into so many bytes, and gives their names. Those that combine many things have
/// room first, in their order; those of one feature each are many.
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

/// Bytes that a function takes, roughly.
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

/// A number of bytes, as it is said in notes.
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
    fn who_names_no_memory_has_the_same_shares() {
        assert_eq!(Memory::default().loading(), Limits::default().bytes);
        assert_eq!(Memory::default().unrolling(), UnrollLimits::default().bytes);
    }

    #[test]
    fn the_shares_are_no_more_than_all() {
        let memory = Memory::default();
        let states = memory.bytes() / 8;
        assert!(memory.loading() + memory.unrolling() + memory.functions() + states <= memory.bytes());
    }
}

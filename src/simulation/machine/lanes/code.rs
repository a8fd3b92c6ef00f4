//! Straight-line code over slots of lane words, which the interpreter and the native back ends run.

use super::word::Word;

/// `target := table[4 a + 2 b + c]` in every lane, for the values `a b c` of three slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// The slots read: `a`, `b`, `c`. An unused input may be any slot.
    pub inputs: [u32; 3],
    /// Bit `4 a + 2 b + c` is the result.
    pub table: u8,
    /// The slot written; it may be one of the inputs.
    pub target: u32,
}

/// Operations that run once, in order.
///
/// Slots are memory: an operation reads the last value written to each input. Slots that are not in `kept` may have any
/// value afterwards.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The operations.
    pub ops: Vec<Op>,
    /// The slots whose values are read later, ascending.
    pub kept: Vec<u32>,
}

/// Code prepared by one of the engines. All engines leave the same words in the kept slots.
pub trait Execute: Send + Sync {
    /// Runs the code on a block's slots.
    fn run(&self, slots: &mut [Word]);
}

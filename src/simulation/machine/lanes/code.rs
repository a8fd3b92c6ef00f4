//! Straight-line code over slots of lane words: what the interpreter and the native back ends run.

use super::word::Word;

/// `target := table[4 a + 2 b + c]` in every lane, for the values `a b c` of three slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// The slots read: `a`, `b`, `c`. An input that the table does not depend on may name any slot.
    pub inputs: [u32; 3],
    /// Bit `4 a + 2 b + c` is the result.
    pub table: u8,
    /// The slot written; it may be one of the inputs.
    pub target: u32,
}

/// Operations that run in order, once.
///
/// Slots are memory: every operation reads what the last write to its inputs left there. A slot that isn't
/// `kept` may hold anything afterwards.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The operations.
    pub ops: Vec<Op>,
    /// The slots whose values are read later, ascending.
    pub kept: Vec<u32>,
}

/// Code made ready to run by one of the back ends; all of them leave the same words in the kept slots.
pub trait Execute: Send + Sync {
    /// Runs the code over a block's slots.
    fn run(&self, slots: &mut [Word]);
}

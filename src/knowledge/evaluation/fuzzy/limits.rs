//! The budget of unrolling, in counted work, so that a game has the same formula on every computer.

use crate::datalog::Interrupt;

/// How far conditions are unrolled.
#[derive(Clone, Debug, PartialEq)]
pub struct UnrollLimits {
    /// Fluents that can hold.
    pub fluents: usize,
    /// Atoms of one relation.
    pub atoms: usize,
    /// Instances of the rules of one relation.
    pub instances: usize,
    /// Rows that joins may read: for all relations, and for each component of mutually recursive ones.
    pub rows: [u64; 2],
    /// Derivations of atoms of one relation that is kept lifted.
    pub derivations: usize,
    /// Mentions of nodes in the formula of one role.
    pub mentions: usize,
    /// Bytes that instances may hold, roughly.
    pub bytes: usize,
    /// Interrupts unrolling.
    pub interrupt: Interrupt,
}

impl Default for UnrollLimits {
    fn default() -> UnrollLimits {
        UnrollLimits {
            fluents: 200_000,
            atoms: 200_000,
            instances: 300_000,
            rows: [60_000_000, 20_000_000],
            derivations: 5_000_000,
            mentions: 150_000,
            bytes: 1 << 30,
            interrupt: Interrupt::default(),
        }
    }
}

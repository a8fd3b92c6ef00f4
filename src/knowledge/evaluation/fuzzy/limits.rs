//! The budget of unrolling, in counted work, so that a game has the same formula on every computer.

use crate::datalog::Interrupt;

/// Limits of unrolling.
#[derive(Clone, Debug, PartialEq)]
pub struct UnrollLimits {
    /// Limit of fluents that can hold.
    pub fluents: usize,
    /// Limit of atoms of one relation.
    pub atoms: usize,
    /// Limit of instances of the rules of one relation.
    pub instances: usize,
    /// Limit of rows that joins read: for all relations, and for each component of mutually recursive ones.
    pub rows: [u64; 2],
    /// Derivations of atoms of one relation that is kept lifted.
    pub derivations: usize,
    /// Limit of mentions of nodes in the formula of one role.
    pub mentions: usize,
    /// Limit of the memory of instances, in bytes (approximate).
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

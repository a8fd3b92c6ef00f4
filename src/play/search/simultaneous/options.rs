//! What a search for mixed strategies uses.

/// What a search uses; without them it gives the same values, more slowly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimultaneousOptions {
    /// Bytes of the table of states; 0 for none.
    pub table: usize,
    /// Whether anything is cut off at all; else every state is looked at.
    pub cutoffs: bool,
    /// Whether searches where one side knows the other's choice give bounds.
    pub serialised: bool,
    /// Whether dominated rows and columns are left out before a linear program.
    pub dominance: bool,
    /// Whether the table takes states that differ in the game's clock alone for one, where that is sound.
    pub clock: bool,
    /// Seed of the moves that are drawn.
    pub seed: u64,
}

impl Default for SimultaneousOptions {
    /// All of them, with a table of 64 MiB.
    fn default() -> Self {
        SimultaneousOptions {
            table: 64 << 20,
            cutoffs: true,
            serialised: true,
            dominance: true,
            clock: true,
            seed: 1,
        }
    }
}

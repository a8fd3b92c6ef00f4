//! Options of the search for mixed strategies.

/// Parts of the search that can be switched off. The values stay the same, but the search takes longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimultaneousOptions {
    /// Bytes of the table of states; 0 for none.
    pub table: usize,
    /// Whether branches are cut off; otherwise every state is visited.
    pub cutoffs: bool,
    /// Whether bounds come from searches in which one side knows the other's choice.
    pub serialised: bool,
    /// Whether dominated rows and columns are removed before the linear program.
    pub dominance: bool,
    /// Whether states that differ only in the game's clock share a table entry where that is sound.
    pub clock: bool,
    /// Seed of random moves.
    pub seed: u64,
}

impl Default for SimultaneousOptions {
    /// Everything switched on, with a table of 64 MiB.
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

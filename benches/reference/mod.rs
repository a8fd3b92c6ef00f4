//! Reference programs: random play of well-known games, each written by hand as bitboards.
//!
//! They are what our machines are measured against, so they are as fast as we can write them: bit deposit
//! (BMI2) and vectors where the processor has them, cheap exact draws, and no test that a rule of the game makes
//! needless. What they have in common, so that figures can be compared: one game at a time on one thread; every
//! legal move equally likely, exactly; a game is played move by move and left at its end, as a player's playouts
//! are; and states are counted as every machine of `ggp bench` counts them, each position of a playout once, the
//! initial and the terminal one included.
//!
//! `ggp bench` shows them beside the machines; no machine knows them.
//!
//! They are built into `src/cli/bench/` alone. `tests/play/references.rs` compares them with known counts and
//! with the rules.

pub(crate) mod breakthrough;
pub(crate) mod connect_four;
pub(crate) mod othello;
mod random;
mod select_bit;
pub(crate) mod tic_tac_toe;

/// A game written by hand.
pub(crate) struct Reference {
    /// What the game is commonly called.
    pub(crate) name: &'static str,
    /// Plays so many random playouts, drawn from a stream of a seed.
    pub(crate) play: fn(seed: u64, stream: u64, playouts: u64) -> Counts,
    /// The same without any instruction that some processors lack: the same counts.
    #[cfg(test)]
    pub(crate) play_anywhere: fn(seed: u64, stream: u64, playouts: u64) -> Counts,
    /// Number of sequences of so many moves from the initial state; a pass is a move.
    pub(crate) perft: fn(plies: u32) -> u64,
    /// Plies after which the number of sequences tells the game from others; some ten thousand sequences.
    pub(crate) telling_plies: u32,
}

/// All of them.
pub(crate) static REFERENCES: [Reference; 4] =
    [tic_tac_toe::REFERENCE, connect_four::REFERENCE, breakthrough::REFERENCE, othello::REFERENCE];

/// What happened in random playouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Playouts, each played to its end.
    pub(crate) playouts: u64,
    /// Positions, initial and terminal ones included.
    pub(crate) states: u64,
    /// Playouts that the first player won, that nobody won, and that the second player won.
    pub(crate) outcomes: [u64; 3],
}

impl Counts {
    /// Adds a playout of so many moves; `outcome` as in [`Counts::outcomes`].
    #[inline(always)]
    fn add(&mut self, moves: u64, outcome: usize) {
        self.playouts += 1;
        self.states += moves + 1;
        self.outcomes[outcome] += 1;
    }
}

/// Places in [`Counts::outcomes`].
const FIRST: usize = 0;
const DRAW: usize = 1;
const SECOND: usize = 2;

/// The bits of a board, one at a time, lowest first.
fn bits(mut board: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = board & board.wrapping_neg();
        board ^= bit;
        (bit != 0).then_some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn playouts_are_the_same_on_every_processor() {
        for reference in &REFERENCES {
            let counts = (reference.play)(5, 9, 3000);
            assert_eq!(counts, (reference.play_anywhere)(5, 9, 3000), "{}", reference.name);
            assert_ne!(counts, (reference.play)(5, 10, 3000));
            assert_ne!(counts, (reference.play)(6, 9, 3000));
        }
    }
}

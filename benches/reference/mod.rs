//! Reference programs: random play of well-known games, each written by hand with bitboards.
//!
//! Our machines are measured against them, so they are as fast as we can make them. They use bit deposit (BMI2) and vectors
//! if the processor has them, cheap exact random draws, and no test that the rules make unnecessary. The following rules
//! make their figures comparable with those of our machines:
//!
//! - One thread plays one game at a time.
//! - Every legal move has exactly the same probability.
//! - A game is played move by move and stops at its end, like the playouts of a player.
//! - States are counted as `ggp bench` counts them for every machine: each position of a playout once, including the initial
//!   and the terminal one.
//!
//! `ggp bench` prints them next to the machines; no machine uses them.
//!
//! Only `src/cli/bench/` includes them. `tests/play/references.rs` compares them with published counts and with the rules.

pub(crate) mod breakthrough;
pub(crate) mod connect_four;
pub(crate) mod othello;
mod random;
mod select_bit;
pub(crate) mod tic_tac_toe;

pub(crate) struct Reference {
    /// The common name of the game.
    pub(crate) name: &'static str,
    /// Plays `playouts` random playouts with the random numbers of `seed` and `stream`.
    pub(crate) play: fn(seed: u64, stream: u64, playouts: u64) -> Counts,
    /// The same without instructions that some processors lack; the counts are equal.
    #[cfg(test)]
    pub(crate) play_anywhere: fn(seed: u64, stream: u64, playouts: u64) -> Counts,
    /// The number of move sequences of length `plies` from the initial state; a pass is a move.
    pub(crate) perft: fn(plies: u32) -> u64,
    /// The depth at which `perft` identifies the game, with some ten thousand sequences.
    pub(crate) telling_plies: u32,
}

pub(crate) static REFERENCES: [Reference; 4] =
    [tic_tac_toe::REFERENCE, connect_four::REFERENCE, breakthrough::REFERENCE, othello::REFERENCE];

/// The counts of random playouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Playouts, each played to its end.
    pub(crate) playouts: u64,
    /// Positions, including initial and terminal ones.
    pub(crate) states: u64,
    /// Playouts that the first player won, that were drawn, and that the second player won.
    pub(crate) outcomes: [u64; 3],
}

impl Counts {
    /// Adds a playout of `moves` moves; `outcome` is an index of [`Counts::outcomes`].
    #[inline(always)]
    fn add(&mut self, moves: u64, outcome: usize) {
        self.playouts += 1;
        self.states += moves + 1;
        self.outcomes[outcome] += 1;
    }
}

/// Indices of [`Counts::outcomes`].
const FIRST: usize = 0;
const DRAW: usize = 1;
const SECOND: usize = 2;

/// The set bits of a board, one at a time, lowest first.
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

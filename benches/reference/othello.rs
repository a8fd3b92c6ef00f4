//! Othello. A side is 64 bits, row by row.
//!
//! Moves and flips are fills by parallel prefix along four lines, both ways at once, in the four lanes of a vector
//! where the processor has AVX2; the boards stay spread over the lanes from move to move. Who can't move passes,
//! which is a move; the game is over when neither can. Against AVX-512's forms of 256-bit vectors, AVX2 is 0.9 times
//! as fast, and words of 64 bits are 0.7 times (AMD EPYC of 2023); eight directions in 512 bits are no faster.

#[cfg(target_arch = "x86_64")]
mod vectors;

use super::random::Random;
use super::{Counts, DRAW, FIRST, Reference, SECOND, bits, select_bit};

/// The program.
pub(crate) const REFERENCE: Reference = Reference {
    name: "Othello",
    play,
    #[cfg(test)]
    play_anywhere,
    perft,
    telling_plies: 6,
};

/// Discs of the side that moves, black at first, and of the other.
const START: [u64; 2] = [1 << 28 | 1 << 35, 1 << 27 | 1 << 36];

/// Squares along a row, a column and the two diagonals.
const STEPS: [u32; 4] = [1, 8, 7, 9];

/// All files but the first and the last: where a disc along a row or a diagonal can lie between two others.
const INNER: u64 = 0x7e7e_7e7e_7e7e_7e7e;
const BETWEEN: [u64; 4] = [INNER, !0, INNER, INNER];

/// The rules over boards of type `B`, which may be spread over a vector.
trait Rules: Copy {
    type Board: Copy;

    fn board(self, discs: u64) -> Self::Board;

    fn discs(self, board: Self::Board) -> u64;

    /// The squares where the mover can place a disc.
    fn moves(self, mover: Self::Board, other: Self::Board) -> u64;

    /// Mover and other after a disc was placed and the turn has passed.
    fn place(self, square: u64, mover: Self::Board, other: Self::Board) -> [Self::Board; 2];
}

#[inline(always)]
fn block<R: Rules>(
    rules: R,
    random: &mut Random,
    playouts: u64,
    select_bit: impl Fn(u64, u64) -> u64,
) -> Counts {
    let mut counts = Counts::default();
    for _ in 0..playouts {
        let [mut mover, mut other] = START.map(|discs| rules.board(discs));
        let mut plies = 0;
        loop {
            let mut moves = rules.moves(mover, other);
            if moves == 0 {
                moves = rules.moves(other, mover);
                if moves == 0 {
                    break;
                }
                (mover, other) = (other, mover);
                plies += 1;
            }
            let square = select_bit(1 << random.below(moves.count_ones()), moves);
            [mover, other] = rules.place(square, mover, other);
            plies += 1;
        }
        let lead = i64::from(rules.discs(mover).count_ones()) - i64::from(rules.discs(other).count_ones());
        let outcome = match (if plies & 1 == 0 { lead } else { -lead }).signum() {
            1 => FIRST,
            0 => DRAW,
            _ => SECOND,
        };
        counts.add(plies, outcome);
    }
    counts
}

fn sequences<R: Rules>(rules: R, mover: R::Board, other: R::Board, plies: u32) -> u64 {
    if plies == 0 {
        return 1;
    }
    let moves = rules.moves(mover, other);
    if moves == 0 {
        let over = rules.moves(other, mover) == 0;
        return if over { 0 } else { sequences(rules, other, mover, plies - 1) };
    }
    let after = |square| {
        let [mover, other] = rules.place(square, mover, other);
        sequences(rules, mover, other, plies - 1)
    };
    bits(moves).map(after).sum()
}

/// For any processor.
#[derive(Clone, Copy)]
struct Portable;

impl Portable {
    /// Runs of `over` that begin beside `from`, along one line both ways.
    #[inline(always)]
    fn fill(line: usize, from: u64, over: u64) -> [u64; 2] {
        let (step, over) = (STEPS[line], over & BETWEEN[line]);
        let (mut up, mut down) = (over & from << step, over & from >> step);
        up |= over & up << step;
        down |= over & down >> step;
        let over_up = over & over << step;
        let over_down = over_up >> step;
        for _ in 0..2 {
            up |= over_up & up << (2 * step);
            down |= over_down & down >> (2 * step);
        }
        [up, down]
    }
}

impl Rules for Portable {
    type Board = u64;

    #[inline(always)]
    fn board(self, discs: u64) -> u64 {
        discs
    }

    #[inline(always)]
    fn discs(self, board: u64) -> u64 {
        board
    }

    #[inline(always)]
    fn moves(self, mover: u64, other: u64) -> u64 {
        let mut closed = 0;
        for (line, step) in STEPS.into_iter().enumerate() {
            let [up, down] = Self::fill(line, mover, other);
            closed |= up << step | down >> step;
        }
        closed & !(mover | other)
    }

    #[inline(always)]
    fn place(self, square: u64, mover: u64, other: u64) -> [u64; 2] {
        let mut flips = 0;
        for (line, step) in STEPS.into_iter().enumerate() {
            let [up, down] = Self::fill(line, square, other);
            flips |= if mover & up << step != 0 { up } else { 0 };
            flips |= if mover & down >> step != 0 { down } else { 0 };
        }
        [other ^ flips, mover | flips | square]
    }
}

/// Plays so many random playouts, drawn from a stream of a seed.
fn play(seed: u64, stream: u64, playouts: u64) -> Counts {
    let mut random = Random::new(seed, stream);
    #[cfg(target_arch = "x86_64")]
    if let Some(counts) = vectors::avx512::play(&mut random, playouts) {
        return counts;
    } else if let Some(counts) = vectors::avx2::play(&mut random, playouts) {
        return counts;
    }
    block(Portable, &mut random, playouts, select_bit::select_bit)
}

#[cfg(test)]
fn play_anywhere(seed: u64, stream: u64, playouts: u64) -> Counts {
    block(Portable, &mut Random::new(seed, stream), playouts, select_bit::select_bit)
}

/// Number of sequences of so many moves, by the rules that `play` takes.
fn perft(plies: u32) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if let Some(count) = vectors::avx512::perft(plies).or_else(|| vectors::avx2::perft(plies)) {
        return count;
    }
    let [mover, other] = START;
    sequences(Portable, mover, other, plies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rules_agree() {
        let [mover, other] = START;
        for plies in 0..8 {
            let count = sequences(Portable, mover, other, plies);
            assert_eq!(perft(plies), count);
            #[cfg(target_arch = "x86_64")]
            assert_eq!(vectors::avx2::perft(plies).unwrap_or(count), count);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn vectors_play_the_same_playouts() {
        let counts = play_anywhere(3, 5, 500);
        for play in [vectors::avx2::play, vectors::avx512::play] {
            assert_eq!(play(&mut Random::new(3, 5), 500).unwrap_or(counts), counts);
        }
    }
}

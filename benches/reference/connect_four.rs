//! Connect Four on seven columns and six rows. A side has 49 bits, seven per column from the bottom; the seventh is always
//! empty, so that no line runs from one column into the next.
//!
//! The landing places of all columns are one word, and a disc moves the place of its column up by one addition. So a move
//! costs two dependent instructions. A column is drawn from all seven, and drawn again if it is full. The draws do not
//! depend on the board, one random number yields twenty of them, and columns are seldom full. The usual method is to count
//! the landing places and to deposit a bit. Its steps depend on each other, and it runs at 0.56 times this speed (AMD EPYC
//! of 2023).

use multiversion::multiversion;

use super::random::{Digits, Random};
use super::{Counts, DRAW, FIRST, Reference, SECOND, bits};

pub(crate) const REFERENCE: Reference = Reference {
    name: "connect four",
    play,
    #[cfg(test)]
    play_anywhere,
    perft,
    telling_plies: 5,
};

const BOTTOM: u64 = 0x0000_0408_1020_4081;

const BOARD: u64 = BOTTOM * 0b111_111;

const COLUMN: u64 = 0b111_111;

/// Draws from one random number, chosen so that numbers are hardly ever rejected.
const DRAWS: u32 = 20;

/// Whether a side has four in a line.
#[inline(always)]
fn has_four(side: u64) -> bool {
    let two = |step: u32| side & side >> step;
    let (up, along, rising, falling) = (two(1), two(7), two(8), two(6));
    (up & up >> 2) | (along & along >> 14) | (rising & rising >> 16) | (falling & falling >> 12) != 0
}

/// Random columns, drawn with equal probability.
struct Columns {
    digits: Digits,
    left: u32,
}

impl Columns {
    #[inline(always)]
    fn new(random: &mut Random) -> Columns {
        Columns { digits: random.digits::<{ 7_u64.pow(DRAWS) }>(), left: DRAWS }
    }

    /// Draws a column that is not full, and returns the place where a disc lands in it.
    #[inline(always)]
    fn land(&mut self, random: &mut Random, landing: u64) -> u64 {
        loop {
            if self.left == 0 {
                *self = Columns::new(random);
            }
            self.left -= 1;
            // The landing place of a full column is its seventh bit, which is outside the mask.
            let place = landing & COLUMN << (7 * self.digits.below(7));
            if place != 0 {
                return place;
            }
        }
    }
}

/// Plays `playouts` random playouts with the random numbers of `seed` and `stream`.
#[multiversion(targets("x86_64+avx+avx2+bmi1+bmi2+lzcnt+popcnt"))]
fn play(seed: u64, stream: u64, playouts: u64) -> Counts {
    block(seed, stream, playouts)
}

#[cfg(test)]
fn play_anywhere(seed: u64, stream: u64, playouts: u64) -> Counts {
    block(seed, stream, playouts)
}

#[inline(always)]
fn block(seed: u64, stream: u64, playouts: u64) -> Counts {
    let mut random = Random::new(seed, stream);
    let mut columns = Columns::new(&mut random);
    let mut counts = Counts::default();
    for _ in 0..playouts {
        game(&mut random, &mut columns, &mut counts);
    }
    counts
}

#[inline(always)]
fn game(random: &mut Random, columns: &mut Columns, counts: &mut Counts) {
    let mut landing = BOTTOM;
    let mut sides = [0; 2];
    macro_rules! drop {
        ($side:literal) => {
            let place = columns.land(random, landing);
            sides[$side] |= place;
            landing += place;
        };
    }
    // No side has four discs before the seventh move.
    for _ in 0..3 {
        drop!(0);
        drop!(1);
    }
    let mut moves = 6;
    loop {
        drop!(0);
        if has_four(sides[0]) {
            return counts.add(moves + 1, FIRST);
        }
        drop!(1);
        moves += 2;
        if has_four(sides[1]) {
            return counts.add(moves, SECOND);
        }
        if moves == 42 {
            return counts.add(42, DRAW);
        }
    }
}

fn perft(plies: u32) -> u64 {
    sequences(0, 0, BOTTOM, plies)
}

fn sequences(mover: u64, other: u64, landing: u64, plies: u32) -> u64 {
    if plies == 0 {
        return 1;
    }
    if has_four(other) {
        return 0;
    }
    bits(landing & BOARD).map(|place| sequences(other, mover | place, landing + place, plies - 1)).sum()
}

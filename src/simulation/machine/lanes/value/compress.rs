//! Compresses lanes of a word, so that evaluators of 32 states need as few groups as possible.

use crate::machine::lanes::word::Word;

/// Number of rounds to move bits in 64-bit parts: by 1, 2, 4, 8, 16, 32 positions.
const ROUNDS: usize = 6;

/// The bit moves for one mask ("compress" of Warren, Hacker's Delight, 2012, 7-4).
pub(super) struct LaneCompressor {
    mask: Word,
    /// For each part, the bits that move in each round.
    moved: [[u64; ROUNDS]; 8],
}

impl LaneCompressor {
    /// Prepares compressing these lanes.
    pub(super) fn new(mask: Word) -> LaneCompressor {
        LaneCompressor { mask, moved: mask.0.map(rounds) }
    }

    /// The bits of these lanes in their order, from the lowest position.
    pub(super) fn compress(&self, word: &Word) -> Word {
        let mut out = Word::ZERO;
        let mut at = 0;
        let parts = self.mask.0.iter().zip(&self.moved).zip(&word.0);
        for ((&mask, moved), &bits) in parts.filter(|((mask, _), _)| **mask != 0) {
            let mut bits = bits & mask;
            for (round, &moves) in moved.iter().enumerate() {
                let moving = bits & moves;
                bits = bits ^ moving | moving >> (1 << round);
            }
            let (part, shift) = (at / 64, at % 64);
            out.0[part] |= bits << shift;
            let count = mask.count_ones() as usize;
            if shift + count > 64 {
                out.0[part + 1] |= bits >> (64 - shift);
            }
            at += count;
        }
        out
    }
}

/// The bits that move in each round, if those of the mask go to the lowest positions.
fn rounds(mut mask: u64) -> [u64; ROUNDS] {
    // A bit moves by the number of unset mask bits below it.
    let mut lacking = !mask << 1;
    let mut moved = [0; ROUNDS];
    for (round, moved) in moved.iter_mut().enumerate() {
        // Whether an odd number of them is below each position.
        let mut odd = lacking;
        (0..ROUNDS).for_each(|power| odd ^= odd << (1 << power));
        *moved = odd & mask;
        mask = mask ^ *moved | *moved >> (1 << round);
        lacking &= !odd;
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn compress_keeps_the_order_of_lanes(masks: [u64; 8], thin: [u64; 8], words: [u64; 8]) {
            for mask in [Word(masks), Word(masks) & Word(thin), Word::ONES, Word::first(77), Word::ZERO] {
                let found = LaneCompressor::new(mask).compress(&Word(words));
                let mut expected = Word::ZERO;
                for (index, lane) in mask.lanes().enumerate() {
                    expected.0[index / 64] |= (words[lane / 64] >> (lane % 64) & 1) << (index % 64);
                }
                prop_assert_eq!(found, expected);
            }
        }
    }
}

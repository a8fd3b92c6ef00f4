//! Random words.

use multiversion::multiversion;

use super::word::{PARTS, Word};

/// Number of words generated at once, and maximum number that can be peeked.
const AHEAD: usize = 32;
/// Number of words of one part generated at once.
const CHUNK: usize = 8;

/// Random words from eight streams of xoshiro256++ (Blackman and Vigna 2021), one for each part of a word, so that every
/// processor draws the same words.
#[derive(Clone, Debug)]
pub struct Random {
    state: [[u64; PARTS]; 4],
    /// A buffer; the next words begin at `next`. Newly generated words follow the rest of the previous ones.
    ahead: [Word; 2 * AHEAD],
    next: usize,
}

impl Random {
    /// The generator of a block. Every seed, block and part has another starting point.
    pub fn new(seed: u64, block: u64) -> Random {
        let mut state = [[0; PARTS]; 4];
        let mut mixed =
            split_mix(seed) ^ split_mix(block.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1));
        for row in &mut state {
            for cell in row {
                mixed = mixed.wrapping_add(0x9e37_79b9_7f4a_7c15);
                *cell = split_mix(mixed);
            }
        }
        Random { state, ahead: [Word::ZERO; 2 * AHEAD], next: 2 * AHEAD }
    }

    /// The next random word.
    #[inline(always)]
    pub fn word(&mut self) -> Word {
        let word = self.peek(1)[0];
        self.skip(1);
        word
    }

    /// The next `count` words, at most [`AHEAD`], without consuming them.
    #[inline(always)]
    pub(super) fn peek(&mut self, count: usize) -> &[Word] {
        if self.next + count > self.ahead.len() {
            self.ahead.copy_within(AHEAD.., 0);
            self.next -= AHEAD;
            make(&mut self.state, &mut self.ahead);
        }
        &self.ahead[self.next..][..count]
    }

    /// Consumes the next `count` words.
    #[inline(always)]
    pub(super) fn skip(&mut self, count: usize) {
        self.next += count;
    }
}

/// Generates the last [`AHEAD`] words, chunk by chunk, so that the parts share a register.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn make(state: &mut [[u64; PARTS]; 4], words: &mut [Word; 2 * AHEAD]) {
    let [row0, row1, row2, row3] = state;
    for chunk in words[AHEAD..].as_chunks_mut::<CHUNK>().0 {
        for part in 0..PARTS {
            let (mut s0, mut s1, mut s2, mut s3) = (row0[part], row1[part], row2[part], row3[part]);
            for word in chunk.iter_mut() {
                word.0[part] = s0.wrapping_add(s3).rotate_left(23).wrapping_add(s0);
                let t = s1 << 17;
                s2 ^= s0;
                s3 ^= s1;
                s1 ^= s2;
                s0 ^= s3;
                s2 ^= t;
                s3 = s3.rotate_left(45);
            }
            (row0[part], row1[part], row2[part], row3[part]) = (s0, s1, s2, s3);
        }
    }
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
fn split_mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_words_have_half_their_lanes_set_and_streams_differ() {
        let mut random = Random::new(1, 0);
        let ones: u32 = (0..10_000).map(|_| random.word().count()).sum();
        // 5.12 million fair bits have a standard deviation of 1131.
        assert!(ones.abs_diff(2_560_000) < 6_000, "{ones}");
        let first = Random::new(1, 0).word();
        assert!(Random::new(1, 1).word() != first && Random::new(2, 0).word() != first);
        assert!(first.0.iter().all(|part| first.0.iter().filter(|other| *other == part).count() == 1));
    }

    /// The published generator (xoshiro256plusplus.c, prng.di.unimi.it) from the state 1, 2, 3, 4.
    #[test]
    fn the_generator_is_xoshiro() {
        let mut state = [1, 2, 3, 4].map(|value| [value; PARTS]);
        let mut words = [Word::ZERO; 2 * AHEAD];
        make(&mut state, &mut words);
        let first = [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386];
        assert_eq!(words[AHEAD..][..4], first.map(|value| Word([value; PARTS])));
    }
}

//! Hashes of states (Zobrist 1970): every fluent has a random number, a state the exclusive or of those that hold.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machine::{Clock, Machine};

/// Any seed works; a fixed one makes the counts of a search repeatable.
const SEED: u64 = 0x5a0b_2157;

/// Random numbers of a machine's fluents.
pub(super) struct Keys {
    /// One for every bit of a network's states; empty for the relational machine, where a word of a state is a fluent's
    /// number.
    bits: Vec<u64>,
}

impl Keys {
    pub(super) fn new(machine: &dyn Machine) -> Keys {
        let mut random = ChaCha8Rng::seed_from_u64(SEED);
        let words = machine.initial().0.len();
        let bits = machine.network().map_or(0, |_| words * 64);
        Keys { bits: (0..bits).map(|_| random.random()).collect() }
    }

    /// Keys that ignore the clock (remove-counter transformation, Kuhlmann, Dresner and Stone 2006).
    pub(super) fn without(machine: &dyn Machine, clock: &Clock) -> Keys {
        let mut keys = Keys::new(machine);
        for (bit, number) in keys.bits.iter_mut().enumerate() {
            if clock.mask()[bit / 64] >> (bit % 64) & 1 == 1 {
                *number = 0;
            }
        }
        keys
    }

    /// The random number of a bit of a network's states.
    pub(super) fn number(&self, bit: u32) -> u64 {
        self.bits[bit as usize]
    }

    /// The hash of a state.
    pub(super) fn hash(&self, words: &[u64]) -> u64 {
        if self.bits.is_empty() {
            return words.iter().fold(0, |hash, &word| hash ^ scatter(word));
        }
        let mut hash = 0;
        for (index, &word) in words.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                hash ^= self.bits[index * 64 + left.trailing_zeros() as usize];
                left &= left - 1;
            }
        }
        hash
    }

    /// The hash of a state, computed from that of another one.
    pub(super) fn update(&self, hash: u64, from: &[u64], to: &[u64]) -> u64 {
        if self.bits.is_empty() || from.len() != to.len() {
            return self.hash(to);
        }
        let mut hash = hash;
        for (index, (&from, &to)) in from.iter().zip(to).enumerate() {
            let mut changed = from ^ to;
            while changed != 0 {
                hash ^= self.bits[index * 64 + changed.trailing_zeros() as usize];
                changed &= changed - 1;
            }
        }
        hash
    }
}

/// Hashes a word of a relational state, which is a small number (the finaliser of SplitMix64).
fn scatter(word: u64) -> u64 {
    let mut z = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

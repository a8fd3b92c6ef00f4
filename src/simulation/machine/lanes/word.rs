//! A lane word: one bit of each of 512 games.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Range};

/// Number of 64-bit parts of a lane word.
pub const PARTS: usize = 8;

/// Number of games in a lane word.
pub const LANES: usize = 64 * PARTS;

/// One bit of each of [`LANES`] games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Word(pub [u64; PARTS]);

impl Word {
    /// No lane.
    pub const ZERO: Word = Word([0; PARTS]);
    /// Every lane.
    pub const ONES: Word = Word([!0; PARTS]);

    /// All lanes if `value`, else none.
    #[inline(always)]
    pub fn splat(value: bool) -> Word {
        Word([u64::from(value).wrapping_neg(); PARTS])
    }

    /// The word, negated if `negate`.
    #[inline(always)]
    pub fn negate_if(self, negate: bool) -> Word {
        self ^ Word::splat(negate)
    }

    /// The word with these bits flipped in every part.
    #[inline(always)]
    pub fn flip(mut self, mask: u64) -> Word {
        self.0.iter_mut().for_each(|part| *part ^= mask);
        self
    }

    /// Whether no lane is set.
    #[inline(always)]
    pub fn is_zero(self) -> bool {
        self.0.iter().fold(0, |any, part| any | part) == 0
    }

    /// Number of lanes set.
    #[inline(always)]
    pub fn count(self) -> u32 {
        self.0.iter().map(|part| part.count_ones()).sum()
    }

    /// Whether a lane is set.
    #[inline(always)]
    pub fn lane(self, lane: usize) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 == 1
    }

    /// The first `lanes` lanes.
    pub fn first(lanes: usize) -> Word {
        let mut word = Word::ZERO;
        for (part, bits) in word.0.iter_mut().enumerate() {
            *bits = match lanes.saturating_sub(64 * part) {
                0 => 0,
                left @ 1..64 => (1 << left) - 1,
                _ => !0,
            };
        }
        word
    }

    /// The lanes that are set and below `lane`.
    pub fn below(self, lane: usize) -> Word {
        self & Word::first(lane)
    }

    /// The first `count` of the lanes that are set.
    pub fn lowest(self, count: usize) -> Word {
        if self.count() as usize <= count {
            return self;
        }
        match self.lanes().nth(count) {
            Some(lane) => self.below(lane),
            None => self,
        }
    }

    /// The parts that contain lanes of the range, each with the bits of these lanes.
    #[inline(always)]
    pub(super) fn parts_of(lanes: Range<usize>) -> impl Iterator<Item = (usize, u64)> {
        (lanes.start / 64..lanes.end.div_ceil(64)).map(move |part| {
            let (first, end) = (64 * part, 64 * part + 64);
            let (before, after) = (lanes.start.saturating_sub(first), end.saturating_sub(lanes.end));
            (part, !0 << before & !0 >> after)
        })
    }

    /// Sets a lane.
    pub fn set(&mut self, lane: usize) {
        self.0[lane / 64] |= 1 << (lane % 64);
    }

    /// Clears a lane.
    pub fn clear(&mut self, lane: usize) {
        self.0[lane / 64] &= !(1 << (lane % 64));
    }

    /// The lanes that are set, ascending.
    #[inline]
    pub fn lanes(self) -> Lanes {
        Lanes { word: self, part: 0 }
    }
}

/// The lanes of a word that are set, ascending.
#[derive(Clone, Debug)]
pub struct Lanes {
    word: Word,
    part: usize,
}

impl Iterator for Lanes {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.part < PARTS {
            let left = &mut self.word.0[self.part];
            if *left != 0 {
                let lane = self.part * 64 + left.trailing_zeros() as usize;
                *left &= *left - 1;
                return Some(lane);
            }
            self.part += 1;
        }
        None
    }
}

/// The number of lanes set in many words, as sums per 64-bit part. This is faster than counting every word.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count([u64; PARTS]);

impl Count {
    /// Adds the lanes of a word.
    #[inline(always)]
    pub fn add(&mut self, word: &Word) {
        for (sum, part) in self.0.iter_mut().zip(word.0) {
            *sum += u64::from(part.count_ones());
        }
    }

    /// The total number of lanes added.
    pub fn sum(&self) -> u64 {
        self.0.iter().sum()
    }
}

macro_rules! bitwise {
    ($trait:ident, $method:ident, $assign:ident, $assign_method:ident) => {
        impl $trait for Word {
            type Output = Word;
            #[inline(always)]
            fn $method(mut self, other: Word) -> Word {
                self.$assign_method(other);
                self
            }
        }
        impl $assign for Word {
            #[inline(always)]
            fn $assign_method(&mut self, other: Word) {
                for (left, right) in self.0.iter_mut().zip(other.0) {
                    left.$assign_method(right);
                }
            }
        }
    };
}

bitwise!(BitAnd, bitand, BitAndAssign, bitand_assign);
bitwise!(BitOr, bitor, BitOrAssign, bitor_assign);
bitwise!(BitXor, bitxor, BitXorAssign, bitxor_assign);

impl Not for Word {
    type Output = Word;
    #[inline(always)]
    fn not(mut self) -> Word {
        self.0.iter_mut().for_each(|part| *part = !*part);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_listed_in_order() {
        let mut word = Word::ZERO;
        for lane in [0, 63, 64, 200, 511] {
            word.set(lane);
        }
        assert_eq!(word.lanes().collect::<Vec<_>>(), [0, 63, 64, 200, 511]);
        assert_eq!((word.count(), word.lane(200), word.lane(201)), (5, true, false));
    }

    #[test]
    fn first_lowest_and_below_select_lanes() {
        for lanes in [0, 1, 63, 64, 65, 300, 511, 512] {
            assert_eq!(Word::first(lanes).lanes().collect::<Vec<_>>(), (0..lanes).collect::<Vec<_>>());
        }
        let mut word = Word::ZERO;
        [5, 70, 200].into_iter().for_each(|lane| word.set(lane));
        assert_eq!(word.lowest(2).lanes().collect::<Vec<_>>(), [5, 70]);
        assert_eq!((word.lowest(0), word.lowest(3), word.below(70).count()), (Word::ZERO, word, 1));
    }
}

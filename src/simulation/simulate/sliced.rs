//! Bit-sliced numbers in lanes: each word holds one bit of the numbers of all lanes.
//!
//! Counting, in each lane, how many of n words are set takes about five operations per word. Sums, extremes and histograms
//! over lanes are computed from the slices.

use crate::machine::lanes::word::Word;

/// One number per lane, initially 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sliced {
    /// The bits, least significant first.
    bits: Vec<Word>,
}

/// A full adder: the sum of three bits as (low bit, high bit).
#[inline(always)]
fn full_adder(a: Word, b: Word, c: Word) -> (Word, Word) {
    let differ = a ^ b;
    (differ ^ c, a & b | differ & c)
}

impl Sliced {
    /// Resets all numbers to 0.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.bits.clear();
    }

    /// The bits of the numbers, least significant first. Missing bits are 0.
    #[inline(always)]
    pub fn bits(&self) -> &[Word] {
        &self.bits
    }

    /// Adds 1 in these lanes.
    #[inline(always)]
    pub fn add(&mut self, lanes: Word) {
        self.add_at(0, lanes);
    }

    /// Adds `weight` in these lanes.
    #[inline(always)]
    pub fn add_weighted(&mut self, lanes: Word, weight: u64) {
        (0..u64::BITS as usize).filter(|bit| weight >> bit & 1 == 1).for_each(|bit| self.add_at(bit, lanes));
    }

    /// Adds `2^bit` in these lanes.
    #[inline(always)]
    fn add_at(&mut self, bit: usize, lanes: Word) {
        let (mut bit, mut carry) = (bit, lanes);
        while !carry.is_zero() {
            if self.bits.len() <= bit {
                self.bits.resize(bit + 1, Word::ZERO);
            }
            let sum = self.bits[bit];
            (self.bits[bit], carry) = (sum ^ carry, sum & carry);
            bit += 1;
        }
    }

    /// Adds the numbers of `other`, lane by lane.
    pub fn add_sliced(&mut self, other: &Sliced) {
        other.bits.iter().enumerate().for_each(|(bit, &lanes)| self.add_at(bit, lanes));
    }

    /// Adds, in each lane, how many of the words `word(0)` to `word(count - 1)` are set. It is a carry-save adder: eight
    /// words need only one addition to the counter's fourth bit.
    #[inline(always)]
    pub fn add_all(&mut self, count: usize, word: impl Fn(usize) -> Word) {
        let [mut ones, mut twos, mut fours] = [Word::ZERO; 3];
        let (mut a, mut b, mut c, mut d);
        let eights = count / 8;
        // Written out because a further closure or an iterator is not always inlined, and is then called for every word.
        for first in (0..8 * eights).step_by(8) {
            (ones, a) = full_adder(ones, word(first), word(first + 1));
            (ones, b) = full_adder(ones, word(first + 2), word(first + 3));
            (ones, c) = full_adder(ones, word(first + 4), word(first + 5));
            (ones, d) = full_adder(ones, word(first + 6), word(first + 7));
            (twos, a) = full_adder(twos, a, b);
            (twos, b) = full_adder(twos, c, d);
            (fours, a) = full_adder(fours, a, b);
            self.add_at(3, a);
        }
        for (bit, lanes) in [ones, twos, fours].into_iter().enumerate() {
            self.add_at(bit, lanes);
        }
        (8 * eights..count).for_each(|index| self.add(word(index)));
    }

    /// The lanes whose number is above 1.
    #[inline(always)]
    pub fn several(&self) -> Word {
        self.bits.iter().skip(1).fold(Word::ZERO, |any, &bit| any | bit)
    }

    /// The lanes whose number is above 0.
    #[inline(always)]
    pub fn some(&self) -> Word {
        self.bits.iter().fold(Word::ZERO, |any, &bit| any | bit)
    }

    /// The lanes whose number is `value`.
    pub fn equals(&self, value: u64) -> Word {
        if self.bits.len() < u64::BITS as usize && value >> self.bits.len() != 0 {
            return Word::ZERO;
        }
        let bits = self.bits.iter().enumerate();
        bits.fold(Word::ONES, |with, (bit, &lanes)| with & lanes.negate_if(value >> bit & 1 == 0))
    }

    /// The number in a lane.
    pub fn lane(&self, lane: usize) -> u64 {
        self.bits.iter().enumerate().map(|(bit, lanes)| u64::from(lanes.lane(lane)) << bit).sum()
    }

    /// The sum of the numbers in these lanes.
    #[inline(always)]
    pub fn sum(&self, lanes: Word) -> u64 {
        self.bits.iter().enumerate().map(|(bit, &with)| u64::from((with & lanes).count()) << bit).sum()
    }

    /// The sum of the squares of the numbers in these lanes.
    pub fn sum_of_squares(&self, lanes: Word) -> u128 {
        let mut sum = 0;
        for (high, &a) in self.bits.iter().enumerate() {
            let a = a & lanes;
            sum += u128::from(a.count()) << (2 * high);
            for (low, &b) in self.bits[..high].iter().enumerate() {
                sum += u128::from((a & b).count()) << (high + low + 1);
            }
        }
        sum
    }

    /// The largest number in these lanes; none if there are no lanes.
    #[inline(always)]
    pub fn max(&self, lanes: Word) -> Option<u64> {
        self.extreme(lanes, false)
    }

    /// The smallest number in these lanes; none if there are no lanes.
    #[inline(always)]
    pub fn min(&self, lanes: Word) -> Option<u64> {
        self.extreme(lanes, true)
    }

    #[inline(always)]
    fn extreme(&self, lanes: Word, smallest: bool) -> Option<u64> {
        if lanes.is_zero() {
            return None;
        }
        let (mut left, mut value) = (lanes, 0);
        for (bit, &with) in self.bits.iter().enumerate().rev() {
            let better = left & with.negate_if(smallest);
            let found = !better.is_zero();
            if found {
                left = better;
            }
            value |= u64::from(found != smallest) << bit;
        }
        Some(value)
    }

    /// The distinct numbers in these lanes, ascending, each with its lanes.
    pub fn histogram(&self, lanes: Word) -> Vec<(u64, Word)> {
        let mut found = if lanes.is_zero() { Vec::new() } else { vec![(0, lanes)] };
        for &with in self.bits.iter().rev() {
            let split =
                |(value, lanes): (u64, Word)| [(2 * value, lanes & !with), (2 * value + 1, lanes & with)];
            found = found.into_iter().flat_map(split).filter(|(_, lanes)| !lanes.is_zero()).collect();
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::lanes::random::Random;
    use crate::machine::lanes::word::LANES;

    fn words(count: usize) -> Vec<Word> {
        let mut random = Random::new(5, count as u64);
        // Some words have few bits set, some many.
        (0..count).map(|n| if n % 3 == 0 { random.word() & random.word() } else { random.word() }).collect()
    }

    fn numbers(words: &[Word]) -> Vec<u64> {
        (0..LANES).map(|lane| words.iter().filter(|word| word.lane(lane)).count() as u64).collect()
    }

    #[test]
    fn add_all_counts_set_bits() {
        for count in [0, 1, 7, 8, 9, 16, 37, 300] {
            let words = words(count);
            let mut sliced = Sliced::default();
            sliced.add_all(count, |index| words[index]);
            let mut slow = Sliced::default();
            words.iter().for_each(|&word| slow.add(word));
            for (lane, &number) in numbers(&words).iter().enumerate() {
                assert_eq!(
                    (sliced.lane(lane), slow.lane(lane)),
                    (number, number),
                    "{count} words, lane {lane}"
                );
            }
        }
    }

    #[test]
    fn sums_extremes_and_histograms_agree_with_the_numbers() {
        let (words, some) = (words(90), Random::new(1, 1).word());
        let mut sliced = Sliced::default();
        sliced.add_all(words.len(), |index| words[index]);
        let all = numbers(&words);
        let of: Vec<u64> = some.lanes().map(|lane| all[lane]).collect();
        assert_eq!(sliced.sum(some), of.iter().sum::<u64>());
        assert_eq!(sliced.sum_of_squares(some), of.iter().map(|&n| u128::from(n * n)).sum::<u128>());
        assert_eq!(
            (sliced.min(some), sliced.max(some)),
            (of.iter().min().copied(), of.iter().max().copied())
        );
        assert_eq!((sliced.min(Word::ZERO), sliced.histogram(Word::ZERO)), (None, Vec::new()));
        let histogram = sliced.histogram(some);
        assert!(histogram.is_sorted_by_key(|&(value, _)| value));
        for value in 0..100 {
            let lanes = some & sliced.equals(value);
            assert!(lanes.lanes().all(|lane| all[lane] == value));
            assert_eq!(lanes.count() as usize, of.iter().filter(|&&n| n == value).count());
            let known = histogram.iter().find(|&&(other, _)| other == value);
            assert_eq!(known.map_or(Word::ZERO, |&(_, lanes)| lanes), lanes);
        }
        assert_eq!(sliced.equals(u64::MAX), Word::ZERO);
    }

    #[test]
    fn weighted_additions_agree_with_integers() {
        let words = words(12);
        let (mut sum, mut part) = (Sliced::default(), Sliced::default());
        for (index, &word) in words.iter().enumerate() {
            let into = if index < 5 { &mut part } else { &mut sum };
            into.add_weighted(word, 3 * index as u64 + 1);
        }
        sum.add_sliced(&part);
        for lane in 0..LANES {
            let weight =
                |(index, word): (usize, &Word)| if word.lane(lane) { 3 * index as u64 + 1 } else { 0 };
            assert_eq!(sum.lane(lane), words.iter().enumerate().map(weight).sum::<u64>());
        }
        assert_eq!(sum.some(), words.iter().fold(Word::ZERO, |any, &word| any | word));
        sum.clear();
        assert_eq!(sum.some() | sum.several(), Word::ZERO);
    }
}

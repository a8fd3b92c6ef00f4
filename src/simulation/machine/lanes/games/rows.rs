//! Writes bits of lanes as rows of an array: packed in 64-bit words, or one byte per bit.

use multiversion::multiversion;

use crate::machine::lanes::transpose::transposed;
use crate::machine::lanes::word::{LANES, PARTS, Word};

/// Bits of a packed word.
pub(super) const SIDE: usize = 64;

/// Words of a cache line.
const LINE: usize = 8;

/// The lane words of a square.
pub(super) type Words = [Word; SIDE];

/// Squares of bits for a cache line of words. The additional row keeps rows with the same number in different cache sets.
type Squares = [[[u64; PARTS]; SIDE + 1]; LINE];

/// Buffers for bits.
pub(super) struct BitBuffers {
    squares: Box<Squares>,
    packed: Vec<u64>,
}

impl Default for BitBuffers {
    fn default() -> BitBuffers {
        BitBuffers { squares: Box::new([[[0; PARTS]; SIDE + 1]; LINE]), packed: Vec::new() }
    }
}

/// The destination of rows: a row for every game.
#[derive(Debug, Default)]
pub enum Rows<'o> {
    /// Not written.
    #[default]
    None,
    /// 64 bits per word, least significant first; each group of bits begins at a word boundary.
    Packed(&'o mut [u64]),
    /// One byte per bit, 0 or 1.
    Bytes(&'o mut [u8]),
}

/// The shape of a row: groups of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowShape {
    /// Number of groups: one, or one per role.
    pub groups: usize,
    /// Number of bits of a group.
    pub bits: usize,
}

impl RowShape {
    /// Number of packed words of a group.
    pub fn words(&self) -> usize {
        self.bits.div_ceil(SIDE)
    }
}

impl<'o> Rows<'o> {
    /// The rows of the first `games` games, and the rest.
    pub(super) fn split(self, games: usize, shape: RowShape) -> (Rows<'o>, Rows<'o>) {
        match self {
            Rows::None => (Rows::None, Rows::None),
            Rows::Packed(rows) => {
                let (first, rest) = rows.split_at_mut(games * shape.groups * shape.words());
                (Rows::Packed(first), Rows::Packed(rest))
            }
            Rows::Bytes(rows) => {
                let (first, rest) = rows.split_at_mut(games * shape.groups * shape.bits);
                (Rows::Bytes(first), Rows::Bytes(rest))
            }
        }
    }

    /// The given and the expected number of entries, if they differ.
    pub(super) fn misfit(&self, games: usize, shape: RowShape) -> Option<(usize, usize)> {
        let (given, each) = match self {
            Rows::None => return None,
            Rows::Packed(rows) => (rows.len(), shape.words()),
            Rows::Bytes(rows) => (rows.len(), shape.bits),
        };
        let expected = games * shape.groups * each;
        (given != expected).then_some((given, expected))
    }

    /// Writes lane words for the first lanes. `fill` writes 64 words of a group, beginning with the given bit, and zero
    /// words after the last.
    pub(super) fn write(
        &mut self,
        fill: &dyn Fn(usize, usize, &mut Words),
        lanes: usize,
        shape: RowShape,
        buffers: &mut BitBuffers,
    ) {
        let BitBuffers { squares, packed } = buffers;
        let words = shape.words();
        match self {
            Rows::None => {}
            Rows::Packed(rows) => {
                for group in 0..shape.groups {
                    let target = RowTarget { lanes, width: shape.groups * words, first_word: group * words };
                    rows_of(squares, shape.bits, &|first, words| fill(group, first, words), rows, target);
                }
            }
            Rows::Bytes(rows) => {
                packed.resize(lanes * words, 0);
                for group in 0..shape.groups {
                    let target = RowTarget { lanes, width: words, first_word: 0 };
                    rows_of(squares, shape.bits, &|first, words| fill(group, first, words), packed, target);
                    for (lane, row) in packed.chunks_exact(words.max(1)).enumerate() {
                        let start = (lane * shape.groups + group) * shape.bits;
                        unpack(row, &mut rows[start..start + shape.bits]);
                    }
                }
            }
        }
    }
}

/// A destination of words: the number of lanes, the number of words per lane, and the first word.
#[derive(Clone, Copy)]
struct RowTarget {
    lanes: usize,
    width: usize,
    first_word: usize,
}

/// Writes bits of the first lanes into rows. Eight words of a lane are written together, so that each cache line is accessed
/// once.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn rows_of(
    squares: &mut Squares,
    bits: usize,
    fill: &dyn Fn(usize, &mut Words),
    rows: &mut [u64],
    mut target: RowTarget,
) {
    let mut words = [Word::ZERO; SIDE];
    for start in (0..bits).step_by(SIDE * LINE) {
        let count = (bits - start).div_ceil(SIDE).min(LINE);
        for (number, square) in squares[..count].iter_mut().enumerate() {
            let Some(square) = square.first_chunk_mut::<SIDE>() else { continue };
            fill(start + number * SIDE, &mut words);
            if words.iter().all(|word| word.is_zero()) {
                *square = [[0; PARTS]; SIDE];
            } else {
                transposed(&words, square);
            }
        }
        match count {
            1 => copy_squares::<1>(squares, rows, target),
            2 => copy_squares::<2>(squares, rows, target),
            3 => copy_squares::<3>(squares, rows, target),
            4 => copy_squares::<4>(squares, rows, target),
            5 => copy_squares::<5>(squares, rows, target),
            6 => copy_squares::<6>(squares, rows, target),
            7 => copy_squares::<7>(squares, rows, target),
            _ => copy_squares::<LINE>(squares, rows, target),
        }
        target.first_word += LINE;
    }
}

/// Copies the words of `N` squares into their rows; `N` is constant for the compiler.
#[inline(always)]
fn copy_squares<const N: usize>(squares: &Squares, rows: &mut [u64], target: RowTarget) {
    for part in 0..target.lanes.div_ceil(SIDE) {
        for row in 0..SIDE.min(target.lanes - part * SIDE) {
            let out = &mut rows[(part * SIDE + row) * target.width + target.first_word..][..N];
            out.iter_mut().zip(squares).for_each(|(out, square)| *out = square[row][part]);
        }
    }
}

/// For every byte, its bits as bytes.
const BYTES: [u64; 256] = {
    let mut bytes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            bytes[byte] |= (byte as u64 >> bit & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    bytes
};

/// The first bits of packed words as bytes.
pub(super) fn unpack(words: &[u64], out: &mut [u8]) {
    for (word, out) in words.iter().zip(out.chunks_mut(SIDE)) {
        for (byte, out) in word.to_le_bytes().into_iter().zip(out.chunks_mut(8)) {
            let bytes = BYTES[usize::from(byte)].to_le_bytes();
            let length = out.len();
            match <&mut [u8; 8]>::try_from(&mut *out) {
                Ok(out) => *out = bytes,
                Err(_) => out.copy_from_slice(&bytes[..length]),
            }
        }
    }
}

/// Whether each of the first lanes is set, as bytes.
pub(super) fn flags(word: Word, out: &mut [u8]) {
    debug_assert!(out.len() <= LANES);
    unpack(&word.0, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::lanes::random::Random;

    #[test]
    fn rows_contain_the_bits_of_their_lanes() {
        let mut random = Random::new(5, 0);
        for (count, lanes) in [(1, 1), (64, 512), (65, 100), (512, 512), (700, 512), (1300, 77)] {
            let words: Vec<Word> = (0..count).map(|_| random.word()).collect();
            let shape = RowShape { groups: 2, bits: count + 70 };
            let mut packed = vec![!0; lanes * 2 * shape.words()];
            let mut bytes = vec![9; lanes * 2 * shape.bits];
            let groups = [&words[..], &words[..count / 2]];
            let fill = |group: usize, first: usize, out: &mut Words| {
                let words = groups[group].get(first..).unwrap_or_default();
                *out = std::array::from_fn(|bit| words.get(bit).copied().unwrap_or(Word::ZERO));
            };
            Rows::Packed(&mut packed).write(&fill, lanes, shape, &mut BitBuffers::default());
            Rows::Bytes(&mut bytes).write(&fill, lanes, shape, &mut BitBuffers::default());
            for lane in 0..lanes {
                for (group, count) in [(0, count), (1, count / 2)] {
                    let row = lane * 2 + group;
                    for bit in 0..shape.bits {
                        let expected = bit < count && words[bit].lane(lane);
                        let word = packed[row * shape.words() + bit / 64];
                        assert_eq!(word >> (bit % 64) & 1 == 1, expected, "{count} {lane} {group} {bit}");
                        assert_eq!(bytes[row * shape.bits + bit], u8::from(expected));
                    }
                }
            }
        }
    }
}

//! Converts between lane words (one bit of many games) and states (many bits of one game) by transposing 64x64 bit matrices.
//! Ever smaller squares are exchanged (Warren, Hacker's Delight, section 7-3).

use multiversion::multiversion;

use super::word::{PARTS, Word};

/// Lanes of a part, and bits of a state's word.
const SIDE: usize = 64;

/// Minimum number of parts for transposing all of them in parallel.
const TOGETHER: usize = 4;

/// The squares to exchange: their side, and the columns of the left ones.
const SQUARES: [(usize, u64); 6] = [
    (32, 0x0000_0000_ffff_ffff),
    (16, 0x0000_ffff_0000_ffff),
    (8, 0x00ff_00ff_00ff_00ff),
    (4, 0x0f0f_0f0f_0f0f_0f0f),
    (2, 0x3333_3333_3333_3333),
    (1, 0x5555_5555_5555_5555),
];

/// Transposes eight matrices in parallel: afterwards bit `j` of row `i` is bit `i` of word `j`; missing words are zero.
/// Eight rows at a time are exchanged in registers: first rows at distance eight, then neighbours.
#[inline(always)]
pub(super) fn transposed(words: &[Word], rows: &mut [[u64; PARTS]; SIDE]) {
    for first in 0..8 {
        let mut apart = [[0; PARTS]; 8];
        if let Some(words) = words.first_chunk::<SIDE>() {
            apart.iter_mut().enumerate().for_each(|(eighth, row)| *row = words[eighth * 8 + first].0);
        } else {
            let there = words.iter().skip(first).step_by(8);
            apart.iter_mut().zip(there).for_each(|(row, word)| *row = word.0);
        }
        exchange(&mut apart, 4, SQUARES[0]);
        exchange(&mut apart, 2, SQUARES[1]);
        exchange(&mut apart, 1, SQUARES[2]);
        apart.iter().enumerate().for_each(|(eighth, row)| rows[eighth * 8 + first] = *row);
    }
    for near in rows.as_chunks_mut::<8>().0 {
        let mut eight = *near;
        exchange(&mut eight, 4, SQUARES[3]);
        exchange(&mut eight, 2, SQUARES[4]);
        exchange(&mut eight, 1, SQUARES[5]);
        *near = eight;
    }
}

/// Exchanges squares of eight rows, or of eight columns of eight rows, in parallel.
#[inline(always)]
fn exchange(rows: &mut [[u64; 8]; 8], distance: usize, (side, left): (usize, u64)) {
    for first in (0..8).filter(|row| row & distance == 0) {
        let (uppers, lowers) = rows.split_at_mut(first + distance);
        for (upper, lower) in uppers[first].iter_mut().zip(&mut lowers[0]) {
            let (above, below) = (*upper, *lower);
            *upper = above & left | (below & left) << side;
            *lower = above >> side & left | below & !left;
        }
    }
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn transposed_words(words: &[Word], rows: &mut [[u64; PARTS]; SIDE]) {
    transposed(words, rows);
}

/// Transposes one matrix. Small squares are exchanged while rows at distance eight are adjacent, large ones while neighbours
/// are, so that eight rows are always exchanged at once.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn transpose_part(rows: &mut [u64; SIDE]) {
    let mut apart = [[0; 8]; 8];
    for (row, &word) in rows.iter().enumerate() {
        apart[row % 8][row / 8] = word;
    }
    exchange(&mut apart, 4, SQUARES[3]);
    exchange(&mut apart, 2, SQUARES[4]);
    exchange(&mut apart, 1, SQUARES[5]);
    let mut near = [[0; 8]; 8];
    for (first, row) in apart.iter().enumerate() {
        row.iter().enumerate().for_each(|(eighth, &word)| near[eighth][first] = word);
    }
    exchange(&mut near, 4, SQUARES[0]);
    exchange(&mut near, 2, SQUARES[1]);
    exchange(&mut near, 1, SQUARES[2]);
    for (row, word) in rows.iter_mut().enumerate() {
        *word = near[row / 8][row % 8];
    }
}

/// Transposes to rows: for each of the first `lanes` lanes, one word per 64 lane words; bit `i` is the lane's bit of word
/// `i`.
pub(super) fn lanes_of(words: &[Word], lanes: usize, rows: &mut [u64]) {
    let width = words.len().div_ceil(SIDE);
    let parts = lanes.div_ceil(SIDE);
    for (index, words) in words.chunks(SIDE).enumerate() {
        if words.iter().all(|word| word.is_zero()) {
            (0..lanes).for_each(|lane| rows[lane * width + index] = 0);
        } else if parts < TOGETHER {
            for part in 0..parts {
                let mut square = [0; SIDE];
                square.iter_mut().zip(words).for_each(|(row, word)| *row = word.0[part]);
                transpose_part(&mut square);
                for lane in 0..SIDE.min(lanes - part * SIDE) {
                    rows[(part * SIDE + lane) * width + index] = square[lane];
                }
            }
        } else {
            let mut square = [[0; PARTS]; SIDE];
            transposed_words(words, &mut square);
            for lane in 0..lanes {
                rows[lane * width + index] = square[lane % SIDE][lane / SIDE];
            }
        }
    }
}

/// The inverse: writes rows into lane words, each row with its lane. Other lanes keep their values.
pub(super) fn lanes_into<'a>(rows: impl Iterator<Item = (usize, &'a [u64])> + Clone, words: &mut [Word]) {
    let mut lanes = Word::ZERO;
    rows.clone().for_each(|(lane, _)| lanes.set(lane));
    let parts = PARTS - lanes.0.iter().rev().take_while(|part| **part == 0).count();
    for (index, words) in words.chunks_mut(SIDE).enumerate() {
        if parts < TOGETHER {
            for part in 0..parts {
                let mut square = [0; SIDE];
                for (lane, row) in rows.clone().filter(|(lane, _)| lane / SIDE == part) {
                    square[lane % SIDE] = row[index];
                }
                transpose_part(&mut square);
                for (word, row) in words.iter_mut().zip(square) {
                    word.0[part] = word.0[part] & !lanes.0[part] | row;
                }
            }
            continue;
        }
        let (mut given, mut square) = ([Word::ZERO; SIDE], [[0; PARTS]; SIDE]);
        for (lane, row) in rows.clone() {
            given[lane % SIDE].0[lane / SIDE] = row[index];
        }
        transposed_words(&given, &mut square);
        for (word, row) in words.iter_mut().zip(square) {
            *word = *word & !lanes | Word(row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::super::word::LANES;
    use super::*;

    #[test]
    fn transposing_twice_is_the_identity() {
        let mut random = Random::new(7, 0);
        for (count, lanes) in [(1usize, 1), (64, 64), (65, 130), (200, 512), (7, 257), (128, 192)] {
            let words: Vec<Word> = (0..count).map(|_| random.word() & Word::first(lanes)).collect();
            let width = count.div_ceil(64);
            let mut rows = vec![!0; lanes * width];
            lanes_of(&words, lanes, &mut rows);
            for lane in 0..lanes {
                for bit in 0..width * 64 {
                    let expected = words.get(bit).is_some_and(|word| word.lane(lane));
                    assert_eq!(rows[lane * width + bit / 64] >> (bit % 64) & 1 == 1, expected);
                }
            }
            let mut back = vec![Word::ONES; count];
            lanes_into(rows.chunks(width).enumerate(), &mut back);
            let expected = words.iter().map(|&word| word | !Word::first(lanes));
            assert!(back.into_iter().eq(expected));
        }
        let full = vec![Word::ONES; 64];
        let mut rows = vec![0; LANES];
        lanes_of(&full, LANES, &mut rows);
        assert!(rows.iter().all(|&row| row == !0));
    }
}

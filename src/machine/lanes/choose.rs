//! A uniformly random legal move in every lane, without leaving the sliced form.
//!
//! The legal moves are counted in groups of eight by sliced adders, the groups in a tree of sums. A number below
//! the total is drawn for every lane by rejection, so it is exactly uniform; comparing and subtracting down the
//! tree finds the group, and the group's eight moves are gathered into eight words for all lanes together.
//! About five operations a move.

use multiversion::multiversion;

use super::word::{Random, Word};

/// Bits of a sliced number of moves.
const MAX_BITS: usize = 24;

/// Buffers of the choice among one role's moves.
#[derive(Clone, Debug)]
pub struct Chooser {
    moves: usize,
    /// For every level of the tree, its nodes' sliced counts: `nodes x bits`.
    levels: Vec<Level>,
    masks: Vec<Word>,
    below: Vec<Word>,
}

#[derive(Clone, Debug)]
struct Level {
    nodes: usize,
    bits: usize,
    counts: Vec<Word>,
}

#[inline(always)]
fn full_adder(a: Word, b: Word, c: Word) -> (Word, Word) {
    (a ^ b ^ c, a & b | c & (a | b))
}

#[inline(always)]
fn half_adder(a: Word, b: Word) -> (Word, Word) {
    (a ^ b, a & b)
}

/// The sliced number of set words among eight.
#[inline(always)]
fn count_eight(x: &[Word; 8]) -> [Word; 4] {
    let (s0, c0) = full_adder(x[0], x[1], x[2]);
    let (s1, c1) = full_adder(x[3], x[4], x[5]);
    let (s2, c2) = half_adder(x[6], x[7]);
    let (ones, c3) = full_adder(s0, s1, s2);
    let (s3, d0) = full_adder(c0, c1, c2);
    let (twos, d1) = half_adder(s3, c3);
    let (fours, eights) = half_adder(d0, d1);
    [ones, twos, fours, eights]
}

impl Chooser {
    /// For a role with so many moves.
    pub fn new(moves: usize) -> Chooser {
        let mut levels = Vec::new();
        let (mut nodes, mut bits) = (moves.div_ceil(8).max(1), 4);
        loop {
            levels.push(Level { nodes, bits, counts: vec![Word::ZERO; nodes * bits] });
            if nodes == 1 {
                break;
            }
            nodes = nodes.div_ceil(2);
            bits += 1;
        }
        let groups = levels[0].nodes;
        Chooser { moves, masks: vec![Word::ZERO; groups], below: vec![Word::ZERO; groups], levels }
    }
}

/// Draws one of the words in `legal` that are set for every lane of `lanes` that has any, and sets that one
/// alone in `made`. Returns the lanes of `lanes` that have none.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
pub fn choose(
    chooser: &mut Chooser,
    legal: &[Word],
    lanes: Word,
    random: &mut Random,
    made: &mut [Word],
) -> Word {
    let Chooser { moves, levels, masks, below } = chooser;
    debug_assert_eq!((legal.len(), made.len()), (*moves, *moves));
    count_groups(legal, &mut levels[0]);
    add_up(levels);
    let root = &levels[levels.len() - 1];
    let bits = root.bits;
    let total = &root.counts;
    let mut some = Word::ZERO;
    total.iter().for_each(|&bit| some |= bit);
    let choosing = lanes & some;
    let mut number = draw(&total[..bits], choosing, random);
    descend(levels, choosing, &mut number, masks, below);

    // The moves of each lane's group, side by side.
    let mut eight = [Word::ZERO; 8];
    for (group, chunk) in legal.chunks(8).enumerate() {
        for (slot, &word) in eight.iter_mut().zip(chunk) {
            *slot |= word & masks[group];
        }
    }
    let mut open = choosing;
    let [mut k0, mut k1, mut k2, ..] = number;
    for slot in &mut eight {
        let here = *slot;
        let pick = here & open & !(k0 | k1 | k2);
        open &= !pick;
        let borrow = here & !k0;
        let borrow_on = borrow & !k1;
        k0 ^= here;
        k1 ^= borrow;
        k2 ^= borrow_on;
        *slot = pick;
    }
    for (group, chunk) in made.chunks_mut(8).enumerate() {
        for (word, &pick) in chunk.iter_mut().zip(&eight) {
            *word = pick & masks[group];
        }
    }
    lanes & !some
}

#[inline(always)]
fn count_groups(legal: &[Word], level: &mut Level) {
    let mut chunks = legal.chunks_exact(8);
    let mut group = 0;
    for chunk in &mut chunks {
        let mut eight = [Word::ZERO; 8];
        eight.copy_from_slice(chunk);
        level.counts[group * 4..group * 4 + 4].copy_from_slice(&count_eight(&eight));
        group += 1;
    }
    if !chunks.remainder().is_empty() || legal.is_empty() {
        let mut eight = [Word::ZERO; 8];
        eight[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
        level.counts[group * 4..group * 4 + 4].copy_from_slice(&count_eight(&eight));
    }
}

/// The sums of pairs, level by level.
#[inline(always)]
fn add_up(levels: &mut [Level]) {
    for upper in 1..levels.len() {
        let (lower, rest) = levels.split_at_mut(upper);
        let (lower, level) = (&lower[upper - 1], &mut rest[0]);
        for node in 0..level.nodes {
            let left = &lower.counts[2 * node * lower.bits..][..lower.bits];
            let sum = &mut level.counts[node * level.bits..][..level.bits];
            if 2 * node + 1 == lower.nodes {
                sum[..lower.bits].copy_from_slice(left);
                sum[lower.bits] = Word::ZERO;
                continue;
            }
            let right = &lower.counts[(2 * node + 1) * lower.bits..][..lower.bits];
            let mut carry = Word::ZERO;
            for bit in 0..lower.bits {
                (sum[bit], carry) = full_adder(left[bit], right[bit], carry);
            }
            sum[lower.bits] = carry;
        }
    }
}

/// A number below `total` for every lane of `lanes`, in all of which it is above 0: numbers with as many bits as
/// the largest one are drawn until each lane has one that is small enough.
#[inline(always)]
fn draw(total: &[Word], lanes: Word, random: &mut Random) -> [Word; MAX_BITS] {
    let bits = total.len();
    // The largest number, and below its highest bit ones.
    let mut largest = [Word::ZERO; MAX_BITS];
    let mut borrow = Word::ONES;
    for bit in 0..bits {
        largest[bit] = (total[bit] ^ borrow) & lanes;
        borrow &= !total[bit];
    }
    let mut range = largest;
    for bit in (0..bits.saturating_sub(1)).rev() {
        let above = range[bit + 1];
        range[bit] |= above;
    }
    let used = (0..bits).take_while(|&bit| !range[bit].is_zero()).count();
    let mut number = [Word::ZERO; MAX_BITS];
    let mut waiting = if used == 0 { Word::ZERO } else { lanes };
    let mut drawn = [Word::ZERO; MAX_BITS];
    while !waiting.is_zero() {
        // Whether what is drawn is larger than the largest, decided at the highest bit that differs.
        let mut larger = Word::ZERO;
        for bit in 0..used {
            drawn[bit] = random.word() & range[bit];
            let differs = drawn[bit] ^ largest[bit];
            larger = differs & drawn[bit] | larger & !differs;
        }
        let taken = waiting & !larger;
        for bit in 0..used {
            number[bit] |= drawn[bit] & taken;
        }
        waiting &= larger;
    }
    number
}

/// Follows each lane's number down the tree: which group it falls in, and what is left of it there.
#[inline(always)]
fn descend(
    levels: &[Level],
    lanes: Word,
    number: &mut [Word; MAX_BITS],
    masks: &mut Vec<Word>,
    below: &mut Vec<Word>,
) {
    masks[0] = lanes;
    let mut difference = [Word::ZERO; MAX_BITS];
    for level in (0..levels.len() - 1).rev() {
        let lower = &levels[level];
        for node in 0..levels[level + 1].nodes {
            let here = masks[node];
            if 2 * node + 1 == lower.nodes {
                below[2 * node] = here;
                continue;
            }
            let left = &lower.counts[2 * node * lower.bits..][..lower.bits];
            let mut borrow = Word::ZERO;
            for bit in 0..lower.bits {
                let (k, l) = (number[bit], left[bit]);
                difference[bit] = k ^ l ^ borrow;
                borrow = !k & (l | borrow) | l & borrow;
            }
            // A bit above the left count's makes the number larger, whatever the others say.
            let right = here & !(borrow & !number[lower.bits]);
            let difference_above = number[lower.bits] ^ borrow;
            for bit in 0..lower.bits {
                number[bit] ^= (number[bit] ^ difference[bit]) & right;
            }
            number[lower.bits] ^= (number[lower.bits] ^ difference_above) & right;
            below[2 * node] = here & !right;
            below[2 * node + 1] = right;
        }
        std::mem::swap(masks, below);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws from `n` moves, of which lane `l` has those with `legal(l, move)`, and counts.
    fn counts(n: usize, rounds: usize, legal: impl Fn(usize, usize) -> bool) -> Vec<Vec<u32>> {
        let mut words = vec![Word::ZERO; n];
        for (number, word) in words.iter_mut().enumerate() {
            (0..super::super::word::LANES)
                .filter(|&lane| legal(lane, number))
                .for_each(|lane| word.set(lane));
        }
        let mut chooser = Chooser::new(n);
        let mut random = Random::new(7, n as u64);
        let mut made = vec![Word::ZERO; n];
        let mut counts = vec![vec![0; n]; super::super::word::LANES];
        for _ in 0..rounds {
            let none = choose(&mut chooser, &words, Word::ONES, &mut random, &mut made);
            let mut chosen = Word::ZERO;
            for (number, word) in made.iter().enumerate() {
                assert!((*word & !words[number]).is_zero(), "an illegal move");
                assert!((chosen & *word).is_zero(), "two moves");
                chosen |= *word;
                word.lanes().for_each(|lane| counts[lane][number] += 1);
            }
            assert_eq!(chosen, !none);
        }
        counts
    }

    /// Chi-square per degree of freedom is near 1 for a uniform choice.
    fn assert_uniform(n: usize, rounds: usize, legal: impl Fn(usize, usize) -> bool) {
        let (mut chi_square, mut freedom) = (0.0, 0.0);
        for (lane, counts) in counts(n, rounds, &legal).iter().enumerate() {
            let moves: Vec<usize> = (0..n).filter(|&number| legal(lane, number)).collect();
            assert_eq!(counts.iter().sum::<u32>() as usize, if moves.is_empty() { 0 } else { rounds });
            let expected = rounds as f64 / moves.len().max(1) as f64;
            chi_square +=
                moves.iter().map(|&m| (f64::from(counts[m]) - expected).powi(2) / expected).sum::<f64>();
            freedom += moves.len().saturating_sub(1) as f64;
        }
        // Six standard deviations of the chi-square distribution.
        assert!(
            (chi_square - freedom).abs() < 6.0 * (2.0f64 * freedom).sqrt() + 1e-9,
            "{n}: {chi_square} of {freedom}"
        );
    }

    #[test]
    fn every_legal_move_is_equally_likely() {
        for n in [1, 2, 3, 7, 8, 9, 17, 40, 65] {
            assert_uniform(n, 2000, |_, _| true);
            assert_uniform(n, 2000, |lane, number| (lane * 31 + number * 17) % 5 != 0);
            assert_uniform(n, 2000, |lane, number| (lane + number) % 7 == 0);
        }
    }

    #[test]
    fn very_many_moves_are_chosen_from_as_well() {
        let n = 100_000;
        for counts in counts(n, 2, |lane, number| number % 1000 == lane % 1000).iter() {
            assert_eq!(counts.iter().sum::<u32>(), 2);
        }
    }
}

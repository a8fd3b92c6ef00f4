//! A uniformly random number below a sliced total, in every lane.

use multiversion::multiversion;

use super::layout::COUNT_BITS;
use super::word::{Random, Word};

/// Draws a number below `total` for every lane of `lanes` where the total isn't 0: numbers with as many bits as the
/// largest possible one are drawn until each lane has one that is small enough, so that all are equally likely.
/// `number` has the bits of the largest total less one.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
pub(super) fn draw(total: &[Word], lanes: Word, random: &mut Random, number: &mut [Word]) {
    let used = total.iter().rposition(|&bit| !(bit & lanes).is_zero()).map_or(0, |bit| bit + 1);
    let used = used.min(number.len());
    let (low, high) = number.split_at_mut(used);
    high.fill(Word::ZERO);
    // Few bits stay in registers.
    match used {
        0 => {}
        1 => draw_bits::<1>(total, lanes, random, low),
        2 => draw_bits::<2>(total, lanes, random, low),
        3 => draw_bits::<3>(total, lanes, random, low),
        4 => draw_bits::<4>(total, lanes, random, low),
        5 => draw_bits::<5>(total, lanes, random, low),
        6 => draw_bits::<6>(total, lanes, random, low),
        _ => draw_bits::<COUNT_BITS>(total, lanes, random, low),
    }
}

#[inline(always)]
fn draw_bits<const BITS: usize>(total: &[Word], lanes: Word, random: &mut Random, number: &mut [Word]) {
    let bits = number.len().min(BITS);
    let mut stream = random.clone();
    let mut some = Word::ZERO;
    total.iter().for_each(|&bit| some |= bit);
    // The largest number, and below its highest bit ones.
    let mut largest = [Word::ZERO; BITS];
    let mut borrow = Word::ONES;
    for bit in 0..bits {
        largest[bit] = total[bit] ^ borrow;
        borrow &= !total[bit];
    }
    let mut range = [Word::ZERO; BITS];
    let mut above = Word::ZERO;
    for bit in (0..bits).rev() {
        above |= largest[bit] & lanes & some;
        range[bit] = above;
    }
    let mut waiting = above;
    let mut drawn = [Word::ZERO; BITS];
    let mut accepted = [Word::ZERO; BITS];
    while !waiting.is_zero() {
        // Whether what is drawn is larger than the largest, decided at the highest bit that differs.
        let mut larger = Word::ZERO;
        for bit in 0..bits {
            drawn[bit] = stream.word() & range[bit];
            let differs = drawn[bit] ^ largest[bit];
            larger = differs & drawn[bit] | larger & !differs;
        }
        let taken = waiting & !larger;
        for bit in 0..bits {
            accepted[bit] |= drawn[bit] & taken;
        }
        waiting &= larger;
    }
    number[..bits].copy_from_slice(&accepted[..bits]);
    *random = stream;
}

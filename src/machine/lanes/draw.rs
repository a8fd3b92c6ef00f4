//! A uniformly random number below a sliced total, in every lane.

use multiversion::multiversion;

use super::layout::COUNT_BITS;
use super::word::{Random, Word};

/// Draws a number below `total` for every lane of `lanes` where the total isn't 0: numbers with as many bits as the
/// largest possible one are drawn until each lane has one that is small enough, so that all are equally likely.
/// `number` has the bits of the largest total less one.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
pub(super) fn draw(total: &[Word], lanes: Word, random: &mut Random, number: &mut [Word]) {
    let bits = number.len();
    // The largest number, and below its highest bit ones.
    let mut largest = [Word::ZERO; COUNT_BITS];
    let mut some = Word::ZERO;
    let mut borrow = Word::ONES;
    for &bit in total {
        some |= bit;
    }
    for (largest, &bit) in largest[..bits].iter_mut().zip(total) {
        *largest = bit ^ borrow;
        borrow &= !bit;
    }
    let mut range = [Word::ZERO; COUNT_BITS];
    let mut above = Word::ZERO;
    let mut waiting = Word::ZERO;
    let lanes = lanes & some;
    for bit in (0..bits).rev() {
        above |= largest[bit] & lanes;
        range[bit] = above;
        number[bit] = Word::ZERO;
        waiting |= above;
    }
    let used = (0..bits).take_while(|&bit| !range[bit].is_zero()).count();
    let mut drawn = [Word::ZERO; COUNT_BITS];
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
}

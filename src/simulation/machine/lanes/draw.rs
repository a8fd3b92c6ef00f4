//! A uniformly random number below a bit-sliced total, in every lane.

use multiversion::multiversion;

use super::layout::COUNT_BITS;
use super::random::Random;
use super::word::{PARTS, Word};

/// A number to draw before the moves are chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draw {
    pub(super) role: usize,
    /// Bits of the number of legal moves.
    pub(super) total_bits: usize,
    /// Bits of a number below it.
    pub(super) number_bits: usize,
}

/// Draws a number below `total` for every lane of `lanes` with a total above 0, by rejection. Numbers with as many bits as
/// the largest possible one are drawn until each lane has one that is small enough. `number` has the bits of the largest
/// total minus one.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
pub(super) fn draw(total: &[Word], lanes: &Word, random: &mut Random, number: &mut [Word]) {
    let mut used = total.len();
    while used > 0 && (total[used - 1] & *lanes).is_zero() {
        used -= 1;
    }
    let used = used.min(number.len());
    let (low, high) = number.split_at_mut(used);
    high.fill(Word::ZERO);
    match used {
        0 => {}
        1 => few::<1>(total, lanes, random, low),
        2 => few::<2>(total, lanes, random, low),
        3 => few::<3>(total, lanes, random, low),
        4 => few::<4>(total, lanes, random, low),
        5 => few::<5>(total, lanes, random, low),
        6 => few::<6>(total, lanes, random, low),
        7 => few::<7>(total, lanes, random, low),
        8 => few::<8>(total, lanes, random, low),
        _ => many(total, lanes, random, low),
    }
}

/// Number of rounds for numbers of few bits. They are independent of each other, and run even if no lane waits.
const ROUNDS: usize = 4;

#[inline(always)]
fn few<const BITS: usize>(total: &[Word], lanes: &Word, random: &mut Random, number: &mut [Word]) {
    let (low, high) = total.split_first_chunk::<BITS>().expect("as many bits as are used");
    let mut drawing = DrawState::<BITS>::new(low, high, lanes);
    while !drawing.waiting.is_zero() {
        let words = random.peek(ROUNDS * BITS).as_chunks::<BITS>().0;
        let waiting = drawing.play::<ROUNDS>(words.first_chunk().expect("as many words as were asked for"));
        let needed = 1 + waiting[..ROUNDS - 1].iter().filter(|lanes| !lanes.is_zero()).count();
        random.skip(needed * BITS);
    }
    number.copy_from_slice(&drawing.number);
}

fn many(total: &[Word], lanes: &Word, random: &mut Random, number: &mut [Word]) {
    let bits = number.len();
    let mut low = [Word::ZERO; COUNT_BITS];
    low[..bits].copy_from_slice(&total[..bits]);
    let mut drawing = DrawState::<COUNT_BITS>::new(&low, &total[bits..], lanes);
    while !drawing.waiting.is_zero() {
        let mut words = [[Word::ZERO; COUNT_BITS]];
        words[0][..bits].copy_from_slice(random.peek(bits));
        random.skip(bits);
        drawing.play(&words);
    }
    number.copy_from_slice(&drawing.number[..bits]);
}

/// The state of a draw. It is computed part by part, so that its words share a register.
struct DrawState<const BITS: usize> {
    /// The largest number of each lane.
    largest: [Word; BITS],
    /// Ones from the highest bit of the largest number down.
    range: [Word; BITS],
    /// The numbers accepted so far.
    number: [Word; BITS],
    /// Lanes without a number.
    waiting: Word,
}

impl<const BITS: usize> DrawState<BITS> {
    #[inline(always)]
    fn new(low: &[Word; BITS], high: &[Word], lanes: &Word) -> DrawState<BITS> {
        // Higher bits do not change the largest number, but show that there is one.
        let mut some = Word::ZERO;
        high.iter().for_each(|&bit| some |= bit);
        let (mut largest, mut range) = ([Word::ZERO; BITS], [Word::ZERO; BITS]);
        let mut waiting = Word::ZERO;
        for part in 0..PARTS {
            let (mut borrow, mut some) = (!0, some.0[part]);
            for bit in 0..BITS {
                let total = low[bit].0[part];
                largest[bit].0[part] = total ^ borrow;
                borrow &= !total;
                some |= total;
            }
            let mut above = 0;
            for bit in (0..BITS).rev() {
                above |= largest[bit].0[part] & lanes.0[part] & some;
                range[bit].0[part] = above;
            }
            waiting.0[part] = above;
        }
        DrawState { largest, range, number: [Word::ZERO; BITS], waiting }
    }

    /// Plays several rounds: accepts random numbers that are small enough. Returns the lanes that wait after each round.
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "with iterators it isn't made vector code")]
    fn play<const ROUNDS: usize>(&mut self, words: &[[Word; BITS]; ROUNDS]) -> [Word; ROUNDS] {
        let mut after = [Word::ZERO; ROUNDS];
        for part in 0..PARTS {
            let mut waiting = self.waiting.0[part];
            for (words, after) in words.iter().zip(&mut after) {
                // Whether the drawn number is larger than the largest: decided at the highest bit that differs.
                let mut larger = 0;
                for bit in 0..BITS {
                    let drawn = words[bit].0[part] & self.range[bit].0[part];
                    let differs = drawn ^ self.largest[bit].0[part];
                    larger = differs & drawn | larger & !differs;
                }
                let taken = waiting & !larger;
                for bit in 0..BITS {
                    self.number[bit].0[part] |= words[bit].0[part] & self.range[bit].0[part] & taken;
                }
                waiting &= larger;
                after.0[part] = waiting;
            }
            self.waiting.0[part] = waiting;
        }
        after
    }
}

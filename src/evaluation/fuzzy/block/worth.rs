//! What the numbers of a node's values stand for.

use fearless_simd::prelude::*;
use fearless_simd::{f32x8, u8x16, u8x32, u16x16};

use super::vector::Vector;

/// Values of a node at most, if others look at their numbers, and bits of these.
pub(super) const MOST: usize = 1 << MOST_BITS;
pub(super) const MOST_BITS: u32 = 4;

/// Values of a node at most, if they have numbers.
pub(super) const WIDE: usize = 64;

/// What a node or its negation adds, by number, of 16 or of 64: the first bytes of all these, then the second ones...
///
/// Laid out so that the bytes of thirty-two states are four lookups by their numbers.
#[derive(Clone)]
#[repr(C, align(64))]
pub(super) struct Worth<const COUNT: usize>([[u8; COUNT]; 4]);

impl<const COUNT: usize> Worth<COUNT> {
    pub(super) const NOTHING: Self = Worth([[0; COUNT]; 4]);

    #[inline(always)]
    pub(super) fn get(&self, number: usize) -> f32 {
        f32::from_le_bytes(self.0.map(|bytes| bytes[number % COUNT]))
    }

    pub(super) fn set(&mut self, number: usize, value: f32) {
        for (bytes, byte) in self.0.iter_mut().zip(value.to_le_bytes()) {
            bytes[number] = byte;
        }
    }

    /// Writes the values that numbers stand for, in so many parts.
    #[inline(always)]
    pub(super) fn write<S: Simd>(&self, simd: S, numbers: u8x32<S>, parts: usize, out: &mut Vector) {
        let [first, second, third, fourth] = &self.0;
        let [first, second] = [looked_up(simd, first, numbers), looked_up(simd, second, numbers)];
        let [third, fourth] = [looked_up(simd, third, numbers), looked_up(simd, fourth, numbers)];
        let (low, high) = (first.interleave(second), third.interleave(fourth));
        let halves: [[u16x16<S>; 2]; 2] =
            [[low.0.bitcast(), high.0.bitcast()], [low.1.bitcast(), high.1.bitcast()]];
        for (part, [low, high]) in halves.into_iter().enumerate().take(parts) {
            let values = low.interleave(high);
            let [values, more]: [f32x8<S>; 2] = [values.0.bitcast(), values.1.bitcast()];
            out.set_part(part, values.combine(more));
        }
    }
}

/// The bytes of a table of 16 or of 64 by their places.
#[inline(always)]
pub(super) fn looked_up<S: Simd, const COUNT: usize>(
    simd: S,
    table: &[u8; COUNT],
    places: u8x32<S>,
) -> u8x32<S> {
    if COUNT == 16 {
        return u8x32::block_splat(u8x16::from_slice(simd, table)).swizzle_dyn_within_blocks(places);
    }
    let (low, high) = table.split_at(COUNT / 2);
    u8x32::from_slice(simd, low).concat_swizzle_dyn(u8x32::from_slice(simd, high), places)
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::super::vector::{PART, WIDTH};
    use super::*;

    #[test]
    fn every_state_gets_what_its_number_stands_for() {
        checked::<16>();
        checked::<64>();
    }

    fn checked<const COUNT: usize>() {
        let mut worth = Worth::<COUNT>::NOTHING;
        (0..COUNT).for_each(|number| worth.set(number, (number as f32 - 7.3).powi(5)));
        let numbers: [u8; WIDTH] = std::array::from_fn(|state| (state * 7 % COUNT) as u8);
        for level in [Level::new(), Level::baseline()] {
            for parts in 1..=WIDTH / PART {
                let mut out = Vector::splat(0.5);
                dispatch!(level, simd => {
                    worth.write(simd, u8x32::load_array_ref(simd, &numbers), parts, &mut out);
                });
                for (state, value) in out.numbers().enumerate() {
                    let number = usize::from(numbers[state]);
                    let expected = if state < PART * parts { (number as f32 - 7.3).powi(5) } else { 0.5 };
                    assert_eq!(value, expected);
                }
            }
        }
    }
}

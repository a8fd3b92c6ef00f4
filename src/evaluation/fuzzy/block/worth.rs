//! What the numbers of a node's values stand for.

use fearless_simd::prelude::*;
use fearless_simd::{f32x8, u8x16, u8x32, u16x16};

use super::vector::Vector;

/// Values of a node at most, if they have numbers.
pub(super) const MOST: usize = 16;

/// What a node or its negation adds, by number: the first bytes of all these, then the second ones...
///
/// Laid out so that the bytes of thirty-two states are four lookups by their numbers.
#[derive(Clone)]
#[repr(C, align(64))]
pub(super) struct Worth([[u8; MOST]; 4]);

impl Worth {
    pub(super) const NOTHING: Worth = Worth([[0; MOST]; 4]);

    #[inline(always)]
    pub(super) fn get(&self, number: usize) -> f32 {
        f32::from_le_bytes(self.0.map(|bytes| bytes[number % MOST]))
    }

    pub(super) fn set(&mut self, number: usize, value: f32) {
        for (bytes, byte) in self.0.iter_mut().zip(value.to_le_bytes()) {
            bytes[number] = byte;
        }
    }

    /// Writes the values that numbers stand for, in so many parts.
    #[inline(always)]
    pub(super) fn write<S: Simd>(&self, simd: S, numbers: u8x32<S>, parts: usize, out: &mut Vector) {
        let [first, second, third, fourth] = self.0.each_ref().map(
            #[inline(always)]
            |bytes| u8x32::block_splat(u8x16::load_array_ref(simd, bytes)).swizzle_dyn_within_blocks(numbers),
        );
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

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::super::vector::{PART, WIDTH};
    use super::*;

    #[test]
    fn every_state_gets_what_its_number_stands_for() {
        let mut worth = Worth::NOTHING;
        (0..MOST).for_each(|number| worth.set(number, (number as f32 - 7.3).powi(5)));
        let numbers: [u8; WIDTH] = std::array::from_fn(|state| (state * 7 % MOST) as u8);
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

//! Vector arithmetic in single precision, with a lane for each state: four lanes for a single state, sixteen for
//! blocks.
//!
//! Sums and products are rounded one by one, in a fixed order. So a value is the same to the last bit on every
//! processor and in every lane. (Fused multiply-add would be a little faster on some processors, and a hundred times
//! slower on others.)

use fearless_simd::prelude::*;
use fearless_simd::{f32x4, f32x16};

/// The most states of a group.
pub(in super::super) const WIDTH: usize = 32;

/// A bit for each state.
pub(in super::super) type Mask = u32;

/// A vector of numbers, one for each state.
pub(in super::super) trait Lanes<S: Simd>: SimdFloat<S, Element = f32> {
    /// The numbers of all states of a group.
    type Row: Row;
}

impl<S: Simd> Lanes<S> for f32x16<S> {
    type Row = BlockRow;
}

impl<S: Simd> Lanes<S> for f32x4<S> {
    type Row = SingleRow;
}

/// The numbers that a value and its negation add to a conjunction. The norm defines them, see
/// [`TNorm`](super::super::norm::TNorm).
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Operand<F> {
    pub(in super::super) value: F,
    pub(in super::super) negation: F,
}

impl<F> Operand<F> {
    /// One operand in all states.
    #[inline(always)]
    pub(in super::super) fn splat<S: Simd>(simd: S, [value, negation]: [f32; 2]) -> Operand<F>
    where
        F: Lanes<S>,
    {
        Operand { value: F::splat(simd, value), negation: F::splat(simd, negation) }
    }

    /// This operand in some states, and another one in the others.
    #[inline(always)]
    pub(in super::super) fn or<S: Simd>(self, states: F::Mask, other: Operand<F>) -> Operand<F>
    where
        F: Lanes<S>,
    {
        Operand {
            value: states.select(self.value, other.value),
            negation: states.select(self.negation, other.negation),
        }
    }

    #[inline(always)]
    pub(in super::super) fn negated(self) -> Operand<F> {
        Operand { value: self.negation, negation: self.value }
    }
}

/// The numbers of all states of a group.
pub(in super::super) trait Row: Copy + AsRef<[f32]> + AsMut<[f32]> {
    /// One number in all states.
    fn splat(value: f32) -> Self;
}

/// A row for [`WIDTH`] states.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(in super::super) struct BlockRow([f32; WIDTH]);

/// A row for a single state, in vectors of four numbers, which are the fastest.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(in super::super) struct SingleRow([f32; 4]);

macro_rules! rows {
    ($($row:ident)*) => {
        $(
            impl AsRef<[f32]> for $row {
                #[inline(always)]
                fn as_ref(&self) -> &[f32] {
                    &self.0
                }
            }

            impl AsMut<[f32]> for $row {
                #[inline(always)]
                fn as_mut(&mut self) -> &mut [f32] {
                    &mut self.0
                }
            }

            impl Row for $row {
                #[inline(always)]
                fn splat(value: f32) -> $row {
                    $row([value; _])
                }
            }
        )*
    };
}

rows! { BlockRow SingleRow }

/// The numbers of a part of the states.
#[inline(always)]
pub(super) fn part<S: Simd, F: Lanes<S>>(simd: S, row: &F::Row, part: usize) -> F {
    F::from_slice(simd, &row.as_ref()[F::LEN * part..F::LEN * (part + 1)])
}

/// Sets the numbers of a part of the states.
#[inline(always)]
pub(super) fn set_part<S: Simd, F: Lanes<S>>(row: &mut F::Row, part: usize, values: F) {
    values.store_slice(&mut row.as_mut()[F::LEN * part..F::LEN * (part + 1)]);
}

/// The states of a part that a mask has, as lanes.
#[inline(always)]
pub(super) fn lanes_of<S: Simd, F: Lanes<S>>(simd: S, mask: Mask, part: usize) -> F::Mask {
    F::Mask::from_bitmask(simd, u64::from(mask >> (F::LEN * part)))
}

/// e^r for r in -ln 2 / 2 to ln 2 / 2, the highest power first, with a relative error of 2.6e-6. This polynomial and
/// the next were fitted by Lawson's algorithm (1961), which minimizes the largest error.
const EXPONENTIAL: [f32; 5] = [4.145_86e-2, 0.167_909_07, 0.500_043_6, 0.999_963_4, 0.999_999_3];

/// -ln(1 - x) / x for x in 0 to 1/2, the highest power first, with a relative error of 1e-6.
const REST: [f32; 7] =
    [0.990_578, -0.637_915_5, 0.522_741_8, 0.187_533_27, 0.338_910_9, 0.499_816_75, 1.000_001];

/// (ln(1 + f) - f + f²/2) / f³ for f in √½ - 1 to √2 - 1, the highest power first: `logf` of Cephes (Moshier 1992).
const LOGARITHM: [f32; 9] = [
    7.037_683_6e-2,
    -1.151_461e-1,
    1.167_699_9e-1,
    -1.242_014_1e-1,
    1.424_932_3e-1,
    -1.666_805_8e-1,
    2.000_071_5e-1,
    -2.499_999_4e-1,
    3.333_333e-1,
];

/// The greatest cost c for which e^-c is a normal number, with a small margin.
const MOST: f32 = 87.0;

/// √½ as bits. A greater mantissa belongs to the next power of two.
const HALF_ROOT: u32 = 0x3f35_04f3;

/// e^-cost for a cost of 0 or more.
#[inline(always)]
pub(in super::super) fn exp_of_negative<S: Simd, F: Lanes<S>>(cost: F) -> F {
    // Adding this number rounds to an integer, which is in the low bits of the sum.
    const ROUND: f32 = 12_582_912.0;
    let cost = cost.min(MOST);
    let shifted = cost * -std::f32::consts::LOG2_E + ROUND;
    let r = (-shifted + ROUND) * std::f32::consts::LN_2 - cost;
    // Estrin's scheme has shorter dependency chains than Horner's.
    let [a, b, c, d, e] = EXPONENTIAL;
    let square = r * r;
    let value = (square * a + (r * b + c)) * square + (r * d + e);
    let scale = F::from_bits((shifted.to_bits() + 127) << 23);
    value * scale
}

/// ln(1 + f) for f in √½ - 1 to √2 - 1, plus a multiple of ln 2.
#[inline(always)]
fn ln_near_one<S: Simd, F: Lanes<S>>(f: F, powers: F) -> F {
    let [a, b, c, d, e, g, h, i, j] = LOGARITHM;
    let square = f * f;
    let (cube, fourth) = (square * f, square * square);
    let middle = (f * b + c) * square + (f * d + e);
    let low = (f * g + h) * square + (f * i + j);
    let sum = (fourth * a + middle) * fourth + low;
    powers * std::f32::consts::LN_2 + (f + (sum * cube - square * 0.5))
}

/// The cost of a value: the negative of its logarithm. The value is a normal number above 0.
#[inline(always)]
pub(in super::super) fn cost_of<S: Simd, F: Lanes<S>>(value: F) -> F {
    // This bias keeps all sums positive.
    const BIAS: u32 = (127 << 23) - HALF_ROOT;
    const WHOLE: u32 = 0x4b00_0000;
    let bits = value.to_bits();
    let power = (bits + BIAS) >> 23;
    let mantissa = F::from_bits(bits - (power << 23) + (127 << 23));
    let power = F::from_bits(power | WHOLE) - (8_388_608.0 + 127.0);
    -ln_near_one(mantissa - 1.0, power)
}

/// The cost of 1 - value for a value of 0 to 1/2, exact also for small values.
#[inline(always)]
pub(in super::super) fn cost_of_rest<S: Simd, F: Lanes<S>>(value: F) -> F {
    let [a, b, c, d, e, f, g] = REST;
    let square = value * value;
    let high = square * a + (value * b + c);
    let low = (value * d + e) * square + (value * f + g);
    (high * (square * square) + low) * value
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch, f32x4, f32x16};

    use super::*;

    #[test]
    fn lane_values_agree_with_double_precision() {
        dispatch!(Level::new(), simd => checked::<_, f32x16<_>>(simd));
        dispatch!(Level::baseline(), simd => checked::<_, f32x4<_>>(simd));
    }

    #[inline(always)]
    fn checked<S: Simd, F: Lanes<S>>(simd: S) {
        let of = |function: &dyn Fn(F) -> F, value: f32| {
            let all = function(F::splat(simd, value));
            assert!(all.as_slice().iter().all(|lane| lane.to_bits() == all[0].to_bits()));
            all[0]
        };
        let mut cost = 1e-6_f32;
        while cost < 86.0 {
            let (found, exact) = (f64::from(of(&exp_of_negative, cost)), (-f64::from(cost)).exp());
            assert!((found / exact - 1.0).abs() < 1e-5, "e^-{cost}: {found} {exact}");
            let (value, exact) = ((-cost).exp(), -f64::from((-cost).exp()).ln());
            let found = f64::from(of(&cost_of, value));
            assert!((found - exact).abs() < 3e-7 * exact.max(1e-3), "-ln {value}: {found} {exact}");
            let half = 0.5 * value;
            let (found, exact) = (f64::from(of(&cost_of_rest, half)), -(-f64::from(half)).ln_1p());
            assert!((found / exact - 1.0).abs() < 2e-6, "-ln(1 - {half}): {found} {exact}");
            cost *= 1.013;
        }
        assert!((of(&exp_of_negative, 0.0) - 1.0).abs() < 2e-6);
        assert!(of(&exp_of_negative, 500.0) > 0.0);
        assert!(of(&cost_of_rest, f32::MIN_POSITIVE) > 0.0);
    }
}

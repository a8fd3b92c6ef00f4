//! Arithmetic on sixteen numbers side by side, in single precision.
//!
//! Nothing here depends on the processor: sums and products are rounded one by one, in a fixed order, so that a value is the
//! same to the last bit whatever vectors it is computed with, and in whichever lane. (Fused multiplication and addition would
//! be a little faster where processors have it, and take a hundred times as long where they don't.)

use fearless_simd::prelude::*;
use fearless_simd::{f32x16, i32x16, mask32x16};

/// States side by side, at most.
pub(super) const WIDTH: usize = 32;

/// Numbers that operations take at once.
pub(super) const PART: usize = 16;

/// A bit for each state.
pub(super) type Mask = u32;

/// A number for each state, in parts.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Vector([[f32; PART]; WIDTH / PART]);

/// e^r for r in -ln 2 / 2 to ln 2 / 2, the highest power first: to 2.6e-6 of itself, least squares weighted until the largest
/// error was least (Lawson 1961), as the next.
const EXPONENTIAL: [f32; 5] = [4.145_86e-2, 0.167_909_07, 0.500_043_6, 0.999_963_4, 0.999_999_3];

/// -ln(1 - x) / x for x in 0 to 1/2, the highest power first: to 1e-6 of itself.
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

/// The greatest cost of which e to its negative is a normal number, less a little.
const MOST: f32 = 87.0;

/// √½ as bits: a mantissa from here on belongs to the power of two above.
const HALF_ROOT: i32 = 0x3f35_04f3;

impl Vector {
    pub(super) fn splat(value: f32) -> Vector {
        Vector([[value; PART]; WIDTH / PART])
    }

    /// The number of the first state.
    #[inline(always)]
    pub(super) fn first(&self) -> f32 {
        self.0[0][0]
    }

    #[inline(always)]
    pub(super) fn part<S: Simd>(&self, simd: S, part: usize) -> f32x16<S> {
        f32x16::load_array_ref(simd, &self.0[part])
    }

    #[inline(always)]
    pub(super) fn set_part<S: Simd>(&mut self, part: usize, values: f32x16<S>) {
        values.store_array(&mut self.0[part]);
    }

    /// The number of every state.
    pub(super) fn numbers(&self) -> impl Iterator<Item = f32> {
        self.0.as_flattened().iter().copied()
    }
}

/// The states of a part in which something is, as lanes.
#[inline(always)]
pub(super) fn lanes_of<S: Simd>(simd: S, mask: Mask, part: usize) -> mask32x16<S> {
    mask32x16::from_bitmask(simd, u64::from(mask >> (PART * part)))
}

/// e to the negative of a cost of 0 or more.
#[inline(always)]
pub(super) fn exp_of_negative<S: Simd>(cost: f32x16<S>) -> f32x16<S> {
    // Adding this leaves no digit behind the point: what is added last is the whole number, in the low bits.
    const ROUND: f32 = 12_582_912.0;
    let cost = cost.min(MOST);
    let shifted = cost * -std::f32::consts::LOG2_E + ROUND;
    let r = (ROUND - shifted) * std::f32::consts::LN_2 - cost;
    // Pairs first: that waits for less than one power after the other.
    let [a, b, c, d, e] = EXPONENTIAL;
    let square = r * r;
    let value = (square * a + (r * b + c)) * square + (r * d + e);
    let scale = f32x16::from_bits((shifted.to_bits() + 127) << 23);
    value * scale
}

/// ln(1 + f) for f in √½ - 1 to √2 - 1, plus so many times ln 2.
#[inline(always)]
fn ln_near_one<S: Simd>(f: f32x16<S>, powers: f32x16<S>) -> f32x16<S> {
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
pub(super) fn cost_of<S: Simd>(value: f32x16<S>) -> f32x16<S> {
    let bits: i32x16<S> = value.bitcast();
    let power = (bits - HALF_ROOT) >> 23;
    let mantissa: f32x16<S> = (bits - (power << 23)).bitcast();
    -ln_near_one(mantissa - 1.0, power.to_float())
}

/// The cost of 1 less a value of 0 to 1/2, as exact for small ones.
#[inline(always)]
pub(super) fn cost_of_rest<S: Simd>(value: f32x16<S>) -> f32x16<S> {
    let [a, b, c, d, e, f, g] = REST;
    let square = value * value;
    let high = square * a + (value * b + c);
    let low = (value * d + e) * square + (value * f + g);
    (high * (square * square) + low) * value
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;

    #[test]
    fn they_are_what_double_precision_says() {
        dispatch!(Level::new(), simd => checked(simd));
        dispatch!(Level::baseline(), simd => checked(simd));
    }

    #[inline(always)]
    fn checked<S: Simd>(simd: S) {
        let of = |function: &dyn Fn(f32x16<S>) -> f32x16<S>, value: f32| {
            let all = function(f32x16::splat(simd, value)).to_array();
            assert!(all.iter().all(|lane| lane.to_bits() == all[0].to_bits()));
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

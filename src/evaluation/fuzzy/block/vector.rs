//! Arithmetic on thirty-two numbers side by side, or fewer, in single precision.
//!
//! Nothing here depends on the processor: sums and products are rounded one by one, in a fixed order, so that a value is the
//! same to the last bit whatever vectors it is computed with, and in whichever lane. (Fused multiplication and addition would
//! be a little faster where processors have it, and take a hundred times as long where they don't.) Loops over arrays become
//! vector instructions where the caller is compiled for them.

/// States side by side, at most.
pub(super) const WIDTH: usize = 32;

/// A bit for each state.
pub(super) type Mask = u32;

/// A number for each state.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Vector<const W: usize = WIDTH>(pub(super) [f32; W]);

/// ln 2 in two parts, of which the first has few digits, so that its multiples are exact (Cody and Waite 1980).
const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];

/// (e^r - 1 - r) / r² for r in -ln 2 / 2 to ln 2 / 2, the highest power first: `expf` of Cephes (Moshier 1992).
const EXPONENTIAL: [f32; 6] =
    [1.987_569_1e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];

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
const HALF_ROOT: u32 = 0x3f35_04f3;

impl<const W: usize> Vector<W> {
    #[inline(always)]
    pub(super) fn splat(value: f32) -> Vector<W> {
        Vector([value; W])
    }

    /// The first of these numbers.
    #[inline(always)]
    pub(super) fn first<const N: usize>(&self) -> Vector<N> {
        let mut first = [0.0; N];
        first.copy_from_slice(&self.0[..N]);
        Vector(first)
    }

    #[inline(always)]
    pub(super) fn map(mut self, function: impl Fn(f32) -> f32) -> Vector<W> {
        for value in &mut self.0 {
            *value = function(*value);
        }
        self
    }

    #[inline(always)]
    pub(super) fn zip(mut self, other: Vector<W>, function: impl Fn(f32, f32) -> f32) -> Vector<W> {
        for (value, other) in self.0.iter_mut().zip(other.0) {
            *value = function(*value, other);
        }
        self
    }

    /// The other's value in the lanes where the condition is negative.
    #[inline(always)]
    pub(super) fn or_where_negative(mut self, condition: Vector<W>, other: Vector<W>) -> Vector<W> {
        for ((value, other), condition) in self.0.iter_mut().zip(other.0).zip(condition.0) {
            *value = if condition < 0.0 { other } else { *value };
        }
        self
    }

    /// One value in the lanes of a mask, another one elsewhere.
    #[inline(always)]
    pub(super) fn choose(mask: Mask, there: f32, elsewhere: f32) -> Vector<W> {
        Vector::splat(there).masked(mask, Vector::splat(elsewhere))
    }

    /// Values of this in the lanes of a mask, of another one elsewhere.
    #[inline(always)]
    pub(super) fn masked(self, mask: Mask, other: Vector<W>) -> Vector<W> {
        // As bits: chosen by conditions, lanes are taken one by one.
        let mut lanes = [0_u32; W];
        for (lane, all) in lanes.iter_mut().enumerate() {
            *all = (mask >> lane & 1).wrapping_neg();
        }
        let mut chosen = other;
        for ((value, this), all) in chosen.0.iter_mut().zip(self.0).zip(lanes) {
            *value = f32::from_bits(this.to_bits() & all | value.to_bits() & !all);
        }
        chosen
    }

    /// Whether all bits are the same.
    #[inline(always)]
    pub(super) fn same(&self, other: &Vector<W>) -> bool {
        let mut different = 0;
        for (one, other) in self.0.iter().zip(&other.0) {
            different |= one.to_bits() ^ other.to_bits();
        }
        different == 0
    }

    /// Whether some lane is more than a value, and whether all are.
    #[inline(always)]
    pub(super) fn more_than(&self, bound: f32) -> (bool, bool) {
        let (mut some, mut all) = (0_u32, u32::MAX);
        for value in self.0 {
            let more = if value > bound { u32::MAX } else { 0 };
            some |= more;
            all &= more;
        }
        (some != 0, all != 0)
    }
}

/// e to the negative of a cost of 0 or more.
#[inline(always)]
pub(super) fn exp_of_negative<const W: usize>(cost: Vector<W>) -> Vector<W> {
    // Adding this leaves no digit behind the point: what is added last is the whole number, in the low bits.
    const ROUND: f32 = 12_582_912.0;
    cost.map(|cost| {
        let x = if cost < MOST { -cost } else { -MOST };
        let shifted = x * std::f32::consts::LOG2_E + ROUND;
        let power = shifted - ROUND;
        let r = (x - power * LN_2[0]) - power * LN_2[1];
        // Pairs first: that waits for less than one power after the other.
        let [a, b, c, d, e, f] = EXPONENTIAL;
        let square = r * r;
        let sum = ((a * r + b) * square + (c * r + d)) * square + (e * r + f);
        let value = sum * square + (r + 1.0);
        let scale = f32::from_bits((shifted.to_bits() as i32).wrapping_add(127).wrapping_shl(23) as u32);
        value * scale
    })
}

/// ln(1 + f) for f in √½ - 1 to √2 - 1, plus so many times ln 2.
#[inline(always)]
fn ln_near_one(f: f32, powers: f32) -> f32 {
    let [a, b, c, d, e, g, h, i, j] = LOGARITHM;
    let (square, cube) = (f * f, f * f * f);
    let fourth = square * square;
    let middle = (b * f + c) * square + (d * f + e);
    let low = (g * f + h) * square + (i * f + j);
    let sum = (a * fourth + middle) * fourth + low;
    let rest = powers * LN_2[1] - 0.5 * square;
    powers * LN_2[0] + (f + (sum * cube + rest))
}

/// The cost of a value: the negative of its logarithm. The value is a normal number above 0.
#[inline(always)]
pub(super) fn cost_of<const W: usize>(value: Vector<W>) -> Vector<W> {
    value.map(|value| {
        let bits = value.to_bits();
        let power = (bits.wrapping_sub(HALF_ROOT) as i32) >> 23;
        let mantissa = f32::from_bits(bits.wrapping_sub((power as u32).wrapping_shl(23)));
        -ln_near_one(mantissa - 1.0, power as f32)
    })
}

/// The cost of 1 less a value of 0 to 1/2, as exact for small ones.
#[inline(always)]
pub(super) fn cost_of_rest<const W: usize>(value: Vector<W>) -> Vector<W> {
    value.map(|value| {
        let far = value > 1.0 - std::f32::consts::FRAC_1_SQRT_2;
        let (f, powers) = if far { (1.0 - 2.0 * value, -1.0) } else { (-value, 0.0) };
        -ln_near_one(f, powers)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(function: impl Fn(Vector) -> Vector, value: f32) -> f32 {
        let all = function(Vector::splat(value));
        assert!(all.same(&Vector::splat(all.0[0])));
        all.0[0]
    }

    #[test]
    fn they_are_what_double_precision_says() {
        let mut cost = 1e-6_f32;
        while cost < 86.0 {
            let (found, exact) = (f64::from(of(exp_of_negative, cost)), (-f64::from(cost)).exp());
            assert!((found / exact - 1.0).abs() < 3e-7, "e^-{cost}: {found} {exact}");
            let (value, exact) = ((-cost).exp(), -f64::from((-cost).exp()).ln());
            let found = f64::from(of(cost_of, value));
            assert!((found - exact).abs() < 3e-7 * exact.max(1e-3), "-ln {value}: {found} {exact}");
            let rest = 0.5 * value;
            let (found, exact) = (f64::from(of(cost_of_rest, rest)), -(-f64::from(rest)).ln_1p());
            assert!((found / exact - 1.0).abs() < 4e-7, "-ln(1 - {rest}): {found} {exact}");
            cost *= 1.013;
        }
        assert_eq!(of(exp_of_negative, 0.0), 1.0);
        assert!(of(exp_of_negative, 500.0) > 0.0);
        assert!(of(cost_of_rest, f32::MIN_POSITIVE) > 0.0);
    }
}

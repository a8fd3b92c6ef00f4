//! Random numbers: wyrand (Wang Yi, 2019), and exact draws from it.

/// A stream of random numbers. Consecutive draws depend on each other by one addition only, so the processor overlaps them.
/// The generator passes BigCrush and PractRand.
pub(super) struct Random(u64);

impl Random {
    /// The stream number `stream` of a seed.
    pub(super) fn new(seed: u64, stream: u64) -> Random {
        // Streams are windows on one sequence of 2^64 numbers; the finaliser of SplitMix64 sets their starts far apart.
        let mut z = seed ^ stream.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Random(z ^ (z >> 31))
    }

    /// 64 random bits.
    #[inline(always)]
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x2d35_8dcc_aa6c_78a5);
        let product = u128::from(self.0) * u128::from(self.0 ^ 0x8bb8_4b93_962e_acc9);
        product as u64 ^ (product >> 64) as u64
    }

    /// A uniform number below `n`: Lemire's multiplication with rejection (2019), on 32 bits.
    #[inline(always)]
    pub(super) fn below(&mut self, n: u32) -> u32 {
        loop {
            let product = (self.next() >> 32) * u64::from(n);
            let low = product as u32;
            // The division is needed about once in a hundred million draws.
            if low >= n || low >= n.wrapping_neg() % n {
                return (product >> 32) as u32;
            }
        }
    }

    /// Several exact draws from one random number, see [`Digits`]. `PRODUCT` is the product of the bounds of all draws.
    #[inline(always)]
    pub(super) fn digits<const PRODUCT: u64>(&mut self) -> Digits {
        let rejected = const { PRODUCT.wrapping_neg() % PRODUCT };
        loop {
            let fraction = self.next();
            if fraction.wrapping_mul(PRODUCT) >= rejected {
                return Digits(fraction);
            }
        }
    }
}

/// Uniform draws below several bounds from one random fraction; each draw is the integer part of a product. The draws are
/// exact because `PRODUCT`, the product of the bounds, is known in advance (Brackett-Rozinsky and Lemire, "Batched ranged
/// random integer generation", 2024).
pub(super) struct Digits(u64);

impl Digits {
    /// A uniform number below `n`.
    #[inline(always)]
    pub(super) fn below(&mut self, n: u64) -> u64 {
        let product = u128::from(self.0) * u128::from(n);
        self.0 = product as u64;
        (product >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chi-square statistic of counts that should be equal.
    fn chi_square(counts: &[u32]) -> f64 {
        let mean = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
        counts.iter().map(|&count| (f64::from(count) - mean).powi(2) / mean).sum()
    }

    #[test]
    fn draws_are_uniform() {
        let mut random = Random::new(7, 0);
        for n in [1, 2, 3, 7, 22, 48] {
            let mut counts = vec![0; n as usize];
            (0..100_000).for_each(|_| counts[random.below(n) as usize] += 1);
            // Six standard deviations above the mean of the distribution.
            let freedom = f64::from(n - 1);
            assert!(chi_square(&counts) <= freedom + 6.0 * (2.0 * freedom).sqrt(), "{n}: {counts:?}");
        }
    }

    #[test]
    fn digits_are_uniform_together() {
        let mut random = Random::new(8, 0);
        let mut counts = vec![0; 9 * 8 * 7];
        for _ in 0..200_000 {
            let mut digits = random.digits::<504>();
            let index = (digits.below(9) * 8 + digits.below(8)) * 7 + digits.below(7);
            counts[index as usize] += 1;
        }
        assert!(chi_square(&counts) < 503.0 + 6.0 * 1006_f64.sqrt(), "{counts:?}");
    }
}

//! Random choices: an independent stream for every playout, and unbiased uniform draws.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The random choices of one playout.
///
/// They depend only on the seed and the playout's number: ChaCha8, seeded with the seed, with the playout's number as its stream.
#[derive(Clone, Debug)]
pub struct Choices {
    generator: ChaCha8Rng,
}

impl Choices {
    /// The random choices of this playout.
    pub fn new(seed: u64, playout: u64) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(playout);
        Choices { generator }
    }

    /// A uniform number below `count`; 0 if `count` is 0. If `count` is 0 or 1, the generator does not advance.
    ///
    /// Lemire's method ("Fast Random Integer Generation in an Interval", 2019). It is implemented here because the method of
    /// the `rand` crate may change with its version, and playouts must not.
    pub fn below(&mut self, count: usize) -> usize {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        if count <= 1 {
            return 0;
        }
        let mut product = u64::from(self.generator.next_u32()) * u64::from(count);
        if (product as u32) < count {
            let rejected = count.wrapping_neg() % count;
            while (product as u32) < rejected {
                product = u64::from(self.generator.next_u32()) * u64::from(count);
            }
        }
        (product >> 32) as usize
    }

    /// Shuffles uniformly (Fisher and Yates).
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for place in (1..things.len()).rev() {
            things.swap(place, self.below(place + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{ChiSquared, ContinuousCDF};

    use super::*;

    #[test]
    fn draws_are_uniform() {
        for count in [2_usize, 3, 7, 10, 36] {
            let mut seen = vec![0_u32; count];
            let draws = 20_000 * count;
            let mut choices = Choices::new(7, 3);
            (0..draws).for_each(|_| seen[choices.below(count)] += 1);
            let expected = draws as f64 / count as f64;
            let statistic: f64 = seen.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
            let limit = ChiSquared::new((count - 1) as f64).unwrap().inverse_cdf(0.999);
            assert!(statistic < limit, "{count}: {statistic} is above {limit}");
        }
    }

    #[test]
    fn first_draws_of_successive_playouts_are_uniform() {
        let mut seen = [0_u32; 5];
        (0..100_000).for_each(|playout| seen[Choices::new(1, playout).below(5)] += 1);
        let statistic: f64 = seen.iter().map(|&n| (f64::from(n) - 20_000.0).powi(2) / 20_000.0).sum();
        assert!(statistic < ChiSquared::new(4.0).unwrap().inverse_cdf(0.999), "{statistic}");
    }

    #[test]
    fn a_forced_choice_draws_nothing() {
        let (mut one, mut two) = (Choices::new(5, 9), Choices::new(5, 9));
        assert_eq!((one.below(1), one.below(0)), (0, 0));
        let draws = |choices: &mut Choices| (0..50).map(|_| choices.below(1000)).collect::<Vec<_>>();
        assert_eq!(draws(&mut one), draws(&mut two));
    }

    #[test]
    fn playouts_and_seeds_differ() {
        let draws = |seed, playout| {
            let mut choices = Choices::new(seed, playout);
            (0..8).map(|_| choices.below(1000)).collect::<Vec<_>>()
        };
        assert_ne!(draws(1, 0), draws(1, 1));
        assert_ne!(draws(1, 0), draws(2, 0));
    }

    /// A change here changes every result that was published with a seed.
    #[test]
    fn the_stream_is_stable() {
        let mut choices = Choices::new(1, 0);
        let draws: Vec<usize> = (0..8).map(|_| choices.below(100)).collect();
        assert_eq!(draws, [54, 40, 98, 8, 21, 59, 38, 21]);
    }
}

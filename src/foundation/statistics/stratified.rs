//! Correlation within strata. Pairs are compared only with pairs of the same stratum, so differences between strata, such as
//! the number of moves played, neither create nor hide a correlation.
//!
//! # How
//! The coefficient is Pearson's, of deviations from the stratum means. The interval does not assume normal numbers. Its
//! variance is the asymptotically distribution-free one, from the fourth moments, corrected for the degrees of freedom
//! that the stratum means use up. Then follow Fisher's transform, Student's quantile and `PSEUDO` pseudo-observations.
//! The degrees of freedom are the effective number of pairs minus one. The effective number is (sum of d²)² / (sum of
//! d⁴) over the deviations d, computed for each of the two numbers; the smaller result is used. A number that differs
//! from its mean in 3 of 10,000 pairs has 3 effective pairs.
//!
//! The pseudo-observations are at the deviations that contribute most to the variance, equally many on each side of
//! each mean. They keep the interval wide if the few pairs that matter agree by chance: 3 of 3 give -0.94 to 1, 20 of
//! 20 give 0.41 to 1.
//!
//! # Source
//! Pooled within-class correlation: Cochran, "Analysis of covariance", Biometrics 13, 1957. Variance: Steiger and Hakstian,
//! "The asymptotic distribution of elements of a correlation matrix", British Journal of Mathematical and Statistical
//! Psychology 35, 1982. Effective number: Kish, *Survey Sampling*, 1965, with the weights d². Pseudo-observations: Agresti
//! and Caffo, "Simple and effective confidence intervals for proportions and differences of proportions result from adding
//! two successes and two failures", American Statistician 54, 2000; here for correlations.

use super::moments::CoMoments;
use super::quantile::{student, student_tail};

/// Weight of the pseudo-observations, in pairs.
const PSEUDO: f64 = 2.0;

/// Fewest effective pairs for an interval.
const FEWEST: f64 = 2.0;

/// Sums of products for each stratum.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stratified {
    /// Stratum numbers, ascending, with the sums of their pairs.
    strata: Vec<(u32, CoMoments)>,
}

/// A correlation pooled over strata.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pooled {
    /// Pearson's coefficient, -1 to 1.
    pub value: f64,
    /// Lower end of its interval at 95 %; -1 for fewer than two effective pairs.
    pub low: f64,
    /// Upper end; 1 for fewer than two effective pairs.
    pub high: f64,
    /// The two-sided p-value for the hypothesis of no correlation; none for fewer than two effective pairs.
    pub p: Option<f64>,
    /// The effective number of pairs.
    pub effective: f64,
}

/// Why the correlation within strata is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flat {
    /// No stratum has two pairs.
    Pairs,
    /// The first number is the same within every stratum.
    First,
    /// The second number is the same within every stratum.
    Second,
}

impl Stratified {
    /// Computes the sums of pairs, each given as (stratum, pair).
    pub fn of(pairs: &[(u32, (f64, f64))]) -> Stratified {
        let mut pairs = pairs.to_vec();
        pairs.sort_by_key(|&(stratum, _)| stratum);
        Stratified::of_sorted(pairs.iter().copied(), &mut Vec::new())
    }

    /// Like [`Stratified::of`], for pairs sorted by stratum. `buffer` is a reusable buffer.
    pub fn of_sorted(
        pairs: impl Iterator<Item = (u32, (f64, f64))>,
        buffer: &mut Vec<(f64, f64)>,
    ) -> Stratified {
        let mut strata: Vec<(u32, CoMoments)> = Vec::new();
        buffer.clear();
        let mut current = None;
        for (stratum, pair) in pairs {
            if let Some(before) = current.replace(stratum).filter(|&before| before != stratum) {
                strata.push((before, CoMoments::of(buffer)));
                buffer.clear();
            }
            buffer.push(pair);
        }
        strata.extend(current.map(|stratum| (stratum, CoMoments::of(buffer))));
        strata.shrink_to_fit();
        Stratified { strata }
    }

    /// Adds the pairs of `other`.
    pub fn merge(&mut self, other: &Stratified) {
        let mut index = 0;
        for &(stratum, pairs) in &other.strata {
            index += self.strata[index..].partition_point(|&(known, _)| known < stratum);
            match self.strata.get_mut(index) {
                Some((known, sum)) if *known == stratum => sum.merge(&pairs),
                _ => self.strata.insert(index, (stratum, pairs)),
            }
        }
    }

    /// The number of pairs.
    pub fn count(&self) -> u64 {
        self.strata.iter().map(|(_, pairs)| pairs.count).sum::<f64>() as u64
    }

    /// The correlation within strata.
    ///
    /// # Errors
    /// [`Flat`]: a number is constant within every stratum, or no stratum has two pairs.
    pub fn correlation(&self) -> Result<Pooled, Flat> {
        let (mut pooled, mut strata) = (CoMoments::default(), 0.0);
        for (_, pairs) in self.strata.iter().filter(|(_, pairs)| pairs.count > 1.0) {
            pooled.pool(pairs);
            strata += 1.0;
        }
        let (xx, yy) = (pooled.sum(2, 0), pooled.sum(0, 2));
        if strata == 0.0 {
            return Err(Flat::Pairs);
        }
        if xx <= 0.0 {
            return Err(Flat::First);
        }
        if yy <= 0.0 {
            return Err(Flat::Second);
        }
        Ok(estimate(&pooled, (pooled.count - strata) / pooled.count))
    }
}

/// The correlation of pairs; `free_share` is the share of degrees of freedom that the stratum means leave.
fn estimate(pairs: &CoMoments, free_share: f64) -> Pooled {
    let sum = |i, j| pairs.sum(i, j);
    let (xx, yy) = (sum(2, 0), sum(0, 2));
    let value = (sum(1, 1) / (xx.sqrt() * yy.sqrt())).clamp(-1.0, 1.0);
    // The squared deviations per pair that contribute most to the variance.
    let (x_spread, y_spread) = (sum(4, 0) / xx, sum(0, 4) / yy);
    let effective = (xx / x_spread).min(yy / y_spread) * free_share;
    let whole_pairs = effective as u64;
    if effective < FEWEST || !effective.is_finite() {
        return Pooled { value, low: -1.0, high: 1.0, p: None, effective };
    }
    let (x, y) = ((xx + PSEUDO * x_spread).sqrt(), (yy + PSEUDO * y_spread).sqrt());
    let shrunk = (sum(1, 1) / (x * y)).clamp(-1.0, 1.0);
    let fourth = sum(4, 0) + PSEUDO * x_spread * x_spread;
    let other = sum(0, 4) + PSEUDO * y_spread * y_spread;
    let both = (sum(2, 2) + PSEUDO * x_spread * y_spread) / (x * x * y * y);
    let squares = fourth / x.powi(4) + other / y.powi(4) + 2.0 * both;
    let skew = sum(3, 1) / (x.powi(3) * y) + sum(1, 3) / (x * y.powi(3));
    let variance = (both + shrunk * shrunk / 4.0 * squares - shrunk * skew).max(0.0) / free_share;
    let error = variance.sqrt() / (1.0 - shrunk * shrunk);
    let z = shrunk.atanh();
    let half = student(whole_pairs - 1) * error;
    let p = if error > 0.0 { 2.0 * student_tail(z.abs() / error, whole_pairs - 1) } else { 1.0 };
    Pooled {
        value,
        low: (z - half).tanh().min(value),
        high: (z + half).tanh().max(value),
        p: Some(p.min(1.0)),
        effective,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_between_strata_do_not_correlate() {
        // Within each stratum the correlation is negative, over all pairs it is positive.
        let pairs =
            [(0, (1.0, 2.0)), (0, (2.0, 1.0)), (7, (11.0, 12.0)), (7, (12.0, 11.0)), (9, (50.0, 50.0))];
        let plain = Stratified::of(&pairs.map(|(_, pair)| (0, pair))).correlation().unwrap();
        assert!(plain.value > 0.9, "{plain:?}");
        let found = Stratified::of(&pairs);
        assert_eq!(found.count(), 5);
        // Four pairs in two strata have two degrees of freedom.
        let correlation = found.correlation().unwrap();
        assert_eq!((correlation.value, correlation.effective), (-1.0, 2.0));
        let mut merged = Stratified::of(&pairs[..1]);
        merged.merge(&Stratified::of(&pairs[1..]));
        assert!((merged.correlation().unwrap().value + 1.0).abs() < 1e-12);
    }

    #[test]
    fn undefined_correlations_have_a_reason() {
        let pairs = [(1.0, 1.0), (2.0, 3.0), (3.0, 2.0), (4.0, 5.0), (5.0, 4.0)];
        let found = Stratified::of(&pairs.map(|pair| (3, pair))).correlation().unwrap();
        assert!((found.value - 0.8).abs() < 1e-12);
        let of = |pairs: [(u32, (f64, f64)); 2]| Stratified::of(&pairs).correlation();
        assert_eq!(of([(0, (1.0, 1.0)), (0, (1.0, 2.0))]), Err(Flat::First));
        assert_eq!(of([(0, (1.0, 2.0)), (0, (3.0, 2.0))]), Err(Flat::Second));
        assert_eq!(of([(0, (1.0, 2.0)), (1, (3.0, 4.0))]), Err(Flat::Pairs));
        assert_eq!(Stratified::default().correlation(), Err(Flat::Pairs));
    }

    /// The correlation of two flags: how many pairs have both, only the first, only the second, or neither.
    fn flags(both: usize, first: usize, second: usize, neither: usize) -> Pooled {
        let pairs = [((1.0, 1.0), both), ((1.0, 0.0), first), ((0.0, 1.0), second), ((0.0, 0.0), neither)];
        let all = pairs.iter().flat_map(|&(pair, count)| std::iter::repeat_n((0, pair), count));
        Stratified::of(&all.collect::<Vec<_>>()).correlation().unwrap()
    }

    #[test]
    fn few_effective_pairs_give_a_wide_interval() {
        let one = flags(1, 3, 0, 9996);
        assert!((one.value - 0.5).abs() < 1e-3 && (one.low, one.high, one.p) == (-1.0, 1.0, None), "{one:?}");
        for count in [2, 3, 5] {
            let found = flags(count, 0, 0, 10_000 - count);
            assert!(found.value > 0.999 && found.low < 0.0, "{count}: {found:?}");
            assert!((found.effective - count as f64).abs() < 0.01 && found.p > Some(0.05), "{found:?}");
        }
        let twenty = flags(20, 0, 0, 9980);
        assert!(twenty.low > 0.3 && twenty.p < Some(0.01), "{twenty:?}");
        assert!(flags(20, 60, 0, 9920).low > 0.2);
    }

    #[test]
    fn normal_pairs_have_fishers_interval() {
        // The sum of twelve uniform numbers is nearly normal. The generator gives the same numbers on all machines.
        let mut state = 1_u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut normal = || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
        let pairs: Vec<(u32, (f64, f64))> = (0..40_000)
            .map(|number| {
                let x = normal();
                // Each stratum has its own means.
                let shift = f64::from(number % 4);
                (number % 4, (x + shift, 0.5 * x + 0.75_f64.sqrt() * normal() - shift))
            })
            .collect();
        let found = Stratified::of(&pairs).correlation().unwrap();
        let half = 1.959_964 / (40_000.0_f64 - 7.0).sqrt();
        let wanted = [found.value.atanh() - half, found.value.atanh() + half].map(f64::tanh);
        assert!((found.value - 0.5).abs() < 0.02, "{found:?}");
        assert!((found.low - wanted[0]).abs() < 1e-3 && (found.high - wanted[1]).abs() < 1e-3, "{found:?}");
    }
}

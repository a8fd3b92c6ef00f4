//! Shares and means with 95 % intervals.
//!
//! # Source
//! Shares: Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
//! Statistical Association 22, 1927. Means: Student 1908.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{moments, quantile};

/// A share of playouts with its 95 % Wilson interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// The number of playouts that count.
    pub count: u64,
    /// Their share, 0 to 1; 0 if there are no playouts.
    pub share: f64,
    /// Lower end of the interval, 0 to 1.
    pub low: f64,
    /// Upper end of the interval, 0 to 1.
    pub high: f64,
}

/// A number with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Lower end of the interval; null if there are too few values for an interval.
    pub low: Option<f64>,
    /// Upper end of the interval; null if there are too few values for an interval.
    pub high: Option<f64>,
}

/// A mean with its 95 % interval by Student's t.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Lower end of the interval; null for fewer than two values.
    pub low: Option<f64>,
    /// Upper end of the interval; null for fewer than two values.
    pub high: Option<f64>,
}

/// The share of `count` in `total` with its Wilson interval (Wilson 1927). The interval is 0 to 1 if `total` is 0.
pub fn wilson(count: u64, total: u64) -> Share {
    if total == 0 {
        return Share { count, share: 0.0, low: 0.0, high: 1.0 };
    }
    let share = count as f64 / total as f64;
    let [low, high] = wilson_of(share, total);
    Share { count, share, low, high }
}

/// The Wilson interval of a share (0 to 1) of `total`; 0 to 1 if `total` is 0. It also holds for a mean of values between 0
/// and 1, such as scores with draws as 0.5. Of all distributions with that mean, the one with only the values 0 and 1 has
/// the widest interval.
pub fn wilson_of(share: f64, total: u64) -> [f64; 2] {
    if total == 0 {
        return [0.0, 1.0];
    }
    let z = quantile::normal();
    let n = total as f64;
    let scale = 1.0 + z * z / n;
    let centre = (share + z * z / (2.0 * n)) / scale;
    let half = z / scale * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    // The ends are exact if nothing or everything was counted; rounding must not move them.
    let low = if share == 0.0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if share == 1.0 { 1.0 } else { (centre + half).min(1.0) };
    [low, high]
}

/// The mean of values given with their counts; none if there are no values. The sums are of integers, so the result does not
/// depend on the order of the values.
pub fn mean_of_counts(counts: &BTreeMap<i32, u64>) -> Option<Mean> {
    let total: u64 = counts.values().sum();
    if total == 0 {
        return None;
    }
    let weigh = |power: u32| -> i128 {
        counts.iter().map(|(&value, &count)| i128::from(value).pow(power) * i128::from(count)).sum()
    };
    let (n, sum, squares) = (total as f64, weigh(1), weigh(2));
    let mean = sum as f64 / n;
    if total == 1 {
        return Some(Mean { mean, low: None, high: None });
    }
    let spread = i128::from(total) * squares - sum * sum;
    let deviation = (spread as f64 / n / (n - 1.0)).sqrt();
    let half = quantile::student(total - 1) * deviation / n.sqrt();
    Some(Mean { mean, low: Some(mean - half), high: Some(mean + half) })
}

/// The difference of the means of two samples given with their counts: first minus second. The interval has this
/// `confidence` (0 to 1), by Student's quantile for the smaller sample. None if a sample has fewer than two values.
pub fn difference(
    first: &BTreeMap<i32, u64>,
    second: &BTreeMap<i32, u64>,
    confidence: f64,
) -> Option<Estimate> {
    let of = |counts: &BTreeMap<i32, u64>| {
        let total: u64 = counts.values().sum();
        let mean = mean_of_counts(counts)?.mean;
        let squares: f64 =
            counts.iter().map(|(&value, &count)| (f64::from(value) - mean).powi(2) * count as f64).sum();
        (total > 1).then(|| (total, mean, squares / (total - 1) as f64 / total as f64))
    };
    let ((few, a, spread), (other, b, second)) = (of(first)?, of(second)?);
    let half = quantile::student_at(few.min(other) - 1, confidence) * (spread + second).sqrt();
    Some(Estimate { value: a - b, low: Some(a - b - half), high: Some(a - b + half) })
}

/// Whether the mean of the first sample is significantly below that of the second. Both tests must agree: [`difference`],
/// and the Wilson intervals of both means as shares of their common range. Student's interval alone is too narrow if a
/// sample has few values that are all equal.
pub fn is_below(first: &BTreeMap<i32, u64>, second: &BTreeMap<i32, u64>, confidence: f64) -> bool {
    let values = || first.keys().chain(second.keys()).copied().map(f64::from);
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let interval = |counts: &BTreeMap<i32, u64>| {
        let mean = mean_of_counts(counts)?.mean;
        Some(wilson_of((mean - least) / (most - least), counts.values().sum()))
    };
    let below = difference(first, second, confidence).is_some_and(|found| found.high < Some(0.0));
    below && interval(first).zip(interval(second)).is_some_and(|(first, second)| first[1] < second[0])
}

/// The mean of values with its 95 % interval by Student's t; none if there are no values.
pub fn student(values: &[f64]) -> Option<Estimate> {
    if values.is_empty() {
        return None;
    }
    let (n, value) = (values.len() as f64, moments::mean(values.iter().copied()));
    let half = (values.len() > 1).then(|| {
        let variance = values.iter().map(|other| (other - value).powi(2)).sum::<f64>() / (n - 1.0);
        quantile::student(values.len() as u64 - 1) * (variance / n).sqrt()
    });
    Some(Estimate { value, low: half.map(|half| value - half), high: half.map(|half| value + half) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-3
    }

    #[test]
    fn significantly_lower_outcomes_are_detected() {
        let counts = |list: &[(i32, u64)]| -> BTreeMap<i32, u64> { list.iter().copied().collect() };
        let random = counts(&[(0, 500), (100, 500)]);
        assert!(is_below(&counts(&[(0, 49), (100, 1)]), &random, 0.99));
        assert!(!is_below(&counts(&[(0, 26), (100, 24)]), &random, 0.99));
        assert!(!is_below(&random, &random, 0.99));
        // 0 of 20 does not contradict 1 in 20.
        let rare = counts(&[(0, 950), (100, 50)]);
        assert!(difference(&counts(&[(0, 20)]), &rare, 0.99).unwrap().high < Some(0.0));
        assert!(!is_below(&counts(&[(0, 20)]), &rare, 0.99));
        assert!(is_below(&counts(&[(0, 200)]), &rare, 0.99));
        assert!(!is_below(&counts(&[]), &rare, 0.99));
        assert!(!is_below(&counts(&[(50, 100)]), &counts(&[(50, 100)]), 0.99));
    }

    #[test]
    fn wilson_intervals_agree_with_tables() {
        // Values of the closed formula, as in Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (count, total, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let share = wilson(count, total);
            assert!(near(share.low, low) && near(share.high, high), "{share:?}");
        }
        assert_eq!(wilson(20, 20).high, 1.0);
        assert_eq!((wilson(0, 0).low, wilson(0, 0).high), (0.0, 1.0));
    }

    #[test]
    fn intervals_of_means_are_correct() {
        assert_eq!(mean_of_counts(&BTreeMap::new()), None);
        assert_eq!(
            mean_of_counts(&BTreeMap::from([(70, 1)])),
            Some(Mean { mean: 70.0, low: None, high: None })
        );
        // 0, 0, 100, 100: standard deviation 57.735, quantile for three degrees of freedom 3.182.
        let mean = mean_of_counts(&BTreeMap::from([(0, 2), (100, 2)])).unwrap();
        assert!(near(mean.mean, 50.0) && (mean.high.unwrap() - 50.0 - 3.18245 * 57.735 / 2.0).abs() < 0.01);
        let same = mean_of_counts(&BTreeMap::from([(50, 9)])).unwrap();
        assert_eq!((same.low, same.high), (Some(50.0), Some(50.0)));
    }

    #[test]
    fn intervals_of_mean_differences_are_correct() {
        // 0, 0, 100, 100 minus 0, 0, 0, 100: variances of the means 833.33 and 625; quantile for three degrees of freedom
        // 3.182.
        let half = BTreeMap::from([(0, 2), (100, 2)]);
        let quarter = BTreeMap::from([(0, 3), (100, 1)]);
        let found = difference(&half, &quarter, 0.95).unwrap();
        assert!(near(found.value, 25.0));
        assert!((found.high.unwrap() - 25.0 - 3.18245 * 1458.3333_f64.sqrt()).abs() < 0.01, "{found:?}");
        let wider = difference(&half, &quarter, 0.99).unwrap();
        assert!(wider.high > found.high && wider.low < found.low);
        assert_eq!(difference(&half, &BTreeMap::from([(0, 1)]), 0.95), None);
        let certain = difference(&BTreeMap::from([(100, 20)]), &BTreeMap::from([(0, 20)]), 0.99).unwrap();
        assert_eq!((certain.low, certain.high), (Some(100.0), Some(100.0)));
    }

    #[test]
    fn intervals_of_large_samples_are_correct() {
        // Ten million times 0 and ten million times 100: standard deviation 50, quantile 1.96.
        let mean = mean_of_counts(&BTreeMap::from([(0, 10_000_000), (100, 10_000_000)])).unwrap();
        assert!((mean.high.unwrap() - 50.0 - 1.959964 * 50.0 / 2e7_f64.sqrt()).abs() < 1e-7, "{mean:?}");
    }

    #[test]
    fn weighted_values_have_the_same_interval() {
        let found = student(&[0.0, 0.0, 100.0, 100.0]).unwrap();
        assert!(near(found.value, 50.0) && (found.low.unwrap() - 50.0 + 3.18245 * 57.735 / 2.0).abs() < 0.01);
        assert_eq!(student(&[]), None);
        assert_eq!(student(&[3.0]), Some(Estimate { value: 3.0, low: None, high: None }));
    }
}

//! Correlation of two numbers: Pearson's, Spearman's and Kendall's coefficients with 95 % intervals.
//!
//! # Source
//! Fisher's z for Pearson's r; for the ranks Bonett and Wright, "Sample size requirements for estimating Pearson,
//! Kendall and Spearman correlations", Psychometrika 65, 2000: the variance of z is 1/(n-3), (1 + r²/2)/(n-3) and
//! 0.437/(n-4). Tau-b is counted by Knight's method (1966) in n log n.

use super::interval::Estimate;
use super::moments::central_if_varying;
use super::quantile;

/// The coefficient with the interval by Fisher's transform. `spread` is the variance of the transform; without it there is
/// no interval.
fn with_interval(value: f64, spread: Option<f64>) -> Estimate {
    let value = value.clamp(-1.0, 1.0);
    let ends = spread.map(|spread| {
        let half = quantile::normal() * spread.sqrt();
        [(value.atanh() - half).tanh(), (value.atanh() + half).tanh()]
    });
    Estimate { value, low: ends.map(|ends| ends[0]), high: ends.map(|ends| ends[1]) }
}

fn coefficient(pairs: &[(f64, f64)]) -> Option<f64> {
    let (xx, yy, xy) = central_if_varying(pairs)?;
    Some(xy / (xx.sqrt() * yy.sqrt())).filter(|value| value.is_finite())
}

/// Pearson's correlation; none if one of the two numbers is constant.
pub fn pearson(pairs: &[(f64, f64)]) -> Option<Estimate> {
    let spread = (pairs.len() > 3).then(|| 1.0 / (pairs.len() - 3) as f64);
    coefficient(pairs).map(|value| with_interval(value, spread))
}

/// Ranks of values, from 1; equal values get the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let (mut ranks, mut less) = (vec![0.0; values.len()], 0);
    for tied in order.chunk_by(|&a, &b| values[a] == values[b]) {
        tied.iter().for_each(|&index| ranks[index] = less as f64 + (tied.len() + 1) as f64 / 2.0);
        less += tied.len();
    }
    ranks
}

/// Spearman's correlation: Pearson's correlation of the ranks.
pub fn spearman(pairs: &[(f64, f64)]) -> Option<Estimate> {
    let of = |part: fn(&(f64, f64)) -> f64| ranks(&pairs.iter().map(part).collect::<Vec<_>>());
    let ranked: Vec<(f64, f64)> = of(|pair| pair.0).into_iter().zip(of(|pair| pair.1)).collect();
    let value = coefficient(&ranked)?;
    let spread = (pairs.len() > 3).then(|| (1.0 + value * value / 2.0) / (pairs.len() - 3) as f64);
    Some(with_interval(value, spread))
}

/// Kendall's tau-b, which corrects for ties: (concordant - discordant) / sqrt((pairs - ties of x) (pairs - ties of y)). None
/// if one of the two numbers is constant.
pub fn tau_b(pairs: &[(f64, f64)]) -> Option<f64> {
    let two = |count: usize| (count * count.saturating_sub(1) / 2) as i64;
    let mut sorted = pairs.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let ties = |sorted: &[(f64, f64)], same: fn(&(f64, f64), &(f64, f64)) -> bool| -> i64 {
        sorted.chunk_by(same).map(|tied| two(tied.len())).sum()
    };
    let (all, of_x) = (two(pairs.len()), ties(&sorted, |a, b| a.0 == b.0));
    let of_both = ties(&sorted, |a, b| a == b);
    let mut second: Vec<f64> = sorted.iter().map(|pair| pair.1).collect();
    let discordant = inversions(&mut second);
    let of_y: i64 = second.chunk_by(|a, b| a == b).map(|tied| two(tied.len())).sum();
    if all == of_x || all == of_y {
        return None;
    }
    let difference = all - of_x - of_y + of_both - 2 * discordant;
    Some(difference as f64 / ((all - of_x) as f64).sqrt() / ((all - of_y) as f64).sqrt())
}

/// Kendall's tau-b with its 95 % interval.
pub fn kendall(pairs: &[(f64, f64)]) -> Option<Estimate> {
    let spread = (pairs.len() > 4).then(|| 0.437 / (pairs.len() - 4) as f64);
    tau_b(pairs).map(|value| with_interval(value, spread))
}

/// Sorts the values by merging, and returns the number of inversions.
fn inversions(values: &mut [f64]) -> i64 {
    if values.len() < 2 {
        return 0;
    }
    let middle = values.len() / 2;
    let mut count = inversions(&mut values[..middle]) + inversions(&mut values[middle..]);
    let merged: Vec<f64> = {
        let (mut left, mut right) = (values[..middle].iter().peekable(), values[middle..].iter().peekable());
        let mut merged = Vec::with_capacity(values.len());
        while let (Some(&&a), Some(&&b)) = (left.peek(), right.peek()) {
            if b < a {
                count += left.len() as i64;
                merged.extend(right.next());
            } else {
                merged.extend(left.next());
            }
        }
        merged.extend(left.chain(right));
        merged
    };
    values.copy_from_slice(&merged);
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(found: f64, wanted: f64) -> bool {
        (found - wanted).abs() < 1e-4
    }

    /// Tau-b by its definition: compares every two pairs.
    fn tau_by_definition(pairs: &[(f64, f64)]) -> Option<f64> {
        let (mut sum, mut x, mut y) = (0.0, 0.0, 0.0);
        let sign = |a: f64, b: f64| if a == b { 0.0 } else { (a - b).signum() };
        for (index, a) in pairs.iter().enumerate() {
            for b in &pairs[..index] {
                let (dx, dy) = (sign(a.0, b.0), sign(a.1, b.1));
                sum += dx * dy;
                x += dx * dx;
                y += dy * dy;
            }
        }
        (x > 0.0 && y > 0.0).then(|| sum / f64::sqrt(x * y))
    }

    proptest! {
        #[test]
        fn tau_b_agrees_with_its_definition(pairs in prop::collection::vec((0..6_i32, 0..6_i32), 0..40)) {
            let pairs: Vec<(f64, f64)> = pairs.into_iter().map(|(a, b)| (f64::from(a), f64::from(b))).collect();
            match (tau_b(&pairs), tau_by_definition(&pairs)) {
                (Some(found), Some(wanted)) => prop_assert!((found - wanted).abs() < 1e-12),
                (found, wanted) => prop_assert_eq!(found, wanted),
            }
        }

        #[test]
        fn rank_correlations_ignore_monotonic_changes(pairs in prop::collection::vec((-9..9_i32, -9..9_i32), 5..30)) {
            let pairs: Vec<(f64, f64)> = pairs.into_iter().map(|(a, b)| (f64::from(a), f64::from(b))).collect();
            let cubed: Vec<(f64, f64)> = pairs.iter().map(|&(a, b)| (a.powi(3), b)).collect();
            let fallen: Vec<(f64, f64)> = pairs.iter().map(|&(a, b)| (-a, b)).collect();
            prop_assert_eq!(spearman(&pairs), spearman(&cubed));
            prop_assert_eq!(kendall(&pairs), kendall(&cubed));
            if let (Some(up), Some(down)) = (kendall(&pairs), kendall(&fallen)) {
                prop_assert!((up.value + down.value).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn coefficients_agree_with_published_values() {
        // Five pairs with r = 0.8; tanh(atanh(0.8) -+ 1.95996 / sqrt(2)).
        let pairs = [(1.0, 1.0), (2.0, 3.0), (3.0, 2.0), (4.0, 5.0), (5.0, 4.0)];
        let found = pearson(&pairs).unwrap();
        assert!(near(found.value, 0.8) && near(found.low.unwrap(), -0.279639), "{found:?}");
        assert!(near(found.high.unwrap(), 0.986196));
        assert!(near(spearman(&pairs).unwrap().value, 0.8));
        // 8 concordant, 2 discordant of 10.
        assert!(near(kendall(&pairs).unwrap().value, 0.6));
    }

    #[test]
    fn constants_have_no_correlation() {
        let flat = [(0.1, 1.0), (0.1, 2.0), (0.1, 3.0)];
        assert_eq!((pearson(&flat), spearman(&flat), kendall(&flat)), (None, None, None));
        assert_eq!((pearson(&[]), kendall(&[])), (None, None));
    }

    #[test]
    fn ties_share_a_rank() {
        assert_eq!(ranks(&[5.0, 1.0, 5.0, 9.0]), [2.5, 1.0, 2.5, 4.0]);
    }
}

//! Curves fitted to pairs: a line by least squares, a logistic curve by maximum likelihood.
//!
//! # Source
//! Newton's method for the logistic curve: Hosmer and Lemeshow, *Applied Logistic Regression*, 1989.

use super::interval::Estimate;
use super::moments::{central, central_if_varying};
use super::quantile;

/// Strength of the prior towards a share of 0.5. It keeps the curve finite if one side always wins.
const PRIOR: f64 = 1.0;

/// The least-squares slope of y over x with its 95 % interval by Student's t; none if x or y is constant.
pub fn slope(pairs: &[(f64, f64)]) -> Option<Estimate> {
    let (xx, yy, xy) = central_if_varying(pairs)?;
    let value = xy / xx;
    let half = (pairs.len() > 2).then(|| {
        let degrees = pairs.len() as u64 - 2;
        quantile::student(degrees) * ((yy - value * xy).max(0.0) / degrees as f64 / xx).sqrt()
    });
    Some(Estimate { value, low: half.map(|half| value - half), high: half.map(|half| value + half) })
}

/// The least-squares slope of y over x; 0 if x is constant.
pub fn bare_slope(pairs: &[(f64, f64)]) -> f64 {
    let (xx, _, xy) = central(pairs);
    if xx > 0.0 { xy / xx } else { 0.0 }
}

/// The share (0 to 1) for log-odds: 1 / (1 + exp(-sum)).
pub fn sigmoid(sum: f64) -> f64 {
    1.0 / (1.0 + (-sum).exp())
}

/// A logistic curve, share = 1 / (1 + exp(-(a + b x))), of x = (value - centre) / spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Logistic {
    /// The value at which x is 0.
    pub centre: f64,
    /// The length of one unit of x, in units of the value.
    pub spread: f64,
    /// The intercept a.
    pub level: f64,
    /// The slope b.
    pub slope: f64,
}

impl Logistic {
    /// The share (0 to 1) that the curve predicts for a value.
    pub fn share(&self, value: f64) -> f64 {
        sigmoid(self.log_odds(value))
    }

    /// The log-odds that the curve predicts for a value.
    pub fn log_odds(&self, value: f64) -> f64 {
        let standard = (value - self.centre) / self.spread;
        self.level + self.slope * standard
    }

    /// The maximum-likelihood curve through points (value, share).
    pub fn fit(points: &[(f64, f64)]) -> Logistic {
        let count = points.len().max(1) as f64;
        let centre = points.iter().map(|point| point.0).sum::<f64>() / count;
        let variance = points.iter().map(|point| (point.0 - centre).powi(2)).sum::<f64>() / count;
        let spread = if variance > 0.0 { variance.sqrt() } else { 1.0 };
        let (mut level, mut slope) = (0.0_f64, 0.0_f64);
        for _ in 0..30 {
            // Gradient and curvature of the log likelihood, including the prior.
            let (mut g0, mut g1) = (-PRIOR * level, -PRIOR * slope);
            let (mut h00, mut h01, mut h11) = (PRIOR, 0.0, PRIOR);
            for &(value, share) in points {
                let x = (value - centre) / spread;
                let p = sigmoid(level + slope * x);
                let (missing, weight) = (share - p, p * (1.0 - p));
                g0 += missing;
                g1 += missing * x;
                h00 += weight;
                h01 += weight * x;
                h11 += weight * x * x;
            }
            let determinant = h00 * h11 - h01 * h01;
            let (d0, d1) = ((h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant);
            level += d0.clamp(-2.0, 2.0);
            slope += d1.clamp(-2.0, 2.0);
            if d0.abs().max(d1.abs()) < 1e-9 {
                break;
            }
        }
        Logistic { centre, spread, level, slope }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_agree_with_their_definition() {
        // Residual sum of squares 3.6 over 3 degrees of freedom, xx = 10, Student's quantile 3.18245.
        let pairs = [(1.0, 1.0), (2.0, 3.0), (3.0, 2.0), (4.0, 5.0), (5.0, 4.0)];
        let found = slope(&pairs).unwrap();
        let (value, low) = (0.8, 0.8 - 3.18245 * 0.12_f64.sqrt());
        assert!((found.value - value).abs() < 1e-4 && (found.low.unwrap() - low).abs() < 1e-4, "{found:?}");
        assert_eq!(slope(&[(0.1, 1.0), (0.1, 2.0), (0.1, 3.0)]), None);
        assert_eq!(bare_slope(&[(1.0, 10.0), (2.0, 20.0), (3.0, 60.0)]), 25.0);
        assert_eq!(bare_slope(&[(1.0, 10.0), (1.0, 20.0)]), 0.0);
        assert_eq!(bare_slope(&[]), 0.0);
    }

    #[test]
    fn fit_recovers_a_curve() {
        // Shares on the curve 1 / (1 + exp(-(0.5 + 3 (v - 10)))).
        let share = |value: f64| 1.0 / (1.0 + (-(0.5 + 3.0 * (value - 10.0))).exp());
        let points: Vec<(f64, f64)> =
            (0..4000).map(|number| 9.0 + f64::from(number) / 2000.0).map(|v| (v, share(v))).collect();
        let found = Logistic::fit(&points);
        for value in [9.2, 10.0, 10.7] {
            assert!((found.share(value) - share(value)).abs() < 2e-3, "{value}: {}", found.share(value));
        }
    }

    #[test]
    fn one_sided_and_constant_points_stay_finite() {
        let won = Logistic::fit(&[(1.0, 1.0), (2.0, 1.0), (3.0, 1.0)]);
        assert!(won.share(2.0) > 0.5 && won.share(100.0).is_finite());
        let constant = Logistic::fit(&[(7.0, 0.25), (7.0, 0.75)]);
        assert!((constant.share(7.0) - 0.5).abs() < 1e-9);
        assert!((Logistic::fit(&[]).share(0.3) - 0.5).abs() < 1e-9);
    }
}

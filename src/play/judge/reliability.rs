//! # What it does
//! Calibration of a function: whether states with value 70 lead to 70 goal points on average.
//!
//! # How
//! Values, on the scale of the role's goals, are put into ten bins of equal width between the lowest and the greatest
//! goal value. The expected calibration error is the mean over the states of the difference between their bin's mean
//! outcome and mean value. The slope is that of the outcome over the value by least squares: 1 for a calibrated function,
//! less if values are too extreme, more if they are too moderate, below 0 if they predict the opposite.
//!
//! # Source
//! Naeini, Cooper and Hauskrecht, "Obtaining Well Calibrated Probabilities Using Bayesian Binning", AAAI 2015.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::statistics::Estimate;
use crate::statistics::regression::slope;

/// Bins between the least and the greatest goal value.
const BINS: usize = 10;

/// The calibration of a function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reliability {
    /// Expected calibration error, in goal points.
    pub error: f64,
    /// Slope of the outcome over the value, with Student's interval; null if one of the two is constant.
    pub slope: Option<Estimate>,
    /// The bins that are not empty, by ascending value.
    pub bins: Vec<Bin>,
}

/// States of similar value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bin {
    /// Number of states.
    pub states: u64,
    /// Mean of their values, in goal points.
    pub value: f64,
    /// Mean of their outcomes.
    pub outcome: f64,
}

/// The calibration over states, given as pairs of value and outcome; none without states.
pub(super) fn reliability(pairs: &[(f64, f64)], rewards: [f64; 2]) -> Option<Reliability> {
    let [least, most] = rewards;
    let mut sums = [(0_u64, 0.0, 0.0); BINS];
    for &(value, outcome) in pairs {
        let share = if most > least { (value - least) / (most - least) } else { 0.0 };
        let bin = ((share * BINS as f64) as usize).min(BINS - 1);
        let (count, values, outcomes) = &mut sums[bin];
        (*count, *values, *outcomes) = (*count + 1, *values + value, *outcomes + outcome);
    }
    let bin = |&(states, values, outcomes): &(u64, f64, f64)| {
        let n = states as f64;
        (states > 0).then(|| Bin { states, value: values / n, outcome: outcomes / n })
    };
    let bins: Vec<Bin> = sums.iter().filter_map(bin).collect();
    let total = pairs.len() as f64;
    let error = bins.iter().map(|bin| bin.states as f64 / total * (bin.value - bin.outcome).abs()).sum();
    (!pairs.is_empty()).then(|| Reliability { error, slope: slope(pairs), bins })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_calibrated_function_has_no_error_and_slope_one() {
        let pairs: Vec<(f64, f64)> = (0..=100).map(|value| (f64::from(value), f64::from(value))).collect();
        let found = reliability(&pairs, [0.0, 100.0]).unwrap();
        assert!(found.error < 1e-9 && found.bins.len() == 10);
        assert!((found.slope.unwrap().value - 1.0).abs() < 1e-9);
    }

    #[test]
    fn errors_are_weighted_by_states() {
        // Three states with value 15 and mean outcome 25, one with value 95 and outcome 55: (3 * 10 + 40) / 4.
        let pairs = [(15.0, 25.0), (15.0, 20.0), (15.0, 30.0), (95.0, 55.0)];
        let found = reliability(&pairs, [0.0, 100.0]).unwrap();
        assert!((found.error - 17.5).abs() < 1e-9, "{found:?}");
        assert_eq!(found.bins.iter().map(|bin| bin.states).collect::<Vec<_>>(), [3, 1]);
        assert_eq!(reliability(&[], [0.0, 100.0]), None);
    }
}

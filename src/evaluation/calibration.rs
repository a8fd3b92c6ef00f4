//! What a value of an evaluation function means: the share of its role's goal value that random play gets on average
//! from states of such a value.
//!
//! A logistic curve, share = 1 / (1 + exp(-(a + b value))), fitted to the ends of random playouts by greatest
//! likelihood (Newton's method; Hosmer and Lemeshow 1989). Searches that mix values with outcomes of playouts need it:
//! a function may keep within a hundredth of 0.5 and yet tell who wins.

use crate::feature::{Facts, ValuedState};
use crate::machine::{Machine, MachineError};
use crate::simulate::Sequence;

use super::function::{Function, FunctionError};
use super::kuhlmann::rewards;

/// States that a curve is fitted to at most, one of each sequence.
const STATES: usize = 2_000;
/// Mentions of nodes that may be looked at in all of them, for a fuzzy function.
const MENTIONS: usize = 20_000_000;
/// As many won and lost states are added in the middle, so that a curve stays finite where one side always wins.
const PRIOR: f64 = 1.0;

/// A logistic curve from values to shares of the goal value, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// Where the curve is in the middle, in the value's unit.
    pub centre: f64,
    /// What the value is divided by before.
    pub spread: f64,
    /// a
    pub level: f64,
    /// b
    pub slope: f64,
}

/// Why a function could not be calibrated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// A function that does not fit the game.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// A state could not be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

impl Calibration {
    /// The share of the goal value that a value stands for, 0 to 1.
    pub fn share(&self, value: f64) -> f64 {
        let standard = (value - self.centre) / self.spread;
        1.0 / (1.0 + (-(self.level + self.slope * standard)).exp())
    }

    /// Fits a curve for a role's function to sequences of states of random playouts.
    ///
    /// # Errors
    /// The function does not fit the game, or a state can't be evaluated.
    pub fn fit(
        machine: &dyn Machine,
        function: &Function,
        role: usize,
        sequences: &[Sequence],
    ) -> Result<Calibration, CalibrationError> {
        let [least, most] = rewards(machine, role).map(f64::from);
        let mut measure = function.bind(machine)?;
        let mut facts = Facts::new(machine);
        let mut cursor = machine.cursor();
        let mut points: Vec<(f64, f64)> = Vec::new();
        let states = match function {
            Function::Fuzzy(fuzzy) => {
                let mentions: usize =
                    fuzzy.formula.nodes.iter().map(|node| 1 + node.mentions().count()).sum();
                STATES.min(MENTIONS / mentions.max(1))
            }
            _ => STATES,
        };
        for sequence in sequences.iter().take(states) {
            let (Some(state), Some(goal)) = (sequence.states.first(), sequence.goals[role]) else { continue };
            cursor.set(state)?;
            facts.fill(machine, state);
            let value = measure.value(&ValuedState { facts: &facts, view: &*cursor });
            if value.is_finite() && most > least {
                points.push((value, (f64::from(goal) - least) / (most - least)));
            }
        }
        Ok(logistic(&points))
    }
}

/// The likeliest curve through points of value and share.
fn logistic(points: &[(f64, f64)]) -> Calibration {
    let count = points.len().max(1) as f64;
    let centre = points.iter().map(|point| point.0).sum::<f64>() / count;
    let variance = points.iter().map(|point| (point.0 - centre).powi(2)).sum::<f64>() / count;
    let spread = if variance > 0.0 { variance.sqrt() } else { 1.0 };
    let (mut level, mut slope) = (0.0_f64, 0.0_f64);
    for _ in 0..30 {
        // Gradient and curvature of the log likelihood, with a small pull to the middle.
        let (mut g0, mut g1) = (-PRIOR * level, -PRIOR * slope);
        let (mut h00, mut h01, mut h11) = (PRIOR, 0.0, PRIOR);
        for &(value, share) in points {
            let x = (value - centre) / spread;
            let p = 1.0 / (1.0 + (-(level + slope * x)).exp());
            let weight = p * (1.0 - p);
            g0 += share - p;
            g1 += (share - p) * x;
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
    Calibration { centre, spread, level, slope }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_found_again() {
        // Shares on the curve 1 / (1 + exp(-(0.5 + 3 (v - 10)))).
        let share = |value: f64| 1.0 / (1.0 + (-(0.5 + 3.0 * (value - 10.0))).exp());
        let points: Vec<(f64, f64)> =
            (0..4000).map(|number| 9.0 + f64::from(number) / 2000.0).map(|v| (v, share(v))).collect();
        let found = logistic(&points);
        for value in [9.2, 10.0, 10.7] {
            assert!((found.share(value) - share(value)).abs() < 2e-3, "{value}: {}", found.share(value));
        }
    }

    #[test]
    fn one_sided_and_constant_points_stay_finite() {
        let won = logistic(&[(1.0, 1.0), (2.0, 1.0), (3.0, 1.0)]);
        assert!(won.share(2.0) > 0.5 && won.share(100.0).is_finite());
        let constant = logistic(&[(7.0, 0.25), (7.0, 0.75)]);
        assert!((constant.share(7.0) - 0.5).abs() < 1e-9);
        assert!((logistic(&[]).share(0.3) - 0.5).abs() < 1e-9);
    }
}

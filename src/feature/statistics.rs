//! What features are worth: their spread, how stable they are, and how they go with the goal values at the end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::machine::{Machine, MachineError};
use crate::simulate::{Budget, Context, SimulateError, StopReason};
use crate::structure::finding::Structures;

use super::definition::Feature;
use super::error::FeatureError;
use super::measure::Seat;
use super::panel::Panel;
use super::registry::{Sources, features};
use super::sample::{Sample, Sequence, sample};
use super::vocabulary::Vocabulary;

/// Confidence of the intervals.
const CONFIDENCE: f64 = 0.95;

/// How much more a step counts than the whole game in a feature's stability, as in the source.
const WITHIN: f64 = 10.0;

/// How a feature, or an evaluation function, goes with a role's goal value at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Correlation {
    /// The role.
    pub role: String,
    /// Playouts that count: those that ended with one goal value for the role.
    pub playouts: u64,
    /// Pearson's correlation of the sequences' means with the goal values; null where one of them never changes.
    pub correlation: Option<f64>,
    /// Lower end of its interval at 95 % (Fisher's z); null for fewer than four playouts.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The chance of at least this correlation, either way, were there none (Student's t).
    pub p: Option<f64>,
    /// The same corrected for the number of tests, by Holm's method.
    pub p_holm: Option<f64>,
}

/// A feature and what a sample of states says about it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MeasuredFeature {
    /// The feature.
    #[serde(flatten)]
    pub feature: Feature,
    /// Mean over the first states of the sequences.
    pub mean: f64,
    /// Variance over them, without bias: TV.
    pub variance: f64,
    /// Mean of the variances within sequences: SV.
    pub within: f64,
    /// S = TV / (TV + 10 SV), 0 to 1; null where the feature never changes.
    pub stability: Option<f64>,
    /// The least and the greatest value seen.
    pub observed: [f64; 2],
    /// How it goes with the goal values, for each role.
    pub correlations: Vec<Correlation>,
}

/// How much the statistics of features rest on.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SampleExtent {
    /// Sequences, each of another random playout.
    pub sequences: u64,
    /// States in them.
    pub states: u64,
    /// Seed of the playouts.
    pub seed: u64,
    /// Why no more were played.
    pub stopped: StopReason,
    /// The correction of p-values for many tests: always `holm`.
    #[schemars(extend("const" = "holm"))]
    pub correction: &'static str,
    /// How many tests it is for.
    pub tests: u64,
    /// What was left out of the features.
    pub notes: Vec<String>,
}

/// The features of a game with their statistics.
#[derive(Clone, Debug)]
pub struct FeatureReport {
    /// The features, by family.
    pub features: Vec<MeasuredFeature>,
    /// What they rest on.
    pub extent: SampleExtent,
    /// The states themselves, for those who measure more on them.
    pub sequences: Vec<Sequence>,
}

/// Why features could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// Nothing could be played.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// A state could not be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// A feature does not fit the game it was made of.
    #[error(transparent)]
    Feature(#[from] FeatureError),
}

/// Makes the features of a game and measures them on random playouts, as many as the budget allows.
///
/// # Errors
/// Nothing could be played, or a state can't be evaluated.
pub fn measure(
    machine: &dyn Machine,
    structures: &Structures,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<FeatureReport, MeasureError> {
    let vocabulary = Vocabulary::new(machine);
    let Sample { sequences, ownership, statistics } =
        sample(machine, &vocabulary, structures, budget, context)?;
    let made = features(&Sources { vocabulary: &vocabulary, structures, ownership: &ownership });

    // For every sequence and state the values of all features.
    let mut panel = Panel::new(&made.list, &vocabulary)?;
    let mut seat = Seat::new(machine);
    let mut values: Vec<Vec<Vec<f64>>> = Vec::with_capacity(sequences.len());
    for sequence in &sequences {
        let mut of_sequence = Vec::with_capacity(sequence.states.len());
        for state in &sequence.states {
            let mut row = Vec::with_capacity(panel.len());
            panel.values(&seat.at(state)?, &mut row);
            of_sequence.push(row);
        }
        values.push(of_sequence);
    }

    let roles: Vec<String> =
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
    let mut measured: Vec<MeasuredFeature> = Vec::with_capacity(made.list.len());
    for (number, feature) in made.list.into_iter().enumerate() {
        let column: Vec<Vec<f64>> =
            values.iter().map(|rows| rows.iter().map(|row| row[number]).collect()).collect();
        let mut of_feature = of(feature, &column);
        for (role, name) in roles.iter().enumerate() {
            of_feature.correlations.push(correlation(name, role, &column, &sequences));
        }
        measured.push(of_feature);
    }
    let tests = holm(measured.iter_mut().flat_map(|feature| &mut feature.correlations).collect());
    let extent = SampleExtent {
        sequences: sequences.len() as u64,
        states: sequences.iter().map(|sequence| sequence.states.len() as u64).sum(),
        seed: budget.seed,
        stopped: statistics.stopped,
        correction: "holm",
        tests,
        notes: made.notes,
    };
    Ok(FeatureReport { features: measured, extent, sequences })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Variance without bias; 0 for fewer than two values.
fn variance(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}

/// Mean, variances and range of a number, from its values in every sequence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Mean over the first states of the sequences.
    pub mean: f64,
    /// Variance over them, without bias: TV.
    pub variance: f64,
    /// Mean of the variances within sequences: SV.
    pub within: f64,
    /// S = TV / (TV + 10 SV), 0 to 1; none where the number never changes.
    pub stability: Option<f64>,
    /// The least and the greatest value; none without sequences.
    pub observed: Option<[f64; 2]>,
}

/// The spread of a number.
pub fn spread(sequences: &[Vec<f64>]) -> Spread {
    let first: Vec<f64> = sequences.iter().filter_map(|values| values.first().copied()).collect();
    let longer = sequences.iter().filter(|values| values.len() > 1);
    let inside: Vec<f64> = longer.map(|values| variance(values)).collect();
    let (total, within) = (variance(&first), mean(&inside));
    let all = || sequences.iter().flatten().copied();
    let ends = || [all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max)];
    let changes = total + WITHIN * within;
    Spread {
        mean: mean(&first),
        variance: total,
        within,
        stability: (changes > 0.0).then(|| total / changes),
        observed: (!first.is_empty()).then(ends),
    }
}

/// A feature with its spread.
fn of(feature: Feature, sequences: &[Vec<f64>]) -> MeasuredFeature {
    let Spread { mean, variance, within, stability, observed } = spread(sequences);
    let observed = observed.unwrap_or(feature.range);
    MeasuredFeature { feature, mean, variance, within, stability, observed, correlations: Vec::new() }
}

/// How a number, with its values in every sequence, goes with the goal value of a role (by name and number): Pearson's
/// correlation of the sequences' means, with its interval and p-value, not yet corrected.
pub fn correlation(name: &str, role: usize, values: &[Vec<f64>], sequences: &[Sequence]) -> Correlation {
    let pairs = values.iter().zip(sequences);
    let pairs = pairs.filter_map(|(values, sequence)| Some((mean(values), sequence.goals[role]?)));
    let pairs: Vec<(f64, f64)> = pairs.map(|(value, goal)| (value, f64::from(goal))).collect();
    of_pairs(name, &pairs)
}

fn of_pairs(role: &str, pairs: &[(f64, f64)]) -> Correlation {
    let mut found = Correlation {
        role: role.to_owned(),
        playouts: pairs.len() as u64,
        correlation: None,
        low: None,
        high: None,
        p: None,
        p_holm: None,
    };
    let n = pairs.len() as f64;
    let centre =
        (pairs.iter().map(|pair| pair.0).sum::<f64>() / n, pairs.iter().map(|pair| pair.1).sum::<f64>() / n);
    let sum = |of: fn((f64, f64)) -> f64| -> f64 {
        pairs.iter().map(|pair| of((pair.0 - centre.0, pair.1 - centre.1))).sum()
    };
    let (xx, yy, xy) = (sum(|d| d.0 * d.0), sum(|d| d.1 * d.1), sum(|d| d.0 * d.1));
    let constant = |of: fn(&(f64, f64)) -> f64| pairs.iter().all(|pair| of(pair) == of(&pairs[0]));
    // Rounding must not make a constant feature vary.
    if constant(|pair| pair.0) || constant(|pair| pair.1) {
        return found;
    }
    let r = (xy / (xx * yy).sqrt()).clamp(-1.0, 1.0);
    if !r.is_finite() {
        return found;
    }
    found.correlation = Some(r);
    if pairs.len() < 4 {
        return found;
    }
    let quantile = Normal::standard().inverse_cdf(0.5 + CONFIDENCE / 2.0);
    let half = quantile / (n - 3.0).sqrt();
    found.low = Some((r.atanh() - half).tanh());
    found.high = Some((r.atanh() + half).tanh());
    let student = StudentsT::new(0.0, 1.0, n - 2.0).expect("scale and freedom are positive");
    let t = r.abs() * ((n - 2.0) / (1.0 - r * r)).sqrt();
    found.p = Some(if t.is_finite() { (2.0 * student.sf(t)).min(1.0) } else { 0.0 });
    found
}

/// Corrects p-values for their number (Holm 1979), which holds however features depend on each other, and gives that
/// number.
pub fn holm(mut tests: Vec<&mut Correlation>) -> u64 {
    tests.retain(|test| test.p.is_some());
    tests.sort_by(|a, b| a.p.unwrap_or(1.0).total_cmp(&b.p.unwrap_or(1.0)));
    let count = tests.len();
    let mut least = 0.0_f64;
    for (rank, test) in tests.iter_mut().enumerate() {
        least = least.max((test.p.unwrap_or(1.0) * (count - rank) as f64).min(1.0));
        test.p_holm = Some(least);
    }
    count as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: Option<f64>, wanted: f64) -> bool {
        found.is_some_and(|found| (found - wanted).abs() < 1e-4)
    }

    #[test]
    fn correlations() {
        // r = 0.8 of five pairs: t = 2.3094 with three degrees of freedom, p = 0.1041.
        let pairs = [(1.0, 1.0), (2.0, 3.0), (3.0, 2.0), (4.0, 5.0), (5.0, 4.0)];
        let found = of_pairs("r", &pairs);
        assert!(near(found.correlation, 0.8) && near(found.p, 0.1041), "{found:?}");
        // tanh(atanh(0.8) -+ 1.95996 / sqrt(2))
        assert!(near(found.low, -0.279639) && near(found.high, 0.986196), "{found:?}");
        assert_eq!(of_pairs("r", &[(1.0, 0.0), (1.0, 2.0)]).correlation, None);
        assert_eq!(of_pairs("r", &[]).correlation, None);
    }

    #[test]
    fn holms_method() {
        // Holm's own kind of example: 0.01, 0.04, 0.03, 0.005 become 0.03, 0.06, 0.06, 0.02.
        let test = |p| Correlation { p: Some(p), ..of_pairs("r", &[]) };
        let mut tests: Vec<Correlation> = [0.01, 0.04, 0.03, 0.005].map(test).into();
        assert_eq!(holm(tests.iter_mut().collect()), 4);
        let found: Vec<f64> = tests.iter().filter_map(|test| test.p_holm).collect();
        let wanted = [0.03, 0.06, 0.06, 0.02];
        assert!(found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-12), "{found:?}");
    }
}

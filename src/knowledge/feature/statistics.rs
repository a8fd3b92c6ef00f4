//! Statistics of features: spread, stability, and correlation with the goal values at the end.
//!
//! `sample.rs` collects the states. `sequence_statistics.rs` computes spread and correlation, the latter within the
//! strata of `stratum.rs` by `statistics/stratified.rs`. `signature.rs` finds features with the same values, and
//! `batch_evaluator.rs` evaluates 512 states together.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::machine::{Machine, MachineError};
use crate::simulate::{Budget, Context, Sequence, SimulateError, StopReason, WorkLimit};
use crate::statistics::correction;
use crate::structure::finding::Structures;

use super::definition::Feature;
use super::error::FeatureError;
use super::feature_batch::FeatureBatch;
use super::fluent_index::FluentIndex;
use super::owner::Owners;
use super::pattern::Pattern;
use super::registry::features;
use super::sample::{Sample, sample};
use super::sequence_statistics::{Correlation, RoleGoals, SequenceStatistics, sequence_statistics};
use super::signature::{Signature, same_numbers};
use super::sources::Sources;

/// A feature with its statistics over a sample of states.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MeasuredFeature {
    /// The feature.
    #[serde(flatten)]
    pub feature: Feature,
    /// The names of other features that have the same values in all sampled states, up to a factor and an offset. The
    /// factor may be negative.
    pub aliases: Vec<String>,
    /// The name of the feature that has this one among its aliases.
    #[serde(skip)]
    pub alias_of: Option<String>,
    /// The signature by which features of the same values are found.
    #[serde(skip)]
    pub signature: Option<Signature>,
    /// Mean over the first states of the sequences.
    pub mean: f64,
    /// Unbiased variance over the first states: TV.
    pub variance: f64,
    /// Mean of the variances within sequences: SV.
    pub within: f64,
    /// S = TV / (TV + 10 SV), from 0 to 1; null if the feature never changes.
    pub stability: Option<f64>,
    /// The least and the greatest value in the sample.
    pub observed: [f64; 2],
    /// The correlation with the goal value of each role.
    pub correlations: Vec<Correlation>,
    /// The same correlations on states from games of the function that plays best one move ahead, with p-values
    /// corrected among these. Empty if no function plays significantly better than a player that only sees terminal
    /// states.
    pub guided: Vec<Correlation>,
}

impl MeasuredFeature {
    /// Whether guided play shows a significant correlation with a role's goal value of the opposite sign to that of
    /// random play.
    pub fn contradicts(&self, role: &str) -> bool {
        let of = |list: &[Correlation]| {
            let with = list.iter().find(|with| with.role == role)?;
            with.correlation.filter(|_| with.is_significant())
        };
        let (random, guided) = (of(&self.correlations), of(&self.guided));
        random.zip(guided).is_some_and(|(random, guided)| random * guided < 0.0)
    }

    /// A feature with its statistics, for roles given by their names; p-values are not corrected.
    pub fn new(feature: Feature, summary: &SequenceStatistics, roles: &[String]) -> MeasuredFeature {
        MeasuredFeature {
            mean: summary.mean(),
            variance: summary.variance(),
            within: summary.within(),
            stability: summary.stability(),
            observed: summary.observed().unwrap_or(feature.range),
            correlations: roles
                .iter()
                .enumerate()
                .map(|(role, name)| summary.correlation(role, name))
                .collect(),
            guided: Vec::new(),
            aliases: Vec::new(),
            alias_of: None,
            signature: summary.signature().cloned(),
            feature,
        }
    }
}

/// The sample that the statistics of features are computed from.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SampleExtent {
    /// The number of sequences, each of another random playout.
    pub sequences: u64,
    /// The number of sequences whose playouts begin on a path, found by search, to a goal value that random play from
    /// the initial state did not reach.
    pub along_way: u64,
    /// The number of states in the sequences.
    pub states: u64,
    /// Seed of the playouts.
    pub seed: u64,
    /// The reason why sampling ended.
    pub stopped: StopReason,
    /// The correction of p-values for many tests: always `holm`.
    #[schemars(extend("const" = "holm"))]
    pub correction: &'static str,
    /// The number of tests that it corrects for.
    pub tests: u64,
    /// Sentences that name features that were left out.
    pub notes: Vec<String>,
    /// The goal values that correlations are computed with.
    pub values: GoalValueSource,
}

/// The goal value of a sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GoalValueSource {
    /// The goal value at the end of its playout.
    #[default]
    Outcomes,
    /// The goal value that the role can force from its last state.
    Exact,
}

/// The features of a game with their statistics.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureReport {
    /// The features, by family.
    pub features: Vec<MeasuredFeature>,
    /// The sample.
    pub extent: SampleExtent,
    /// The patterns of the objects that roles own on boards, each with the number of the role.
    pub owners: Vec<(Pattern, usize)>,
    /// The sampled states, for later measurements; copies of the report share them.
    pub sequences: Arc<[Sequence]>,
}

impl FeatureReport {
    /// A report without features or sequences.
    pub fn empty(seed: u64) -> FeatureReport {
        let extent = SampleExtent {
            sequences: 0,
            along_way: 0,
            states: 0,
            seed,
            stopped: StopReason::Playouts,
            correction: "holm",
            tests: 0,
            notes: Vec::new(),
            values: GoalValueSource::Outcomes,
        };
        FeatureReport { features: Vec::new(), extent, owners: Vec::new(), sequences: Arc::default() }
    }

    /// The report of a sample that was drawn with a seed, before any feature is measured.
    pub fn without_features(sample: Sample, seed: u64) -> FeatureReport {
        let mut report = FeatureReport::empty(seed);
        report.extent.sequences = sample.sequences.len() as u64;
        report.extent.along_way = sample.along_way as u64;
        report.extent.states = sample.sequences.iter().map(|sequence| sequence.states.len() as u64).sum();
        report.extent.stopped = sample.statistics.stopped;
        report.sequences = sample.sequences.into();
        report
    }

    /// Adds features that were measured on the same sequences, finds those with the same values, and corrects all
    /// p-values again.
    pub fn add(&mut self, more: Vec<MeasuredFeature>) {
        self.features.extend(more);
        name_aliases(&mut self.features);
        self.extent.tests = holm(correlations(&mut self.features));
    }
}

/// The reason why features could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// No playout was possible.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// A state could not be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// A feature does not fit its own game.
    #[error(transparent)]
    Feature(#[from] FeatureError),
}

/// Makes the features of a game and measures them on random playouts, within the budget.
///
/// # Example
///
/// ```
/// # mod ggp { pub use ggp_knowledge::*; pub use ggp_rules::*; pub use ggp_simulation::*; }
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use ggp::feature::measure;
/// use ggp::gdl::{Source, read};
/// use ggp::ground::Limits;
/// use ggp::machine::{Backend, load};
/// use ggp::simulate::{Budget, Context};
/// use ggp::structure::detect;
///
/// let rules = read(&Source::load("games/tic_tac_toe.kif")?).description.expect("the rules have no errors");
/// let game = load(rules, Backend::Auto, &Limits::default())?;
/// let (machine, context) = (&*game.machine, Context::default());
/// let budget = Budget { playouts: 2000, ..Budget::default() };
/// let (structures, _) = detect(machine, &game.statics, &budget, &context)?;
/// let report = measure(machine, &structures, &budget, &context)?;
///
/// let centre = report.features.iter().find(|measured| measured.feature.id == "count.mark.2.2.cross");
/// let centre = centre.expect("it is counted who has the centre");
/// assert_eq!(centre.feature.range, [0.0, 1.0]);
/// let noughts = centre.correlations.iter().find(|with| with.role == "noughts").expect("it is a role");
/// assert!(noughts.correlation.expect("it varies") < 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// No playout was possible, or a state can't be evaluated.
pub fn measure(
    machine: &dyn Machine,
    structures: &Structures,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<FeatureReport, MeasureError> {
    let fluent_index = FluentIndex::new(machine);
    let sample = sample(machine, &fluent_index, structures, budget, context)?;
    let work_limit = WorkLimit::new(context.interrupt);
    measure_sample(machine, structures, sample, budget.seed, budget.threads, &work_limit)
}

/// Makes the features of a game and measures them on a sample that was drawn with a seed, on `threads` threads (0:
/// one per processor). If the work limit ends it, fewer sequences are measured, or no features.
///
/// # Errors
/// A state can't be evaluated.
pub fn measure_sample(
    machine: &dyn Machine,
    structures: &Structures,
    sample: Sample,
    seed: u64,
    threads: usize,
    work_limit: &WorkLimit<'_>,
) -> Result<FeatureReport, MeasureError> {
    let fluent_index = FluentIndex::new(machine);
    let Sample { sequences, along_way, ownership, statistics } = sample;
    let sources = Sources { fluent_index: &fluent_index, structures, ownership: &ownership };
    let (made, owners) = (features(&sources), Owners::new(&sources).by_pattern());
    let goals = role_goals(&sequences);
    let (mut measured, count) =
        measure_features_within(&fluent_index, &made.list, &sequences, &goals, threads, work_limit)?;
    let tests = holm(correlations(&mut measured));
    let extent = SampleExtent {
        sequences: count as u64,
        along_way: along_way.min(count / 2) as u64,
        states: sequences[..count].iter().map(|sequence| sequence.states.len() as u64).sum(),
        seed,
        stopped: statistics.stopped,
        correction: "holm",
        tests,
        notes: made.notes,
        values: GoalValueSource::Outcomes,
    };
    Ok(FeatureReport { features: measured, extent, owners, sequences: sequences.into() })
}

/// Measures features on sequences, each of which has a goal value (or none) for every role. P-values are not
/// corrected. The result is the same on any number of threads (0: one per processor).
///
/// # Errors
/// A feature does not fit the game, or a state can't be evaluated.
pub fn measure_features(
    fluent_index: &FluentIndex<'_>,
    features: &[Feature],
    sequences: &[Sequence],
    goals: &[RoleGoals],
    threads: usize,
) -> Result<Vec<MeasuredFeature>, MeasureError> {
    Ok(measure_features_within(fluent_index, features, sequences, goals, threads, &WorkLimit::default())?.0)
}

/// Like [`measure_features`], within a work limit; also returns the number of sequences that were evaluated.
///
/// # Errors
/// Those of [`measure_features`].
pub fn measure_features_within(
    fluent_index: &FluentIndex<'_>,
    features: &[Feature],
    sequences: &[Sequence],
    goals: &[RoleGoals],
    threads: usize,
    work_limit: &WorkLimit<'_>,
) -> Result<(Vec<MeasuredFeature>, usize), MeasureError> {
    let machine = fluent_index.machine();
    let roles: Vec<String> =
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
    let batch = || FeatureBatch::new(features, fluent_index).map_err(MeasureError::from);
    let sequence_statistics = sequence_statistics(machine, sequences, goals, threads, work_limit, batch)?;
    let pairs = features.iter().zip(&sequence_statistics.list);
    let measured = pairs.map(|(feature, summary)| MeasuredFeature::new(feature.clone(), summary, &roles));
    let mut measured: Vec<MeasuredFeature> = measured.collect();
    name_aliases(&mut measured);
    Ok((measured, sequence_statistics.sequences))
}

/// Among features with the same values, keeps the one with the fewest words (of equal ones the first), and makes the
/// others its aliases.
fn name_aliases(measured: &mut [MeasuredFeature]) {
    for of in measured.iter_mut() {
        of.aliases.clear();
        of.alias_of = None;
    }
    let signatures = measured.iter().enumerate();
    let signatures = signatures.filter_map(|(number, of)| Some((number, of.signature.as_ref()?)));
    for group in same_numbers(signatures) {
        let words = |number: &usize| measured[*number].feature.formula.split_whitespace().count();
        let Some(simplest) = group.iter().copied().min_by_key(words) else { continue };
        let name = measured[simplest].feature.id.clone();
        for number in group.into_iter().filter(|&number| number != simplest) {
            let alias = measured[number].feature.id.clone();
            measured[simplest].aliases.push(alias);
            measured[number].alias_of = Some(name.clone());
        }
    }
}

/// All correlations of features, without those of aliases.
fn correlations(measured: &mut [MeasuredFeature]) -> Vec<&mut Correlation> {
    let own = measured.iter_mut().filter(|of| of.alias_of.is_none());
    own.flat_map(|of| &mut of.correlations).collect()
}

/// Goal values as numbers.
pub fn role_goals(sequences: &[Sequence]) -> Vec<RoleGoals> {
    let numbers = |sequence: &Sequence| sequence.goals.iter().map(|goal| goal.map(f64::from)).collect();
    sequences.iter().map(numbers).collect()
}

/// Corrects p-values by Holm's method for their number, and returns this number.
pub fn holm(mut tests: Vec<&mut Correlation>) -> u64 {
    tests.retain(|test| test.p.is_some());
    let values: Vec<f64> = tests.iter().filter_map(|test| test.p).collect();
    tests
        .iter_mut()
        .zip(correction::holm(&values))
        .for_each(|(test, corrected)| test.p_holm = Some(corrected));
    tests.len() as u64
}

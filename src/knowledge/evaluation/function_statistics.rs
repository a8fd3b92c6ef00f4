//! Statistics of evaluation functions over states of random playouts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::feature::{
    Correlation, Feature, FeatureBatch, FeatureError, FluentIndex, Measure, MeasuredFeature,
    SequenceStatistics, ValuedState, Valuer, features_of_goal_function, holm, role_goals,
    sequence_statistics,
};
use crate::machine::{Machine, MachineError};
use crate::simulate::{Budget, Sequence, SimulateError, WorkLimit};

use super::function::{Function, FunctionError};
use super::scaled_feature::ScaledFeature;

/// The most mentions of nodes that are evaluated to measure one fuzzy function. A function that needs more is
/// measured on the first states only.
const MENTIONS: usize = 100_000_000;

/// The statistics of a function over sampled states of random playouts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Quality")]
pub struct FunctionStatistics {
    /// Seed of the playouts.
    pub seed: u64,
    /// The number of sequences of states, each of another playout.
    pub sequences: u64,
    /// The number of states in them.
    pub states: u64,
    /// Mean over the first states of the sequences.
    pub mean: f64,
    /// Unbiased variance over the first states: TV.
    pub variance: f64,
    /// Mean of the variances within sequences: SV.
    pub within: f64,
    /// S = TV / (TV + 10 SV), from 0 to 1; null if the value never changes.
    pub stability: Option<f64>,
    /// The least and the greatest value in the sample; null without states.
    pub observed: Option<[f64; 2]>,
    /// The correlation with its role's goal value at the end; p-values are corrected for the number of functions of
    /// the game.
    pub goal: Correlation,
}

impl FunctionStatistics {
    /// The correlation with the role's goal value; 0 if there is none.
    pub fn goal_correlation(&self) -> f64 {
        self.goal.correlation.unwrap_or(0.0)
    }

    /// Whether the value is the same in every sampled state.
    pub fn is_constant(&self) -> bool {
        self.observed.is_some_and(|[low, high]| low == high)
    }
}

/// The reason why functions could not be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FunctionStatisticsError {
    /// A function does not fit the game.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// A state could not be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// Threads could not be started.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
}

impl From<FeatureError> for FunctionStatisticsError {
    fn from(error: FeatureError) -> FunctionStatisticsError {
        FunctionStatisticsError::Function(error.into())
    }
}

/// Measures functions on sequences of states that were drawn with the seed of a budget, on its threads.
///
/// # Errors
/// A function does not fit the game, or a state can't be evaluated.
pub fn function_statistics(
    machine: &dyn Machine,
    functions: &[Function],
    sequences: &[Sequence],
    budget: &Budget,
) -> Result<Vec<FunctionStatistics>, FunctionStatisticsError> {
    Ok(function_statistics_and_progress(machine, functions, sequences, budget, &WorkLimit::default())?.0)
}

/// Like [`function_statistics`], within a work limit. Also returns the statistics of fuzzy functions as
/// features, whose p-values are not corrected. Functions that evaluate rules share the remaining work.
///
/// # Errors
/// Those of [`function_statistics`].
pub fn function_statistics_and_progress(
    machine: &dyn Machine,
    functions: &[Function],
    sequences: &[Sequence],
    budget: &Budget,
    work_limit: &WorkLimit<'_>,
) -> Result<(Vec<FunctionStatistics>, Vec<MeasuredFeature>), FunctionStatisticsError> {
    let roles: Vec<String> =
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
    let (fluent_index, goals) = (FluentIndex::new(machine), role_goals(sequences));
    // Functions with the same number of sequences are measured together, except those that evaluate rules: their cost
    // is known only by running them.
    let mut together: BTreeMap<(usize, Option<usize>), Vec<usize>> = BTreeMap::new();
    for (number, function) in functions.iter().enumerate() {
        let alone = matches!(function, Function::Fuzzy(fuzzy) if !fuzzy.lifted.is_empty());
        let key = (affordable_sequences(function, sequences.len()), alone.then_some(number));
        together.entry(key).or_default().push(number);
    }
    let mut statistics: Vec<(usize, SequenceStatistics)> =
        vec![(0, SequenceStatistics::new(roles.len())); functions.len()];
    let mut waiting = together.keys().filter(|(_, alone)| alone.is_some()).count() as u64;
    // On the same sequences, opponents' functions that are negations of each other get the same signature.
    let mut fewest = sequences.len();
    for ((count, alone), numbers) in together {
        let count = if alone.is_some() { count.min(fewest) } else { count };
        let of: Vec<&Function> = numbers.iter().map(|&number| &functions[number]).collect();
        let values = || FunctionValuer::new(&of, &fluent_index, &roles);
        let share = work_limit.left().filter(|_| alone.is_some()).map(|left| left / waiting.max(1));
        waiting -= u64::from(alone.is_some());
        let part = work_limit.part(share);
        let sequence_statistics = sequence_statistics(
            machine,
            &sequences[..count],
            &goals[..count],
            budget.threads,
            &part,
            values,
        )?;
        work_limit.include(&part);
        if alone.is_some() {
            fewest = fewest.min(sequence_statistics.sequences);
        }
        for (number, summary) in numbers.into_iter().zip(sequence_statistics.list) {
            statistics[number] = (sequence_statistics.sequences, summary);
        }
    }
    let (mut function_statistics, mut progress) = (Vec::with_capacity(functions.len()), Vec::new());
    for (function, (count, summary)) in functions.iter().zip(statistics) {
        let role = roles.iter().position(|known| known == function.role()).unwrap_or(0);
        function_statistics.push(FunctionStatistics {
            seed: budget.seed,
            sequences: count as u64,
            states: sequences[..count].iter().map(|sequence| sequence.states.len() as u64).sum(),
            mean: summary.mean(),
            variance: summary.variance(),
            within: summary.within(),
            stability: summary.stability(),
            observed: summary.observed(),
            goal: summary.correlation(role, function.role()),
        });
        if let Function::Fuzzy(fuzzy) = function {
            let features = features_of_goal_function(&fuzzy.role, &function.id()).into_iter();
            progress.extend(features.map(|feature| MeasuredFeature::new(feature, &summary, &roles)));
        }
    }
    holm(function_statistics.iter_mut().map(|quality| &mut quality.goal).collect());
    Ok((function_statistics, progress))
}

/// Functions bound to a machine.
struct FunctionValuer<'f, 'm> {
    batch: FeatureBatch<'m>,
    sources: Vec<ValueSource<'f, 'm>>,
    /// For each function its role; none for goal progress, which is correlated with the goal values of all roles.
    roles: Vec<Option<usize>>,
    row: Vec<f64>,
}

/// The source of a function's value.
enum ValueSource<'f, 'm> {
    /// A feature of the batch, by number, which the function scales.
    FeatureBatch(usize, &'f ScaledFeature),
    /// The function itself.
    Own(Box<dyn Measure<'m> + 'm>),
}

impl<'f, 'm> FunctionValuer<'f, 'm> {
    fn new(
        functions: &[&'f Function],
        fluent_index: &FluentIndex<'m>,
        roles: &[String],
    ) -> Result<FunctionValuer<'f, 'm>, FunctionStatisticsError> {
        let mut features: Vec<Feature> = Vec::new();
        let mut sources = Vec::with_capacity(functions.len());
        for function in functions {
            sources.push(match function {
                // Functions of one feature come in pairs for every role: each feature is evaluated once.
                Function::Feature(scaled) => {
                    let known = features.iter().position(|feature| *feature == scaled.feature);
                    let number = known.unwrap_or_else(|| {
                        features.push(scaled.feature.clone());
                        features.len() - 1
                    });
                    ValueSource::FeatureBatch(number, scaled)
                }
                _ => ValueSource::Own(function.bind(fluent_index.machine())?),
            });
        }
        let role_of = |function: &&Function| match function {
            Function::Fuzzy(_) => None,
            _ => roles.iter().position(|role| role == function.role()),
        };
        let roles = functions.iter().map(role_of).collect();
        Ok(FunctionValuer {
            batch: FeatureBatch::new(&features, fluent_index)?,
            sources,
            roles,
            row: Vec::new(),
        })
    }
}

impl Valuer for FunctionValuer<'_, '_> {
    fn width(&self) -> usize {
        self.sources.len()
    }

    fn role(&self, number: usize) -> Option<usize> {
        self.roles[number]
    }

    fn values(&mut self, position: &ValuedState<'_>, values: &mut Vec<f64>) {
        self.batch.values(position, &mut self.row);
        values.clear();
        let row = &self.row;
        values.extend(self.sources.iter_mut().map(|source| match source {
            ValueSource::FeatureBatch(feature, scaled) => scaled.scaled(row[*feature]),
            ValueSource::Own(measure) => measure.value(position),
        }));
    }

    fn work(&self) -> u64 {
        let own = self.sources.iter().map(|source| match source {
            ValueSource::FeatureBatch(..) => 0,
            ValueSource::Own(measure) => measure.work(),
        });
        self.batch.work() + own.sum::<u64>()
    }
}

/// The number of sequences that a function is measured on.
fn affordable_sequences(function: &Function, sequences: usize) -> usize {
    /// The most states of a sequence, and the fewest sequences.
    const LENGTH: usize = 5;
    const FEWEST: usize = 8;
    match function {
        Function::Fuzzy(fuzzy) => {
            let mentions: usize = fuzzy.formula.nodes.iter().map(|node| 1 + node.mentions().len()).sum();
            // The limit of memory bounds formulas, so that a few sequences are always affordable; statistics need
            // some.
            sequences.min((MENTIONS / LENGTH / mentions.max(1)).max(FEWEST))
        }
        _ => sequences,
    }
}

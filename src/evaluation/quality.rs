//! What random play says an evaluation function is worth.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::feature::{
    Correlation, Feature, FeatureError, Measure, Panel, Seat, Sequence, Vocabulary, correlation, holm, spread,
};
use crate::machine::{Machine, MachineError};

use super::function::{Function, FunctionError};

/// Mentions of nodes that may be looked at in measuring one fuzzy function: one too large for all states is measured on
/// the first ones.
const MENTIONS: usize = 500_000_000;

/// A function on a sample of states from random playouts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Quality {
    /// Seed of the playouts.
    pub seed: u64,
    /// Sequences of states, each of another playout.
    pub sequences: u64,
    /// States in them.
    pub states: u64,
    /// Mean over the first states of the sequences.
    pub mean: f64,
    /// Variance over them, without bias: TV.
    pub variance: f64,
    /// Mean of the variances within sequences: SV.
    pub within: f64,
    /// S = TV / (TV + 10 SV), 0 to 1; null where the value never changes.
    pub stability: Option<f64>,
    /// The least and the greatest value seen; null without states.
    pub observed: Option<[f64; 2]>,
    /// How it goes with its role's goal value at the end; p-values are corrected for the number of the game's functions.
    pub goal: Correlation,
}

impl Quality {
    /// The correlation with the role's goal value; 0 where there is none.
    pub fn worth(&self) -> f64 {
        self.goal.correlation.unwrap_or(0.0)
    }
}

/// Why functions could not be measured.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QualityError {
    /// A function that does not fit the game.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// A state could not be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

impl From<FeatureError> for QualityError {
    fn from(error: FeatureError) -> QualityError {
        QualityError::Function(error.into())
    }
}

/// Measures functions on sequences of states that were drawn with a seed.
///
/// # Errors
/// A function does not fit the game, or a state can't be evaluated.
pub fn qualities(
    machine: &dyn Machine,
    functions: &[Function],
    sequences: &[Sequence],
    seed: u64,
) -> Result<Vec<Quality>, QualityError> {
    let values = values(machine, functions, sequences)?;
    let roles: Vec<String> =
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
    let mut found: Vec<Quality> = Vec::with_capacity(functions.len());
    for (function, values) in functions.iter().zip(values) {
        let role = function.role();
        let number = roles.iter().position(|known| known == role).unwrap_or(0);
        let spread = spread(&values);
        found.push(Quality {
            seed,
            sequences: values.len() as u64,
            states: values.iter().map(|sequence| sequence.len() as u64).sum(),
            mean: spread.mean,
            variance: spread.variance,
            within: spread.within,
            stability: spread.stability,
            observed: spread.observed,
            goal: correlation(role, number, &values, sequences),
        });
    }
    holm(found.iter_mut().map(|quality| &mut quality.goal).collect());
    Ok(found)
}

/// How the value of a function comes about.
enum Source<'m> {
    /// From a feature of the panel, by its number there.
    Panel(usize),
    /// From the function itself.
    Own(Box<dyn Measure + 'm>),
}

/// For every function, sequence and state the value.
fn values(
    machine: &dyn Machine,
    functions: &[Function],
    sequences: &[Sequence],
) -> Result<Vec<Vec<Vec<f64>>>, QualityError> {
    let vocabulary = Vocabulary::new(machine);
    let mut features: Vec<Feature> = Vec::new();
    let mut sources: Vec<Source<'_>> = Vec::with_capacity(functions.len());
    for function in functions {
        sources.push(match function {
            // Functions of one feature come in pairs for every role: each feature is valued once.
            Function::Feature(scaled) => {
                let known = features.iter().position(|feature| *feature == scaled.feature);
                Source::Panel(known.unwrap_or_else(|| {
                    features.push(scaled.feature.clone());
                    features.len() - 1
                }))
            }
            _ => Source::Own(function.bind(machine)?),
        });
    }
    let lengths: Vec<usize> = functions.iter().map(|function| measured(function, sequences.len())).collect();
    let mut panel = Panel::new(&features, &vocabulary)?;
    let mut seat = Seat::new(machine);
    let mut row = Vec::with_capacity(panel.len());
    let mut values: Vec<Vec<Vec<f64>>> = vec![Vec::new(); functions.len()];
    for (number, sequence) in sequences.iter().enumerate() {
        for (of, &length) in values.iter_mut().zip(&lengths).filter(|(_, length)| number < **length) {
            of.reserve(length);
            of.push(Vec::with_capacity(sequence.states.len()));
        }
        for state in &sequence.states {
            let position = seat.at(state)?;
            panel.values(&position, &mut row);
            let parts = functions.iter().zip(&mut sources).zip(&mut values).zip(&lengths);
            for (((function, source), values), _) in parts.filter(|(_, length)| number < **length) {
                let value = match (source, function) {
                    (Source::Panel(feature), Function::Feature(scaled)) => scaled.scaled(row[*feature]),
                    (Source::Own(measure), _) => measure.value(&position),
                    (Source::Panel(_), _) => continue,
                };
                values.last_mut().expect("a sequence was begun").push(value);
            }
        }
    }
    Ok(values)
}

/// How many sequences a function is measured on.
fn measured(function: &Function, sequences: usize) -> usize {
    /// States of a sequence at most.
    const LENGTH: usize = 5;
    match function {
        Function::Fuzzy(fuzzy) => {
            let mentions: usize = fuzzy.formula.nodes.iter().map(|node| 1 + node.mentions().count()).sum();
            sequences.min(MENTIONS / LENGTH / mentions.max(1))
        }
        _ => sequences,
    }
}

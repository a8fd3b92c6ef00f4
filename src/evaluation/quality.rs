//! What random play says an evaluation function is worth.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::feature::{
    Correlation, Feature, FeatureError, Measure, Panel, Position, Valuer, Vocabulary, goals_of, holm, tallies,
};
use crate::machine::{Machine, MachineError};
use crate::simulate::{Budget, Sequence, SimulateError};

use super::function::{Function, FunctionError};
use super::kuhlmann::Kuhlmann;

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
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QualityError {
    /// A function that does not fit the game.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// A state could not be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// Threads could not be started.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
}

impl From<FeatureError> for QualityError {
    fn from(error: FeatureError) -> QualityError {
        QualityError::Function(error.into())
    }
}

/// Measures functions on sequences of states that were drawn with the seed of a budget, on its threads.
///
/// # Errors
/// A function does not fit the game, or a state can't be evaluated.
pub fn qualities(
    machine: &dyn Machine,
    functions: &[Function],
    sequences: &[Sequence],
    budget: &Budget,
) -> Result<Vec<Quality>, QualityError> {
    let roles: Vec<String> =
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
    let (vocabulary, goals) = (Vocabulary::new(machine), goals_of(sequences));
    // Functions that are measured on as many sequences are measured together.
    let mut together: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, function) in functions.iter().enumerate() {
        together.entry(measured(function, sequences.len())).or_default().push(number);
    }
    let mut found: Vec<Option<Quality>> = vec![None; functions.len()];
    for (count, numbers) in together {
        let sequences = &sequences[..count];
        let of: Vec<&Function> = numbers.iter().map(|&number| &functions[number]).collect();
        let values = || Values::new(&of, &vocabulary);
        let tallies = tallies(machine, sequences, &goals[..count], budget.threads, values)?;
        let states = sequences.iter().map(|sequence| sequence.states.len() as u64).sum();
        for ((number, function), tally) in numbers.into_iter().zip(&of).zip(tallies) {
            let role = roles.iter().position(|known| known == function.role()).unwrap_or(0);
            found[number] = Some(Quality {
                seed: budget.seed,
                sequences: count as u64,
                states,
                mean: tally.mean(),
                variance: tally.variance(),
                within: tally.within(),
                stability: tally.stability(),
                observed: tally.observed(),
                goal: tally.correlation(role, function.role()),
            });
        }
    }
    let mut found: Vec<Quality> = found.into_iter().flatten().collect();
    holm(found.iter_mut().map(|quality| &mut quality.goal).collect());
    Ok(found)
}

/// Functions ready for a machine.
struct Values<'f, 'm> {
    panel: Panel<'m>,
    sources: Vec<Source<'f, 'm>>,
    row: Vec<f64>,
}

/// How the value of a function comes about.
enum Source<'f, 'm> {
    /// From a feature of the panel, by its number there.
    Panel(usize, &'f Kuhlmann),
    /// From the function itself.
    Own(Box<dyn Measure + 'm>),
}

impl<'f, 'm> Values<'f, 'm> {
    fn new(functions: &[&'f Function], vocabulary: &Vocabulary<'m>) -> Result<Values<'f, 'm>, QualityError> {
        let mut features: Vec<Feature> = Vec::new();
        let mut sources = Vec::with_capacity(functions.len());
        for function in functions {
            sources.push(match function {
                // Functions of one feature come in pairs for every role: each feature is valued once.
                Function::Feature(scaled) => {
                    let known = features.iter().position(|feature| *feature == scaled.feature);
                    let number = known.unwrap_or_else(|| {
                        features.push(scaled.feature.clone());
                        features.len() - 1
                    });
                    Source::Panel(number, scaled)
                }
                _ => Source::Own(function.bind(vocabulary.machine())?),
            });
        }
        Ok(Values { panel: Panel::new(&features, vocabulary)?, sources, row: Vec::new() })
    }
}

impl Valuer for Values<'_, '_> {
    fn width(&self) -> usize {
        self.sources.len()
    }

    fn values(&mut self, position: &Position<'_>, values: &mut Vec<f64>) {
        self.panel.values(position, &mut self.row);
        values.clear();
        let row = &self.row;
        values.extend(self.sources.iter_mut().map(|source| match source {
            Source::Panel(feature, scaled) => scaled.scaled(row[*feature]),
            Source::Own(measure) => measure.value(position),
        }));
    }
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

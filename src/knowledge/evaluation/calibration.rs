//! What a value of an evaluation function means: the share of its role's goal value that random play gets on average
//! from states of such a value.
//!
//! A logistic curve, fitted to the ends of random playouts by greatest likelihood. Searches that mix values with outcomes of playouts need it:
//! a function may keep within a hundredth of 0.5 and yet tell who wins.

use crate::feature::{Facts, ValuedState};
use crate::machine::{Machine, MachineError};
use crate::simulate::{Sequence, Watch};
use crate::statistics::regression::Logistic;

use super::function::{Function, FunctionError};
use super::kuhlmann::rewards;

/// States that a curve is fitted to at most, one of each sequence.
const STATES: usize = 2_000;
/// Mentions of nodes that may be looked at in all of them, for a fuzzy function.
const MENTIONS: usize = 20_000_000;

/// A logistic curve from values to shares of the goal value, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    curve: Logistic,
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
        self.curve.share(value)
    }

    /// By what factor differences of values at most go on to differences of log-odds.
    pub fn steepness(&self) -> f64 {
        (self.curve.slope / self.curve.spread).abs()
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
        let points = valued_ends(machine, function, role, sequences, &Watch::default())?;
        let share = |(value, goal)| (value, (goal - least) / (most - least));
        let points: Vec<(f64, f64)> =
            if most > least { points.into_iter().map(share).collect() } else { Vec::new() };
        Ok(Calibration { curve: Logistic::fit(&points) })
    }
}

/// How many states a function can be asked about where it may take no long time: few of a large fuzzy function.
pub fn affordable_states(function: &Function) -> usize {
    match function {
        Function::Fuzzy(fuzzy) => {
            let mentions: usize = fuzzy.formula.nodes.iter().map(|node| 1 + node.mentions().len()).sum();
            STATES.min(MENTIONS / mentions.max(1))
        }
        _ => STATES,
    }
}

/// A function's values of the first states of sequences, with the goal values of its role at their ends; of no more
/// sequences than are [affordable](affordable_states), and of fewer where the watch ends it.
///
/// # Errors
/// The function does not fit the game, or a state can't be evaluated.
pub fn valued_ends(
    machine: &dyn Machine,
    function: &Function,
    role: usize,
    sequences: &[Sequence],
    watch: &Watch<'_>,
) -> Result<Vec<(f64, f64)>, CalibrationError> {
    let mut measure = function.bind(machine)?;
    let mut facts = Facts::new(machine);
    let mut cursor = machine.cursor();
    let mut points: Vec<(f64, f64)> = Vec::new();
    for sequence in sequences.iter().take(affordable_states(function)) {
        let (Some(state), Some(goal)) = (sequence.states.first(), sequence.goals[role]) else { continue };
        if watch.check().is_err() {
            break;
        }
        cursor.set(state)?;
        facts.fill(machine, state);
        let value = measure.value(&ValuedState { facts: &facts, view: &*cursor });
        if value.is_finite() {
            points.push((value, f64::from(goal)));
        }
    }
    Ok(points)
}

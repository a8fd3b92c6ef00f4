//! Calibration: predicts the mean result of random play from the value of an evaluation function. A result is
//! scaled from the role's least goal value (0) to its greatest (1).
//!
//! A logistic curve is fitted to the results of random playouts by maximum likelihood. Searches that mix
//! values with outcomes of playouts need it, because the values of a function may differ by only 0.01 between
//! won and lost states.

use crate::feature::{Facts, ValuedState};
use crate::machine::{Machine, MachineError};
use crate::simulate::{Sequence, WorkLimit};
use crate::statistics::regression::Logistic;

use super::function::{Function, FunctionError};
use super::scaled_feature::rewards;

/// Limit of the states that a curve is fitted to; one state of each sequence is taken.
const MAX_STATES: usize = 2_000;
/// Limit of the nodes and operands of a fuzzy function that are evaluated, summed over these states. A large
/// function is therefore evaluated in fewer states.
const MAX_EVALUATED: usize = 20_000_000;

/// A logistic curve from values of a function to scaled results, 0 (least goal value) to 1 (greatest).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    curve: Logistic,
}

/// The reason why a function could not be calibrated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// The function does not fit the game.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// A state could not be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

impl Calibration {
    /// The mean result of random play from states with a value, scaled from 0 (least goal value) to 1
    /// (greatest).
    pub fn share(&self, value: f64) -> f64 {
        self.curve.share(value)
    }

    /// The change of the log-odds of [`share`](Calibration::share) per unit of the value, without its sign.
    pub fn steepness(&self) -> f64 {
        (self.curve.slope / self.curve.spread).abs()
    }

    /// Fits a curve for a role's function to the first states of sequences from random playouts.
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
        let points = valued_ends(machine, function, role, sequences, &WorkLimit::default())?;
        let share = |(value, goal)| (value, (goal - least) / (most - least));
        let points: Vec<(f64, f64)> =
            if most > least { points.into_iter().map(share).collect() } else { Vec::new() };
        Ok(Calibration { curve: Logistic::fit(&points) })
    }
}

/// The number of states in which a function can be evaluated within a short time: few for a large fuzzy function.
pub fn affordable_states(function: &Function) -> usize {
    match function {
        Function::Fuzzy(fuzzy) => {
            let mentions: usize = fuzzy.formula.nodes.iter().map(|node| 1 + node.mentions().len()).sum();
            MAX_STATES.min(MAX_EVALUATED / mentions.max(1))
        }
        _ => MAX_STATES,
    }
}

/// A function's values in the first states of sequences, with the goal values of its role at their ends. At most
/// [`affordable_states`] sequences are used, fewer if the work limit ends it.
///
/// # Errors
/// The function does not fit the game, or a state can't be evaluated.
pub fn valued_ends(
    machine: &dyn Machine,
    function: &Function,
    role: usize,
    sequences: &[Sequence],
    work_limit: &WorkLimit<'_>,
) -> Result<Vec<(f64, f64)>, CalibrationError> {
    let mut measure = function.bind(machine)?;
    let mut facts = Facts::new(machine);
    let mut cursor = machine.cursor();
    let mut points: Vec<(f64, f64)> = Vec::new();
    for sequence in sequences.iter().take(affordable_states(function)) {
        let (Some(state), Some(goal)) = (sequence.states.first(), sequence.goals[role]) else { continue };
        if work_limit.check().is_err() {
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

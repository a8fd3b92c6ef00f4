//! Estimates of states where a search stops looking ahead.
//!
//! `Leaf::begin` reports where a search begins, for functions that compare with that state. Algorithms whose
//! search doesn't call it refuse such functions in `arena/algorithm/context.rs`. `tests/search/novelty.rs`
//! tests both.

use crate::evaluation::{Calibration, Function, FunctionError};
use crate::feature::{Measure, QuantizedMeasure, StateEvaluator};
use crate::machine::lanes::value::{LaneValue, Sum};
use crate::machine::{Clock, Machine, MachineError, State};

/// Limit of a function's adders and gates for lanes. It is compiled during a search, and a larger one would take longer
/// than the 50 ms that an answer may be late.
pub(super) const MOST_GATES: usize = 16_000;

/// An evaluation function prepared for a search, or none.
pub struct Leaf<'m> {
    measure: Option<Box<dyn Measure<'m> + 'm>>,
    scale: Scaling,
    state_evaluator: StateEvaluator<'m>,
    state: State,
    /// The function for lanes, if weights were rounded for it.
    lanes: Option<LaneValue>,
}

/// How a value is scaled to 0 to 1.
#[derive(Clone, Copy)]
enum Scaling {
    /// Its position between the lowest and the highest value.
    Range([f64; 2]),
    /// The share of the goal value that the calibration assigns.
    Meaning(Calibration),
}

impl<'m> Leaf<'m> {
    /// No estimates: all states have the same value.
    pub fn none(machine: &'m dyn Machine) -> Leaf<'m> {
        Leaf {
            measure: None,
            scale: Scaling::Range([0.0, 1.0]),
            state_evaluator: StateEvaluator::new(machine),
            state: machine.initial().clone(),
            lanes: None,
        }
    }

    /// No estimates, but with lanes if the game suits them.
    pub(super) fn none_in_lanes(machine: &'m dyn Machine) -> Leaf<'m> {
        let same = || LaneValue::of(Sum { constant: 0.5, ..Sum::default() }, 0.0);
        Leaf { lanes: machine.suits_lanes().then(same), ..Leaf::none(machine) }
    }

    /// Estimates by a function of the role. If lanes can compute it and the game suits them, its weights are rounded so
    /// that both give the same values.
    ///
    /// # Errors
    /// The function does not fit the game.
    pub(super) fn in_lanes(machine: &'m dyn Machine, function: &Function) -> Result<Leaf<'m>, FunctionError> {
        Ok(Leaf::measured(machine, function.bind(machine)?, function.range()))
    }

    /// Estimates by a measure with values in a range; quantized if the game suits lanes and lanes can compute it.
    pub(super) fn measured(
        machine: &'m dyn Machine,
        measure: Box<dyn Measure<'m> + 'm>,
        range: [f64; 2],
    ) -> Leaf<'m> {
        let leaf = Leaf { scale: Scaling::Range(range), ..Leaf::none(machine) };
        let quantized = if machine.suits_lanes() { measure.quantize() } else { None };
        match quantized.filter(|quantized| quantized.lanes.size() <= MOST_GATES) {
            Some(QuantizedMeasure { measure, lanes }) => {
                Leaf { measure: Some(measure), lanes: Some(lanes), ..leaf }
            }
            None => Leaf { measure: Some(measure), ..leaf },
        }
    }

    /// Takes the function for lanes, if there is one; a second call returns none.
    pub(super) fn take_lanes(&mut self) -> Option<LaneValue> {
        self.lanes.take()
    }

    /// Estimates by a function of the role.
    ///
    /// # Errors
    /// The function does not fit the game.
    pub fn of(machine: &'m dyn Machine, function: &Function) -> Result<Leaf<'m>, FunctionError> {
        let measure = Some(function.bind(machine)?);
        Ok(Leaf { measure, scale: Scaling::Range(function.range()), ..Leaf::none(machine) })
    }

    /// Estimates of the share of its goal value that a role will get, by a function and its calibration.
    ///
    /// # Errors
    /// The function does not fit the game.
    pub fn calibrated(
        machine: &'m dyn Machine,
        function: &Function,
        meaning: Calibration,
    ) -> Result<Leaf<'m>, FunctionError> {
        let measure = Some(function.bind(machine)?);
        Ok(Leaf { measure, scale: Scaling::Meaning(meaning), ..Leaf::none(machine) })
    }

    /// Whether the estimates of states that differ only in the clock are equal.
    pub(super) fn ignores(&mut self, clock: &Clock, machine: &dyn Machine) -> bool {
        let Some(measure) = &mut self.measure else { return true };
        let (Some(network), Some(read)) = (machine.network(), measure.reads()) else { return false };
        !clock.shows_in(network, &read)
    }

    /// Begins a search from a state. Returns whether estimates may differ from those of the last search.
    pub(super) fn begin(&mut self, state: &State) -> bool {
        let Some(measure) = &mut self.measure else { return false };
        measure.begin(self.state_evaluator.facts_of(state).facts)
    }

    /// The estimate of a state, from 0 to 1: the value's position in its range, or its calibrated share.
    ///
    /// # Errors
    /// The state can't be evaluated.
    pub fn estimate(&mut self, words: &[u64]) -> Result<f64, MachineError> {
        let value = self.value(words)?;
        Ok(self.share(value))
    }

    /// The function's value of a state; 0.5 without a function.
    ///
    /// # Errors
    /// The state can't be evaluated.
    pub(super) fn value(&mut self, words: &[u64]) -> Result<f64, MachineError> {
        let Some(measure) = &mut self.measure else { return Ok(0.5) };
        copy(words, &mut self.state);
        let position = match measure.facts_suffice() {
            true => self.state_evaluator.facts_of(&self.state),
            false => self.state_evaluator.at(&self.state)?,
        };
        Ok(measure.value(&position))
    }

    /// The estimate for a value, from 0 to 1.
    pub(super) fn share(&self, value: f64) -> f64 {
        match self.scale {
            _ if !value.is_finite() => 0.5,
            Scaling::Range([low, high]) if high > low => ((value - low) / (high - low)).clamp(0.0, 1.0),
            Scaling::Range(_) => 0.5,
            Scaling::Meaning(meaning) => meaning.share(value),
        }
    }
}

/// Copies these words into a state.
pub(super) fn copy(words: &[u64], state: &mut State) {
    if state.0.len() == words.len() {
        state.0.copy_from_slice(words);
    } else {
        state.0 = words.into();
    }
}

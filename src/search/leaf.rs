//! Estimates of states where a search stops looking ahead.

use crate::evaluation::{Function, FunctionError};
use crate::feature::{Measure, Seat};
use crate::machine::{Machine, MachineError, State};

/// An evaluation function made ready for a search, or none.
pub struct Leaf<'m> {
    measure: Option<Box<dyn Measure + 'm>>,
    range: [f64; 2],
    seat: Seat<'m>,
    state: State,
}

impl<'m> Leaf<'m> {
    /// No estimates: all states look alike.
    pub fn none(machine: &'m dyn Machine) -> Leaf<'m> {
        Leaf { measure: None, range: [0.0, 1.0], seat: Seat::new(machine), state: machine.initial().clone() }
    }

    /// Estimates by a function of the role.
    ///
    /// # Errors
    /// The function does not fit the game.
    pub fn of(machine: &'m dyn Machine, function: &Function) -> Result<Leaf<'m>, FunctionError> {
        let measure = Some(function.bind(machine)?);
        Ok(Leaf { measure, range: function.range(), ..Leaf::none(machine) })
    }

    /// How good a state is: its place between the least and the greatest value of the function, 0 to 1.
    ///
    /// # Errors
    /// The state can't be evaluated.
    pub fn estimate(&mut self, words: &[u64]) -> Result<f64, MachineError> {
        let Some(measure) = &mut self.measure else { return Ok(0.5) };
        copy(words, &mut self.state);
        let position = match measure.facts_suffice() {
            true => self.seat.facts_of(&self.state),
            false => self.seat.at(&self.state)?,
        };
        let [low, high] = self.range;
        let value = measure.value(&position);
        Ok(if high > low && value.is_finite() { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 })
    }
}

/// Makes a state that of these words.
pub(super) fn copy(words: &[u64], state: &mut State) {
    if state.0.len() == words.len() {
        state.0.copy_from_slice(words);
    } else {
        state.0 = words.into();
    }
}

//! The judged functions on a common scale, and the player that recognises only terminal states, for comparison.

use crate::evaluation::scaled_feature::rewards;
use crate::evaluation::{Function, FunctionError, Kind, TunedFunctions, Tuning};
use crate::feature::{Facts, Measure, ValuedState};
use crate::machine::{Children, Cursor, Machine, MachineError, State};

/// The name of the function that gives all non-terminal states the same value. A player with it recognises an end one
/// move ahead, and otherwise plays at random.
pub const ENDS: &str = "ends";

/// An evaluation function for a role, to be judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its unique name.
    pub id: String,
    /// Its kind; none for [`ENDS`].
    pub kind: Option<Kind>,
    /// The role, counted from 0.
    pub role: usize,
    /// The function; none for [`ENDS`].
    pub function: Option<Function>,
    /// Its options, if they differ from those of the analysis.
    pub tuning: Option<Tuning>,
}

impl Candidate {
    /// The candidate of a function; none if the game has no such role.
    pub fn new(function: Function, roles: &[String]) -> Option<Candidate> {
        let role = roles.iter().position(|role| role == function.role())?;
        let (id, kind) = (function.id(), Some(function.kind()));
        Some(Candidate { id, kind, role, function: Some(function), tuning: None })
    }

    /// The candidates of functions, including those with other parameters.
    pub fn all(functions: &[Function], tuned: &[TunedFunctions], roles: &[String]) -> Vec<Candidate> {
        let mut all: Vec<Candidate> =
            functions.iter().filter_map(|function| Candidate::new(function.clone(), roles)).collect();
        for tuned_set in tuned {
            let candidate = |function: &Function| {
                let candidate = Candidate::new(function.clone(), roles)?;
                Some(Candidate {
                    id: tuned_set.name(function),
                    tuning: Some(tuned_set.tuning.clone()),
                    ..candidate
                })
            };
            all.extend(tuned_set.functions.list.iter().filter_map(candidate));
        }
        all
    }

    /// The candidate that gives all non-terminal states the same value.
    pub fn ends(role: usize) -> Candidate {
        Candidate { id: ENDS.to_owned(), kind: None, role, function: None, tuning: None }
    }

    /// Binds it to a machine.
    ///
    /// # Errors
    /// The function does not fit the game.
    pub fn bind<'m>(&self, machine: &'m dyn Machine) -> Result<Bound<'m>, FunctionError> {
        let measure = self.function.as_ref().map(|function| function.bind(machine)).transpose()?;
        let scale = match &self.function {
            None => Scale::Constant,
            Some(function) if function.range()[0] >= function.range()[1] => Scale::Constant,
            Some(Function::Fuzzy(_)) => Scale::Mapped([0.0, 1.0]),
            Some(_) => Scale::Goals,
        };
        let rewards = rewards(machine, self.role).map(f64::from);
        Ok(Bound { measure, scale, rewards })
    }
}

/// The conversion of values to estimates of a goal value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    /// All values are equal.
    Constant,
    /// This range is mapped to that of the goal values.
    Mapped([f64; 2]),
    /// Values are already estimates of a goal value.
    Goals,
}

/// Limits how far compressed values lie outside the range of the other values, in goal points. The goal value of a
/// terminal state is 1 point outside.
const MAX_EXCESS: f64 = 0.9;

/// A candidate bound to one machine; its values estimate the role's goal value.
pub struct Bound<'m> {
    measure: Option<Box<dyn Measure<'m> + 'm>>,
    scale: Scale,
    rewards: [f64; 2],
}

impl Bound<'_> {
    /// The value of a state that is not terminal, on the scale of the role's goal values. It is strictly between the
    /// lowest (R-) and the highest (R+), so that a terminal value always differs from an estimate. Fuzzy values are
    /// mapped to this range, one goal point within its ends. Values of other functions are already estimates; those
    /// outside this range are compressed to within 0.9 points of it, which keeps their order.
    pub fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        let [least, most] = self.rewards;
        let (low, high) = (least + 1.0, most - 1.0);
        let middle = (least + most) / 2.0;
        let Some(measure) = self.measure.as_mut().filter(|_| low <= high) else { return middle };
        let value = match self.scale {
            Scale::Constant => middle,
            Scale::Mapped([from, to]) => low + (high - low) * (measure.value(position) - from) / (to - from),
            Scale::Goals => measure.value(position),
        };
        let compress = |excess: f64| MAX_EXCESS * (1.0 - 1.0 / (1.0 + excess));
        if value > high {
            high + compress(value - high)
        } else if value < low {
            low - compress(low - value)
        } else {
            value
        }
    }

    /// Whether values can differ at all.
    pub fn varies(&self) -> bool {
        self.scale != Scale::Constant
    }

    /// The value of a terminal state: its goal value, or the middle of the range if it has none or several.
    pub fn end(&self, goals: &[i32]) -> f64 {
        match *goals {
            [goal] => f64::from(goal),
            _ => (self.rewards[0] + self.rewards[1]) / 2.0,
        }
    }

    /// The value of a child; its goal value if it is terminal.
    ///
    /// # Errors
    /// The state can't be evaluated.
    pub fn child(
        &mut self,
        state_evaluator: &mut StateCursor<'_>,
        children: &Children,
        child: usize,
        role: usize,
    ) -> Result<f64, MachineError> {
        if children.terminal(child) {
            return Ok(self.end(children.goals(child, role)));
        }
        if !self.varies() {
            let [least, most] = self.rewards;
            return Ok((least + most) / 2.0);
        }
        let facts_suffice = self.measure.as_ref().is_some_and(|measure| measure.facts_suffice());
        let position = match facts_suffice {
            true => state_evaluator.facts_of_words(children.state(child)),
            false => state_evaluator.at_words(children.state(child))?,
        };
        Ok(self.value(&position))
    }
}

/// A cursor of a machine for evaluating states, which counts its work.
pub struct StateCursor<'m> {
    machine: &'m dyn Machine,
    cursor: Box<dyn Cursor + 'm>,
    facts: Facts,
    state: State,
}

impl<'m> StateCursor<'m> {
    /// A view of the initial state.
    pub fn new(machine: &'m dyn Machine) -> StateCursor<'m> {
        let state = machine.initial().clone();
        StateCursor { machine, cursor: machine.cursor(), facts: Facts::new(machine), state }
    }

    /// Moves to a state.
    ///
    /// # Errors
    /// The state can't be evaluated.
    pub fn at(&mut self, state: &State) -> Result<ValuedState<'_>, MachineError> {
        self.at_words(&state.0)
    }

    /// Moves to a state given by its words.
    ///
    /// # Errors
    /// The state can't be evaluated.
    pub fn at_words(&mut self, words: &[u64]) -> Result<ValuedState<'_>, MachineError> {
        self.copy(words);
        self.cursor.set(&self.state)?;
        self.facts.fill(self.machine, &self.state);
        Ok(ValuedState { facts: &self.facts, view: &*self.cursor })
    }

    /// The view of a state given by its words, for functions that need only its facts (see [`Measure::facts_suffice`]).
    /// The cursor doesn't move.
    fn facts_of_words(&mut self, words: &[u64]) -> ValuedState<'_> {
        self.copy(words);
        self.facts.fill(self.machine, &self.state);
        ValuedState { facts: &self.facts, view: &*self.cursor }
    }

    fn copy(&mut self, words: &[u64]) {
        match self.state.0.len() == words.len() {
            true => self.state.0.copy_from_slice(words),
            false => self.state.0 = words.into(),
        }
    }

    /// Work done so far, see [`Cursor::work`].
    pub fn work(&self) -> u64 {
        self.cursor.work()
    }
}

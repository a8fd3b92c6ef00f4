//! Estimates the cost of a value of an evaluation function, compared with a step of the machine, by counted work.
//!
//! `kinds/fuzzy.rs` leaves out functions that cost more than the plan allows.
//!
//! # What it does
//! Estimates the time to evaluate a state in units of a step, for functions whose values may cost many steps: fuzzy
//! functions.
//!
//! # How
//! Along a short random walk, the machine counts the work of its steps: changed nodes, or rows of joins. The function
//! counts the work of its values: computed nodes, and rows. Each unit of work has a measured time.
//!
//! # Guarantee
//! An estimate, right within a factor of two or three. It is the same on every computer, because it does not use a
//! clock.
//!
//! # Cost
//! That of the walk and of a value at each of its states; if these are expensive, only a few are used.
//!
//! # Example
//! In the public games of November 2026, a value costs at most 21 steps by the clock, and at most 50 by these counts.
//!
//! # Source
//! `ggp bench --evaluations`, see `reports/speed/evaluations.md`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::feature::{Measure, StateEvaluator};
use crate::machine::{Machine, MachineError, MoveId, State};
use crate::simulate::Choices;

use super::fuzzy::FuzzyFunction;

/// The number of states of the walk, and the work that ends it earlier, in nanoseconds by the constants below.
const STATES: usize = 64;
const WALK: f64 = 1e9;

/// The number of values after which an evaluation that is far too expensive stops, and the work after which it stops
/// at once, in nanoseconds by the constants below.
const ENOUGH: usize = 4;
const VALUED: f64 = 5e8;

/// Nanoseconds of a step, and of a changed node or an evaluated gate: measured from 2 to 17.
const STEP: f64 = 200.0;
const CHANGE: f64 = 8.0;

/// Nanoseconds of a row of a join, in steps and in values.
const ROW: f64 = 110.0;

/// Nanoseconds of a value, and of a node that is computed for it: measured from 15 to 240.
const VALUE: f64 = 300.0;
const SETTLED: f64 = 50.0;

/// States along a random walk, and the mean cost of a step between them.
pub struct StepCost<'m> {
    machine: &'m dyn Machine,
    states: Vec<State>,
    /// Nanoseconds of a step, by counted work.
    step: f64,
}

impl<'m> StepCost<'m> {
    /// Walks at random; none if no step is possible.
    ///
    /// # Errors
    /// A state can't be evaluated.
    pub fn new(
        machine: &'m dyn Machine,
        interrupt: Option<&Arc<AtomicBool>>,
    ) -> Result<Option<StepCost<'m>>, MachineError> {
        let [base, touched] = if machine.network().is_some() { [STEP, CHANGE] } else { [0.0, ROW] };
        let roles = machine.description().roles.len();
        let mut cursor = machine.cursor();
        cursor.count_touched();
        let mut states = vec![machine.initial().clone()];
        let (mut spent, mut back, mut steps) = (0.0, 0.0, 0u32);
        'walk: for playout in 0..STATES as u64 {
            let mut choices = Choices::new(1, playout);
            if playout > 0 {
                // Returning to a state costs as much as a step if rules are derived for it.
                if states.len() >= STATES || spent + back >= WALK {
                    break;
                }
                let before = cursor.touched();
                cursor.set(machine.initial())?;
                back += touched * (cursor.touched() - before) as f64;
            }
            while !cursor.terminal() {
                let done = states.len() >= STATES || spent + back >= WALK;
                if done || interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                    break 'walk;
                }
                let choose = |role: usize| {
                    let legal = cursor.legal(role);
                    // A role without legal moves ends the walk.
                    (!legal.is_empty()).then(|| legal[choices.below(legal.len())])
                };
                let Some(joint) = (0..roles).map(choose).collect::<Option<Vec<MoveId>>>() else { break };
                let before = cursor.touched();
                match cursor.advance(&joint) {
                    Err(error) if error.is_of_growth() => break,
                    advanced => advanced?,
                }
                spent += base + touched * (cursor.touched() - before) as f64;
                steps += 1;
                states.push(cursor.state().clone());
            }
        }
        let step = spent / f64::from(steps);
        Ok((steps > 0 && step > 0.0).then_some(StepCost { machine, states, step }))
    }

    /// The machine that made the walk.
    pub fn machine(&self) -> &'m dyn Machine {
        self.machine
    }

    /// Nanoseconds of a step, by counted work.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// The mean cost of a value of a function in steps; none if the function does not fit the game. A function that
    /// costs more than `most` may be reported after a few states.
    pub fn of(&self, function: &FuzzyFunction, most: f64) -> Option<f64> {
        let mut bound = function.bind(self.machine).ok()?;
        let mut evaluator = StateEvaluator::new(self.machine);
        // The first value is computed in full, and does not count.
        bound.value(&evaluator.facts_of(&self.states[0]));
        let (nodes, rows) = (bound.work(), Measure::work(&bound));
        let mut steps = 0.0;
        for (number, state) in self.states[1..].iter().enumerate() {
            bound.value(&evaluator.facts_of(state));
            let values = (number + 1) as f64;
            let [nodes, rows] =
                [bound.work() - nodes, Measure::work(&bound) - rows].map(|count| count as f64);
            let value = VALUE + (SETTLED * nodes + ROW * rows) / values;
            steps = value / self.step;
            if (number + 1 >= ENOUGH && steps > 2.0 * most) || value * values > VALUED {
                break;
            }
        }
        Some(steps)
    }
}

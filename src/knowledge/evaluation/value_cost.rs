//! What a value of an evaluation function costs beside a step of the machine, by counted work.
//!
//! `kinds/fuzzy.rs` leaves out functions that cost more than the plan allows.
//!
//! # What it does
//! Says in how many steps' time a state is valued, for functions whose values may cost many: fuzzy goal functions.
//!
//! # How
//! Along a short random walk the machine counts what its steps touch (nodes that change, or rows that joins look at), and
//! the function what its values touch (nodes that are settled, and rows). Each is taken to need a time that was measured.
//!
//! # Guarantee
//! An estimate, by a factor of two or three; the same everywhere, as no clock is asked.
//!
//! # Cost
//! That of the walk and of a value at each of its states; where these are dear a few tell.
//!
//! # Example
//! In the public games of November 2026 a value costs 21 steps at most by the clock, and 50 by these counts.
//!
//! # Source
//! `ggp bench --evaluations`, see `reports/speed/evaluations.md`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::feature::{Measure, StateEvaluator};
use crate::machine::{Machine, MachineError, MoveId, State};
use crate::simulate::Choices;

use super::fuzzy::FuzzyFunction;

/// States of the walk, and work after which it ends sooner, in nanoseconds by the figures below.
const STATES: usize = 64;
const WALK: f64 = 1e9;

/// Values after which one that is far too dear is valued no more, and nanoseconds by the figures below after which it is so at
/// once.
const ENOUGH: usize = 4;
const VALUED: f64 = 5e8;

/// Nanoseconds of a step, and of a node that changes in it or a gate that is told: 2 to 17.
const STEP: f64 = 200.0;
const CHANGE: f64 = 8.0;

/// Nanoseconds of a row that joins look at, in steps and in values.
const ROW: f64 = 110.0;

/// Nanoseconds of a value, and of a node that is settled for it: 15 to 240.
const VALUE: f64 = 300.0;
const SETTLED: f64 = 50.0;

/// States along random play, and what a step costs that leads from one to the next.
pub struct StepCost<'m> {
    machine: &'m dyn Machine,
    states: Vec<State>,
    /// Nanoseconds of a step, by counts.
    step: f64,
}

impl<'m> StepCost<'m> {
    /// Walks at random; nothing where there is no step to be made.
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
                // Going back takes as long as a step where rules are derived for it.
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
                    // Nobody chooses among none: the walk can't go on.
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

    /// The machine.
    pub fn machine(&self) -> &'m dyn Machine {
        self.machine
    }

    /// Nanoseconds of a step, by counts.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// In how many steps' time a function values a state, on the mean; nothing where it does not fit the game. One that
    /// costs more than `most` may be told after a few states.
    pub fn of(&self, function: &FuzzyFunction, most: f64) -> Option<f64> {
        let mut bound = function.bind(self.machine).ok()?;
        let mut evaluator = StateEvaluator::new(self.machine);
        // The first value is made from nothing.
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

//! Exact values of the states of a small game.

use std::sync::atomic::AtomicBool;

use crate::evaluation::scaled_feature::rewards;
use crate::machine::{Machine, MachineError, State};
use crate::structure::finding::Structures;

use super::exact::{ExactLimits, Solver, Unsolved};
use super::sides::Sides;

/// For each state the goal value that every role, with its team, can force. `None` if the value of a role is not found
/// within [`ExactLimits`]. The states must not be terminal. For each role at most `max_states` states are visited.
///
/// # Errors
/// A state can't be evaluated.
pub fn exact_values(
    machine: &dyn Machine,
    structures: &Structures,
    states: &[&State],
    max_states: usize,
    interrupt: Option<&AtomicBool>,
) -> Result<Option<Vec<Vec<i32>>>, MachineError> {
    // The search from one state may visit half of the limit.
    let limits = ExactLimits { states: 2 * max_states, ..ExactLimits::default() };
    let roles = machine.description().roles.len();
    let mut values = vec![Vec::with_capacity(roles); states.len()];
    for role in 0..roles {
        let sides = Sides::of_team(role, roles, structures.team_of(role).unwrap_or_default());
        let mut solver = Solver::new(machine, sides, rewards(machine, role), limits, interrupt);
        // All reachable states must have values: a part of them would not be a random sample.
        match solver.value(machine.initial()) {
            Ok(_) => {}
            Err(Unsolved::Machine(error)) => return Err(error),
            Err(_) => return Ok(None),
        }
        for (state, values) in states.iter().zip(&mut values) {
            match solver.value(state) {
                Ok(value) => values.push(value),
                Err(Unsolved::Machine(error)) => return Err(error),
                Err(_) => return Ok(None),
            }
        }
    }
    Ok(Some(values))
}

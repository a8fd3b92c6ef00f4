//! The valuer of an analysis: exact values of the states of a small game.

use std::sync::Arc;

use crate::analysis::{CallerError, ExactTrial};
use crate::evaluation::kuhlmann::rewards;

use super::exact::{ExactLimits, Solver, Unsolved};
use super::sides::Sides;

/// For each state the goal value that every role, with its team, can force; none where one of them has none within the
/// limits of [`ExactLimits`].
///
/// # Errors
/// A state can't be evaluated.
pub fn exact_values(trial: &ExactTrial<'_>) -> Result<Option<Vec<Vec<i32>>>, CallerError> {
    let &ExactTrial { machine, structures, states, listed, interrupt } = trial;
    // A search may list half of what is allowed.
    let limits = ExactLimits { states: 2 * listed, ..ExactLimits::default() };
    let roles = machine.description().roles.len();
    let mut values = vec![Vec::with_capacity(roles); states.len()];
    for role in 0..roles {
        let sides = Sides::of_team(role, roles, structures.team_of(role).unwrap_or_default());
        let interrupt = interrupt.map(Arc::as_ref);
        let mut solver = Solver::new(machine, sides, rewards(machine, role), limits, interrupt);
        // All that can be reached, or nothing: what is left out would not be left out at random.
        match solver.value(machine.initial()) {
            Ok(_) => {}
            Err(Unsolved::Machine(error)) => return Err(error.into()),
            Err(_) => return Ok(None),
        }
        for (state, values) in states.iter().zip(&mut values) {
            match solver.value(state) {
                Ok(value) => values.push(value),
                Err(Unsolved::Machine(error)) => return Err(error.into()),
                Err(_) => return Ok(None),
            }
        }
    }
    Ok(Some(values))
}

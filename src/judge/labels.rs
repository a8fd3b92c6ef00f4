//! What playouts from the sample come to where roles follow functions in them, in lanes: random play tells little of states whose
//! worth only sensible play shows.

use crate::evaluation::kuhlmann::rewards;
use crate::evaluation::{Function, FunctionError};
use crate::machine::lanes::guided::{LaneGuides, MOST_GATES};
use crate::machine::lanes::value::LaneValue;
use crate::machine::{Machine, State};
use crate::simulate::{Budget, Context, Label, labels_guided};

use super::candidate::Candidate;
use super::error::JudgeError;

/// Moves drawn for a choice, of which the best is made.
pub const MOVES_DRAWN: usize = 4;

/// Kinds of functions whose values lanes tell in games with a network.
const KINDS: &str = "statistical, kuhlmann and learned";

/// Of some functions for each role the first that is its own.
pub(super) fn followed(functions: &[Candidate], roles: usize) -> Vec<Option<&Candidate>> {
    (0..roles).map(|role| functions.iter().find(|candidate| candidate.role == role)).collect()
}

/// Plays from each of some states; roles follow their functions, and draw their moves where there is none.
///
/// # Errors
/// A function does not fit the game, or lanes can't tell it.
pub(super) fn labels(
    machine: &dyn Machine,
    followed: &[Option<&Candidate>],
    states: &[State],
    budget: &Budget,
    context: &Context<'_>,
) -> Result<Vec<Label>, JudgeError> {
    let program = machine.lanes().ok_or(JudgeError::NoLanes)?;
    let roles = machine.description().roles.len();
    let mut size = 0;
    for candidate in followed.iter().flatten() {
        let refused = || JudgeError::NotInLanes { id: candidate.id.clone(), kinds: KINDS };
        let function = candidate.function.as_ref().ok_or_else(refused)?;
        let wrong = |error| JudgeError::Function { id: candidate.id.clone(), error };
        size += in_lanes(machine, function).map_err(wrong)?.ok_or_else(refused)?.size();
        if size > MOST_GATES {
            return Err(JudgeError::TooLarge { id: candidate.id.clone() });
        }
    }
    let rewards: Vec<[i32; 2]> = (0..roles).map(|role| rewards(machine, role)).collect();
    // Nothing is better than the best end, and nothing worse than the worst, whatever a function says.
    let worth = |role: usize, goal: i32| match rewards[role] {
        [_, most] if goal >= most => f64::INFINITY,
        [least, _] if goal <= least => f64::NEG_INFINITY,
        _ => f64::from(goal),
    };
    let value = |candidate: &Option<&Candidate>| {
        let function = candidate.and_then(|candidate| candidate.function.as_ref())?;
        in_lanes(machine, function).ok().flatten()
    };
    let guides = || LaneGuides::new(program, followed.iter().map(value).collect(), worth, MOVES_DRAWN);
    Ok(labels_guided(machine, program, states, budget, context, &guides)?)
}

fn in_lanes(machine: &dyn Machine, function: &Function) -> Result<Option<LaneValue>, FunctionError> {
    // Others take longer than the steps of a playout.
    Ok(function.bind(machine)?.in_lanes().filter(LaneValue::is_of_sums))
}

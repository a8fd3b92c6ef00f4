//! Solves a puzzle that consists of independent parts, each alone.
//!
//! # How
//! The states of each part are enumerated from its own fluents. A move counts as legal if its conditions on this part
//! hold; the other parts are assumed to allow it. Only the conditions of a part that `terminal` and `goal` read matter
//! for the result, so its states fall into few classes. The best combination of classes, one for each part, that ends
//! the game bounds the value from above. A plan that reaches it in the real game bounds the value from below. The plans
//! of the parts are carried out together if a move acts in all parts, otherwise one after the other.
//!
//! # Guarantee
//! A result is returned only if both bounds agree.
//!
//! # Cost
//! The number of states is the sum over the parts, not the product.
//!
//! # Source
//! Cox, Schkufza, Madsen and Genesereth 2009; Günther, Schiffel and Thielscher 2009.

mod budget;
mod division;
mod equivalence;
mod grundy;
mod impartial;
mod joint_gates;
mod local;
mod local_circuit;
mod outcomes;
mod plan;
mod steps;

use crate::ground::parts::Parts;
use crate::machine::{Machine, MoveId, State};

use super::limits::{Halt, Meter};
pub(super) use equivalence::Equivalence;
pub(crate) use grundy::ImpartialSum;
pub use grundy::NimSum;
use local::LocalStates;
use outcomes::Outcomes;
use plan::{Bound, plan};
use steps::Steps;

/// The value of a puzzle, with a plan.
pub(super) struct PlanOfParts {
    pub(super) goal: i32,
    pub(super) moves: Vec<Vec<MoveId>>,
    /// Whether no plan is shorter.
    pub(super) shortest: bool,
}

/// Solves a puzzle by its parts; none if it has fewer than two, or if that does not prove its value.
pub(super) fn solve_parts(
    machine: &dyn Machine,
    state: &State,
    memory: usize,
    meter: &mut Meter<'_>,
) -> Result<Option<PlanOfParts>, Halt> {
    let Some(network) = machine.network() else { return Ok(None) };
    let Some(parts) = Parts::of(network, &|| meter.interrupted()) else { return Ok(None) };
    if parts.parts.iter().any(|part| part.after.is_some()) {
        return Ok(None);
    }
    // Fluents that no move changes have the same values at the same step of every game.
    let Some(steps) = Steps::new(machine, state, &parts.moved)? else { return Ok(None) };
    let owners = parts.owners(network);
    let mut outcomes = Outcomes::new(network, &owners, &steps, parts.parts.len());
    let mut local_states: Vec<LocalStates<'_>> = Vec::new();
    let memory = memory / parts.parts.len();
    for (number, part) in (0..).zip(&parts.parts) {
        let local = LocalStates::new(machine, network, &owners, (number, part), &parts.moved);
        let Some(mut local) = local else { return Ok(None) };
        local.begin(state, steps.clock, &mut outcomes, memory, meter)?;
        local_states.push(local);
    }
    for (number, goal) in outcomes.goals().enumerate() {
        let mut open = false;
        for step in 0..steps.words.len() {
            if number == 0 && step > 0 {
                for part in &mut local_states {
                    part.step(state, &mut outcomes, memory, meter)?;
                }
            }
            match plan(&outcomes, (machine, state), &local_states, goal, (step, steps.clock), meter)? {
                Bound::Impossible => {}
                Bound::Open => open = true,
                Bound::Reached { moves, at_once } => {
                    return Ok(Some(PlanOfParts { goal: goal.0, moves, shortest: at_once && !open }));
                }
            }
        }
        if open {
            return Ok(None);
        }
    }
    Ok(None)
}

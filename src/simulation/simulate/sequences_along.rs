//! Short sequences of states from random playouts that begin somewhere on a way through the game, such as one to a goal that
//! random play from the initial state does not reach.

use std::sync::atomic::Ordering;

use crate::machine::{Machine, MachineError, MoveId, State};

use super::budget::{Budget, Context};
use super::choice::Choices;
use super::sequence_shape::{Sequence, SequenceShape, single};

/// Keeps these playouts apart from those from the initial state.
const STREAM: u64 = 0x0a10_4a3b;

/// The states of a way from the initial state on, none of them terminal; it ends sooner where a move can't be made.
///
/// # Errors
/// A state can't be evaluated.
pub fn states_along(machine: &dyn Machine, joints: &[Vec<MoveId>]) -> Result<Vec<State>, MachineError> {
    let mut cursor = machine.cursor();
    let mut states = Vec::with_capacity(joints.len());
    for joint in joints {
        let legal = || joint.iter().enumerate().all(|(role, action)| cursor.legal(role).contains(action));
        if cursor.terminal() || !legal() {
            break;
        }
        states.push(cursor.state().clone());
        cursor.advance(joint)?;
    }
    Ok(states)
}

/// Plays at random from states of a way, each as likely as the others, and takes a sequence from each playout. `way` holds the
/// state after each number of joint moves. Of the budget are used its playouts, its most steps, counted from the initial state,
/// its seed, and its work, here in steps.
///
/// Playouts are played one after the other: what is played does not depend on threads. One that comes to a state that can't be
/// evaluated gives no sequence.
pub fn sequences_along(
    machine: &dyn Machine,
    way: &[State],
    shape: SequenceShape,
    budget: &Budget,
    context: &Context<'_>,
) -> Vec<Sequence> {
    let mut sequences = Vec::new();
    if way.is_empty() {
        return sequences;
    }
    let roles = machine.description().roles.len();
    let mut cursor = machine.cursor();
    let mut joint: Vec<MoveId> = Vec::with_capacity(roles);
    let mut states: Vec<State> = Vec::new();
    let mut work = 0;
    'playouts: for playout in budget.first..budget.first.saturating_add(budget.playouts) {
        let mut choices = Choices::new(budget.seed ^ STREAM, playout);
        let begin = choices.below(way.len());
        states.clear();
        // Going to the state counts as a step.
        work += 1;
        if cursor.set(&way[begin]).is_err() {
            continue;
        }
        while !cursor.terminal() {
            let ended = context.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
            if ended || budget.work.is_some_and(|most| work > most) {
                return sequences;
            }
            states.push(cursor.state().clone());
            let stuck = (0..roles).any(|role| cursor.legal(role).is_empty());
            if stuck || begin + states.len() > budget.max_steps as usize {
                break;
            }
            joint.clear();
            joint.extend((0..roles).map(|role| {
                let legal = cursor.legal(role);
                legal[choices.below(legal.len())]
            }));
            work += 1;
            if cursor.advance(&joint).is_err() {
                continue 'playouts;
            }
        }
        let goals = match cursor.terminal() {
            true => (0..roles).map(|role| cursor.goals(role).to_vec()).collect(),
            false => vec![Vec::new(); roles],
        };
        let chosen = shape.choose(budget.seed ^ STREAM, playout, states.len());
        if chosen.is_empty() {
            continue;
        }
        sequences.push(Sequence {
            steps: chosen.iter().map(|&place| (begin + place) as u32).collect(),
            states: chosen.into_iter().map(|place| states[place].clone()).collect(),
            goals: single(&goals),
        });
    }
    sequences
}

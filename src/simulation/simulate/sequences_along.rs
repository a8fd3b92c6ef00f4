//! Sequences of states from random playouts that start on a given path, such as a path to a goal that random play does not
//! reach from the initial state.

use std::sync::atomic::Ordering;

use crate::machine::{Machine, MachineError, MoveId, State};

use super::budget::{Budget, Context};
use super::choice::Choices;
use super::sequence_shape::{Sequence, SequenceShape, single};

/// Separates the random numbers of these playouts from those of playouts from the initial state.
const STREAM: u64 = 0x0a10_4a3b;

/// The nonterminal states on the path of these joint moves, from the initial state on. The path ends early if a move can't
/// be made.
///
/// # Errors
/// [`MachineError`]: a state can't be evaluated.
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

/// Plays random playouts from uniformly random states of a path, and takes a sequence from each playout. `path` has the
/// state after each number of joint moves. Of the budget, the playouts, the seed, the step limit (counted from the initial
/// state) and the work limit (counted in steps) apply.
///
/// One thread plays the playouts one after the other. A playout with a state that can't be evaluated gives no sequence.
pub fn sequences_along(
    machine: &dyn Machine,
    path: &[State],
    shape: SequenceShape,
    budget: &Budget,
    context: &Context<'_>,
) -> Vec<Sequence> {
    let mut sequences = Vec::new();
    if path.is_empty() {
        return sequences;
    }
    let roles = machine.description().roles.len();
    let mut cursor = machine.cursor();
    let mut joint: Vec<MoveId> = Vec::with_capacity(roles);
    let mut states: Vec<State> = Vec::new();
    let mut work = 0;
    'playouts: for playout in budget.first..budget.first.saturating_add(budget.playouts) {
        let mut choices = Choices::new(budget.seed ^ STREAM, playout);
        let begin = choices.below(path.len());
        states.clear();
        // Setting the cursor counts as a step.
        work += 1;
        if cursor.set(&path[begin]).is_err() {
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
            steps: chosen.iter().map(|&index| (begin + index) as u32).collect(),
            states: chosen.into_iter().map(|index| states[index].clone()).collect(),
            goals: single(&goals),
        });
    }
    sequences
}

//! Openings: random joint moves before players begin. Deterministic players thus play different matches, and all matches
//! of a round begin in the same state.

use crate::machine::{Machine, MachineError, MoveId};
use crate::simulate::Choices;

/// Attempts at an opening of this length before a shorter one is tried; in most games the first one succeeds.
const TRIES: u64 = 100;

/// Random joint moves from the initial state, `steps` of them; fewer if no opening of that length was found that ends
/// before a terminal state.
///
/// # Errors
/// A state can't be evaluated.
pub fn opening(machine: &dyn Machine, steps: u32, seed: u64) -> Result<Vec<Vec<MoveId>>, MachineError> {
    let roles = machine.description().roles.len();
    let mut longest = Vec::new();
    for number in 0..TRIES {
        let mut choices = Choices::new(seed, number);
        let mut cursor = machine.cursor();
        let mut line = Vec::new();
        while line.len() < steps as usize {
            let draw = |role| {
                let legal = cursor.legal(role);
                (!legal.is_empty()).then(|| legal[choices.below(legal.len())])
            };
            let Some(joint) = (0..roles).map(draw).collect::<Option<Vec<MoveId>>>() else { break };
            match cursor.advance(&joint) {
                Err(error) if error.is_of_growth() => break,
                advanced => advanced?,
            }
            if cursor.terminal() {
                break;
            }
            line.push(joint);
        }
        if line.len() > longest.len() {
            longest = line;
        }
        if longest.len() == steps as usize {
            break;
        }
    }
    Ok(longest)
}

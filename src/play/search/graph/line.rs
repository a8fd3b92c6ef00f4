//! The line of best play through a graph with known values.

use rustc_hash::FxHashMap;

use crate::machine::{Machine, MachineError, MoveId, State};

use super::backward::{Course, RoleView};
use super::states::Id;

/// The joint moves of best play from the first state to an end.
pub(super) fn play(
    machine: &dyn Machine,
    first: &State,
    seen: &RoleView<'_>,
    course: &Course,
) -> Result<Vec<Vec<MoveId>>, MachineError> {
    let graph = seen.graph;
    let mut cursor = machine.cursor();
    cursor.set(first)?;
    let mut line = Vec::new();
    let mut at: Id = 0;
    while !cursor.terminal() {
        let ply = line.len() as u32 + 1;
        let values = values(graph.links(at), ply, course);
        let Some((_, index)) = seen.choose(at, |child| values[&child]) else { break };
        let mut number = index;
        let mut joint = vec![MoveId(0); graph.rewards.len()];
        for role in (0..joint.len()).rev() {
            let legal = cursor.legal(role);
            joint[role] = legal[number % legal.len()];
            number /= legal.len();
        }
        cursor.advance(&joint)?;
        line.push(joint);
        at = graph.links(at)[index];
    }
    Ok(line)
}

/// The values of states after `ply` plies.
fn values(states: &[Id], ply: u32, course: &Course) -> FxHashMap<Id, i32> {
    match course {
        Course::Still(values) => states.iter().map(|&id| (id, values[id as usize])).collect(),
        Course::Changing(changes) => {
            let mut values: FxHashMap<Id, i32> = states.iter().map(|&id| (id, i32::MIN)).collect();
            for change in changes.iter().take_while(|change| change.ply >= ply) {
                if let Some(value) = values.get_mut(&change.state) {
                    *value = change.score;
                }
            }
            values
        }
    }
}

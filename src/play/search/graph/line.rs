//! The line of best play through a graph with known values.

use rustc_hash::FxHashMap;

use crate::machine::{Cursor, Machine, MachineError, MoveId, State, StateView};

use super::backward::{Course, RoleView};
use super::explore::Graph;
use super::states::Id;

/// The joint moves of best play from the first state to a terminal state.
pub(super) fn play(
    machine: &dyn Machine,
    first: &State,
    view: &RoleView<'_>,
    course: &Course,
) -> Result<Vec<Vec<MoveId>>, MachineError> {
    let graph = view.graph;
    let mut cursor = machine.cursor();
    cursor.set(first)?;
    let mut line = Vec::new();
    let mut current: Id = 0;
    while !cursor.terminal() {
        let ply = line.len() as u32 + 1;
        let Some(children) = children(graph, current, &mut *cursor)? else { break };
        let values = values(&children, ply, course);
        let Some((_, index)) = view.choose_child(current, &children, |child| values[&child]) else { break };
        let joint = joint_move(cursor.as_ref(), graph.rewards.len(), index);
        cursor.advance(&joint)?;
        line.push(joint);
        current = children[index];
    }
    Ok(line)
}

/// The joint move of a state with this index; the last role's move changes fastest.
pub(super) fn joint_move(state: &dyn StateView, roles: usize, mut number: usize) -> Vec<MoveId> {
    let mut joint = vec![MoveId(0); roles];
    for role in (0..roles).rev() {
        let legal = state.legal(role);
        joint[role] = legal[number % legal.len()];
        number /= legal.len();
    }
    joint
}

/// The children of the cursor's state, in the order of its joint moves. If the graph joins equivalent states, the
/// cursor's state may differ from the one in the graph. None if a child was not found.
fn children(
    graph: &Graph<'_>,
    current: Id,
    cursor: &mut dyn Cursor,
) -> Result<Option<Vec<Id>>, MachineError> {
    let links = graph.links(current);
    if !graph.joins_states() {
        return Ok(Some(links.to_vec()));
    }
    let state = cursor.state().clone();
    let mut children = Vec::with_capacity(links.len());
    for number in 0..links.len() {
        let joint = joint_move(cursor, graph.rewards.len(), number);
        cursor.advance(&joint)?;
        children.push(graph.find(&cursor.state().0));
        cursor.set(&state)?;
    }
    Ok(children.into_iter().collect())
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

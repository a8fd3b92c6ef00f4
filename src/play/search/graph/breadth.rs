//! The shortest path to the best end of a single-player game.

use crate::machine::{Machine, MachineError, MoveId, State};
use crate::search::limits::{Halt, Meter};

use super::classes::Classes;
use super::explore::{Graph, GraphError, Links};
use super::states::Id;

/// A path to the best end; no path to an equally good end is shorter.
pub(in crate::search) struct Shortest {
    pub(in crate::search) goal: i32,
    pub(in crate::search) moves: Vec<Vec<MoveId>>,
}

/// Finds the shortest path from a state that is not terminal, by breadth-first search. None if ends made by the clock may
/// be better than others: the shortest distance of a state is then not enough.
pub(in crate::search) fn shortest(
    machine: &dyn Machine,
    state: &State,
    classes: Classes<'_>,
    memory: usize,
    meter: &mut Meter<'_>,
) -> Result<Result<Option<Shortest>, GraphError>, Halt> {
    let mut graph = match Graph::new(machine, state, classes) {
        Ok(graph) => graph,
        Err(error) => return Ok(Err(error)),
    };
    let most = graph.rewards[0][1];
    let mut best: Option<(i32, Id)> = None;
    let mut meanwhile = i32::MIN;
    let explored =
        graph.explore(machine, state, (Links::Parents, memory), meter, &mut |graph, id, ply| {
            let goal = graph.goals(id)[0];
            meanwhile = meanwhile.max(goal);
            let terminal = graph.is_end(id) || graph.last_ply() == Some(ply);
            if terminal && best.is_none_or(|(known, _)| goal > known) {
                best = Some((goal, id));
            }
            best.is_none_or(|(known, _)| known < most)
        })?;
    if let Err(error) = explored {
        return Ok(Err(error));
    }
    // A state that was reached again with less time left was skipped. It leads to the same ends, except those made by the
    // clock, and their values were seen.
    let certain = |&(goal, _): &(i32, Id)| goal == most || graph.clock.is_none() || goal >= meanwhile;
    let Some((goal, id)) = best.filter(certain) else { return Ok(Ok(None)) };
    let mut path = vec![id];
    let mut at = id;
    while at != 0 {
        at = graph.parents[at as usize];
        path.push(at);
    }
    path.reverse();
    let moves = moves(machine, state, &graph, &path)?;
    Ok(Ok(Some(Shortest { goal, moves })))
}

/// The moves along a path of states. With classes, they lead to other states of the same classes.
fn moves(
    machine: &dyn Machine,
    first: &State,
    graph: &Graph<'_>,
    path: &[Id],
) -> Result<Vec<Vec<MoveId>>, MachineError> {
    let mut cursor = machine.cursor();
    let mut moves = Vec::new();
    let mut state = first.clone();
    for &id in &path[1..] {
        cursor.set(&state)?;
        for action in cursor.legal(0).to_vec() {
            cursor.set(&state)?;
            cursor.advance(&[action])?;
            if graph.find(&cursor.state().0) == Some(id) {
                moves.push(vec![action]);
                break;
            }
        }
        state.clone_from(cursor.state());
    }
    Ok(moves)
}

//! The searcher of an analysis: the best goal value to which a way can be found in a game for one.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::analysis::{CallerError, Way, WayTrial};
use crate::machine::MoveId;

use super::limits::Limits;
use super::solve::solve;

/// Searches a game of one role from its initial state.
///
/// # Errors
/// A state can't be evaluated.
pub fn way(trial: &WayTrial<'_>) -> Result<Way, CallerError> {
    let &WayTrial { machine, nodes, memory, interrupt } = trial;
    let interrupt: Option<&AtomicBool> = interrupt.map(Arc::as_ref);
    let limits = Limits { nodes: Some(nodes), interrupt, ..Limits::default() };
    let solution = solve(machine, &[], machine.initial(), memory, &limits, &mut |_, _| {})?;
    let moves: Vec<MoveId> =
        solution.principal_variation.iter().filter_map(|joint| joint.first().copied()).collect();
    // A line that was not proved may end in the middle of the game.
    let mut cursor = machine.cursor();
    for &action in &moves {
        cursor.advance(&[action])?;
    }
    let goal = if cursor.terminal() { cursor.goals(0).first().copied() } else { None };
    let moves = if goal.is_some() { moves } else { Vec::new() };
    Ok(Way { goal, moves, proved: solution.proved(), nodes: solution.nodes })
}

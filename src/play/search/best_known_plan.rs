//! The best plan that a search finds in a single-player game.

use std::sync::atomic::AtomicBool;

use crate::machine::{Machine, MoveId};

use super::limits::Limits;
use super::result::SearchError;
use super::solve::solve_without_symmetry;

/// The best plan that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestKnownPlan {
    /// The goal value it leads to from the initial state, if there is a plan.
    pub goal: Option<i32>,
    /// Its moves.
    pub moves: Vec<MoveId>,
    /// Whether no goal value is better.
    pub proved: bool,
    /// States visited.
    pub nodes: u64,
}

/// Searches a single-player game from its initial state. Each method visits at most `nodes` states and uses at most
/// `memory` bytes.
///
/// # Errors
/// A state can't be evaluated.
pub fn best_known_plan(
    machine: &dyn Machine,
    nodes: u64,
    memory: usize,
    interrupt: Option<&AtomicBool>,
) -> Result<BestKnownPlan, SearchError> {
    let limits = Limits { nodes: Some(nodes), interrupt, ..Limits::default() };
    let solution = solve_without_symmetry(machine, &[], machine.initial(), memory, &limits, &mut |_, _| {})?;
    let moves: Vec<MoveId> =
        solution.principal_variation.iter().filter_map(|joint| joint.first().copied()).collect();
    // A line that was not proved may end before the game does.
    let mut cursor = machine.cursor();
    for &action in &moves {
        cursor.advance(&[action])?;
    }
    let goal = if cursor.terminal() { cursor.goals(0).first().copied() } else { None };
    let moves = if goal.is_some() { moves } else { Vec::new() };
    Ok(BestKnownPlan { goal, moves, proved: solution.proved(), nodes: solution.nodes })
}

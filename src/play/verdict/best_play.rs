//! The result of best play, if the game is small enough to be solved.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::affordable_nodes;
use crate::machine::Machine;
use crate::search::{Limits, SearchError, Solution, Solver, Stop, solve_without_symmetry};

/// Memory of the search, in bytes.
pub(super) const MEMORY: usize = 128 << 20;

/// The greatest number of states that a search visits for a first answer.
const MAX_NODES: u64 = 2_000_000;

/// Limit of children that are computed, for each state that may be visited.
pub(super) const CHILDREN: u64 = 8;

/// What best play brings.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BestPlay {
    /// The value that each role (with its team) can guarantee, in the order of the rules; null if it is not known.
    pub values: Vec<Option<f64>>,
    /// Whether all values are proved.
    pub solved: bool,
    /// Whether the values are means of mixed strategies or of moves of chance.
    pub means: bool,
    /// The number of joint moves of best play; null if it is not known, as for values that are proved without their distance.
    pub length: Option<usize>,
    /// In a game of one role: whether no shorter plan exists.
    pub shortest: bool,
    /// The joint moves of best play, as far as known, each move as KIF.
    pub line: Vec<Vec<String>>,
    /// The states visited.
    pub states: u64,
    /// Whether the limit of states ended the search.
    pub limited: bool,
}

/// Solves the game within a limit of processor time, in nanoseconds by counts.
///
/// # Errors
/// A state can't be evaluated.
pub(super) fn best_play(
    machine: &dyn Machine,
    teams: &[Vec<usize>],
    nanoseconds: f64,
    interrupt: Option<&Arc<AtomicBool>>,
) -> Result<Option<BestPlay>, SearchError> {
    let Some(nodes) = affordable_nodes(machine, nanoseconds, interrupt) else { return Ok(None) };
    let nodes = nodes.min(MAX_NODES);
    let limits = Limits {
        nodes: Some(nodes),
        children: Some(nodes * CHILDREN),
        interrupt: interrupt.map(|flag| &**flag),
        ..Limits::default()
    };
    let solution =
        solve_without_symmetry(machine, teams, machine.initial(), MEMORY, &limits, &mut |_, _| {})?;
    Ok(Some(BestPlay::new(machine, &solution)))
}

/// The value of each role of a solution, if it is proved.
pub(super) fn values(solution: &Solution) -> Vec<Option<f64>> {
    let value = |role: &crate::search::GuaranteedValue| match &role.mixed {
        Some(mean) => mean.value,
        None => role.value.map(f64::from),
    };
    solution.roles.iter().map(value).collect()
}

impl BestPlay {
    fn new(machine: &dyn Machine, solution: &Solution) -> BestPlay {
        let text = |joint: &Vec<crate::machine::MoveId>| {
            joint.iter().map(|&action| machine.move_text(action)).collect()
        };
        let solved = solution.proved();
        let stopped = |role: &crate::search::GuaranteedValue| role.stop == Stop::Nodes;
        // These solvers prove values, but their line is one of many, and the loser could hold out longer.
        let any_line = matches!(solution.solver, Solver::Bounds | Solver::GrundyNumbers);
        BestPlay {
            values: values(solution),
            solved,
            means: solution.roles.iter().any(|role| role.mixed.is_some())
                || machine.description().random_role().is_some(),
            length: (solved && !any_line).then_some(solution.principal_variation.len()),
            shortest: solution.shortest,
            line: solution.principal_variation.iter().map(text).collect(),
            states: solution.nodes,
            limited: solution.roles.iter().any(stopped),
        }
    }
}

//! What roles can be sure of, for an analysis.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::analysis::{CallerError, WayTrial};
use crate::property::Guarantee;

use super::limits::Limits;
use super::solve::solve;

/// Roles for whom the states of a trial may be visited, each in its own search; with more roles each has fewer.
const ROLES: u64 = 2;

/// Children that may be made for each state that may be visited.
const CHILDREN: u64 = 8;

/// What every role can be sure of from the initial state, each alone against all others.
///
/// # Errors
/// A state can't be evaluated.
pub fn guarantee(trial: &WayTrial<'_>) -> Result<Guarantee, CallerError> {
    let &WayTrial { machine, nodes, memory, interrupt } = trial;
    let interrupt: Option<&AtomicBool> = interrupt.map(Arc::as_ref);
    let roles = machine.description().roles.len() as u64;
    let nodes = nodes * ROLES / roles.max(ROLES);
    let limits =
        Limits { nodes: Some(nodes), children: Some(nodes * CHILDREN), interrupt, ..Limits::default() };
    let solution = solve(machine, &[], machine.initial(), memory, &limits, &mut |_, _| {})?;
    Ok(Guarantee { values: solution.roles.iter().map(|role| role.value).collect() })
}

//! What roles can be sure of.

use std::sync::atomic::AtomicBool;

use crate::machine::Machine;
use crate::property::{Guarantee, SearchEnd};

use super::limits::{Limits, Stop};
use super::result::SearchError;
use super::solve::{GuaranteedValue, solve};

/// Roles for whom the states that are allowed may be visited, each in its own search; with more roles each has fewer.
const ROLES: u64 = 2;

/// Children that may be made for each state that may be visited.
const CHILDREN: u64 = 8;

/// What every role can be sure of from the initial state, each alone against all others. `nodes` is the number of states
/// that may be visited for two roles, `memory` the number of bytes for the table.
///
/// # Errors
/// A state can't be evaluated.
pub fn guarantee(
    machine: &dyn Machine,
    nodes: u64,
    memory: usize,
    interrupt: Option<&AtomicBool>,
) -> Result<Guarantee, SearchError> {
    let roles = machine.description().roles.len() as u64;
    let nodes = nodes * ROLES / roles.max(ROLES);
    let limits =
        Limits { nodes: Some(nodes), children: Some(nodes * CHILDREN), interrupt, ..Limits::default() };
    let solution = solve(machine, &[], machine.initial(), memory, &limits, &mut |_, _| {})?;
    Ok(Guarantee {
        values: solution.roles.iter().map(|role| role.value).collect(),
        forces: solution.roles.iter().map(forces).collect(),
        nodes: solution.nodes,
        end: solution
            .roles
            .iter()
            .filter(|role| forces(role).is_none())
            .map(end)
            .next()
            .unwrap_or(SearchEnd::Undecided),
    })
}

/// Whether a role can force 100. A mean below 100 says that it can't; a mean of 100 need not be reached by one play.
fn forces(role: &GuaranteedValue) -> Option<bool> {
    let mean = || role.mixed.as_ref()?.value;
    role.value.map(|value| value == 100).or_else(|| mean().filter(|&mean| mean < 100.0).map(|_| false))
}

/// What ended the search for a role.
fn end(role: &GuaranteedValue) -> SearchEnd {
    match role.mixed.as_ref().map_or(role.stop, |mean| mean.stop) {
        Stop::Nodes => SearchEnd::Nodes,
        Stop::Memory => SearchEnd::Memory,
        Stop::Time => SearchEnd::Time,
        Stop::Interrupted => SearchEnd::Interrupted,
        Stop::Depth => SearchEnd::Depth,
        Stop::Solved => SearchEnd::Undecided,
    }
}

//! The goal values that roles can guarantee.

use std::sync::atomic::AtomicBool;

use crate::machine::Machine;
use crate::property::{Guarantee, SearchEnd};

use super::limits::{Limits, Stop};
use super::result::SearchError;
use super::solve::{GuaranteedValue, solve_without_symmetry};

/// The limit of states is given for this number of roles, each searched separately; with more roles each has fewer.
const ROLES: u64 = 2;

/// Limit of children that are computed, for each state that may be visited.
const CHILDREN: u64 = 8;

/// The value that each role can guarantee from the initial state, alone against all others. `nodes` is the limit of
/// states for two roles, `memory` the bytes of the table.
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
    let solution = solve_without_symmetry(machine, &[], machine.initial(), memory, &limits, &mut |_, _| {})?;
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

/// Whether a role can force 100. A mean below 100 refutes it; a mean of 100 may still not be reached in every match.
fn forces(role: &GuaranteedValue) -> Option<bool> {
    let mean = || role.mixed.as_ref()?.value;
    role.value.map(|value| value == 100).or_else(|| mean().filter(|&mean| mean < 100.0).map(|_| false))
}

/// Why the search for a role ended.
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

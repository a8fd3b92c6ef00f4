//! What roles can be sure of, for an analysis.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::analysis::{CallerError, WayTrial};
use crate::property::Guarantee;

use super::limits::Limits;
use super::solve::solve;

/// What every role can be sure of from the initial state, each alone against all others.
///
/// # Errors
/// A state can't be evaluated.
pub fn guarantee(trial: &WayTrial<'_>) -> Result<Guarantee, CallerError> {
    let &WayTrial { machine, nodes, memory, interrupt } = trial;
    let interrupt: Option<&AtomicBool> = interrupt.map(Arc::as_ref);
    let limits = Limits { nodes: Some(nodes), interrupt, ..Limits::default() };
    let solution = solve(machine, &[], machine.initial(), memory, &limits, &mut |_, _| {})?;
    Ok(Guarantee { values: solution.roles.iter().map(|role| role.value).collect() })
}

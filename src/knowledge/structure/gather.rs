//! Collects samples by random play: in the lanes of a network that supports them, otherwise one playout at
//! a time.

use crate::machine::Machine;
use crate::simulate::{Budget, Context, SimulateError, Statistics, observe, observe_lanes};

use super::fluent_relations::FluentRelations;
use super::lanes::{LaneSamples, Layout};
use super::samples::Samples;

/// Plays until the budget is used up. Returns the statistics and the samples.
///
/// # Errors
/// Nothing could be played.
pub fn gather<'m>(
    machine: &'m dyn Machine,
    relations: &'m FluentRelations,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<(Statistics, Samples<'m>), SimulateError> {
    let make = || Samples::new(machine, relations);
    let Some(program) = machine.lanes() else {
        return observe(machine, budget, context, make);
    };
    let layout = Layout::new(program.network(), relations, machine.description().random_role());
    let (statistics, seen) = observe_lanes(machine, budget, context, || LaneSamples::new(&layout))?;
    let mut samples = make();
    seen.record_into(&mut samples);
    Ok((statistics, samples))
}

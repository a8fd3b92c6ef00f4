//! States for statistics: a short sequence from each of some random playouts, with the goal values at its end; and
//! whose symbols are whose in these playouts.

use crate::machine::Machine;
use crate::simulate::{
    Budget, Context, Sequence, SequenceShape, SimulateError, Statistics, sequences_in_lanes,
    sequences_sequential,
};
use crate::structure::finding::Structures;

use super::fluent_index::FluentIndex;
use super::lane_ownership::{LaneOwnership, ObjectBits};
use super::ownership::{LocatedObjects, Ownership, OwnershipWatch};

/// Sequences of random playouts, and what else was seen in these.
#[derive(Clone, Debug)]
pub struct Sample {
    /// One for each playout that has a state that is not terminal.
    pub sequences: Vec<Sequence>,
    /// Whose symbols are whose.
    pub ownership: Ownership,
    /// The playouts.
    pub statistics: Statistics,
}

/// Plays at random, in lanes where the game has a network that suits them, and takes a sequence from each playout.
///
/// # Errors
/// Nothing could be played.
pub fn sample(
    machine: &dyn Machine,
    fluent_index: &FluentIndex<'_>,
    structures: &Structures,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<Sample, SimulateError> {
    let Some(program) = machine.lanes() else {
        return sample_sequential(machine, fluent_index, structures, budget, context);
    };
    let bits = ObjectBits::new(&mut LocatedObjects::new(fluent_index, structures), program.network());
    let (statistics, sequences, seen) =
        sequences_in_lanes(machine, SequenceShape::default(), budget, context, || LaneOwnership::new(&bits))?;
    Ok(Sample { sequences, ownership: seen.finish(), statistics })
}

/// The same, stepping one state at a time: other playouts, with the same expectations.
///
/// # Errors
/// Nothing could be played.
pub fn sample_sequential(
    machine: &dyn Machine,
    fluent_index: &FluentIndex<'_>,
    structures: &Structures,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<Sample, SimulateError> {
    let objects = LocatedObjects::new(fluent_index, structures);
    let make = || OwnershipWatch::new(objects.clone());
    let (statistics, sequences, seen) =
        sequences_sequential(machine, SequenceShape::default(), budget, context, make)?;
    Ok(Sample { sequences, ownership: seen.finish(), statistics })
}

//! Samples states for statistics: a short sequence from each of some random playouts, with the goal values at its
//! end. The same playouts show which role adds the facts of each object.

use crate::machine::Machine;
use crate::simulate::{
    Budget, Context, Sequence, SequenceShape, SimulateError, Statistics, sequences_in_lanes,
    sequences_sequential,
};
use crate::structure::finding::Structures;

use super::fluent_index::FluentIndex;
use super::lane_ownership::{LaneOwnershipObserver, ObjectBits};
use super::ownership::{LocatedObjects, Ownership, OwnershipObserver};

/// Sequences from random playouts, and counts from the same playouts.
#[derive(Clone, Debug)]
pub struct Sample {
    /// One per playout; none for a playout whose initial state is terminal.
    pub sequences: Vec<Sequence>,
    /// The number of sequences that begin on a path to a goal value that random play from the initial state did not
    /// reach. Every second sequence is one of these, until there are no more.
    pub along_way: usize,
    /// The facts that each role added.
    pub ownership: Ownership,
    /// The statistics of the playouts.
    pub statistics: Statistics,
}

impl Sample {
    /// Interleaves `along`, sequences that begin on a path, with the existing ones, so that any prefix of the list has
    /// equally many of both. Drops the rest of `along` if it is the longer list.
    pub fn add_along_way(&mut self, along: Vec<Sequence>) {
        let (count, existing) = (along.len().min(self.sequences.len()), std::mem::take(&mut self.sequences));
        let mut along = along.into_iter().take(count);
        self.sequences.reserve(existing.len() + count);
        for sequence in existing {
            self.sequences.push(sequence);
            self.sequences.extend(along.next());
        }
        self.along_way = count;
    }
}

/// Plays at random and takes a sequence from each playout; in lanes if the game has a suitable network.
///
/// # Errors
/// No playout was possible.
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
    let (statistics, sequences, observer) =
        sequences_in_lanes(machine, SequenceShape::default(), budget, context, || {
            LaneOwnershipObserver::new(&bits)
        })?;
    Ok(Sample { sequences, along_way: 0, ownership: observer.finish(), statistics })
}

/// Like [`sample`], but without lanes; the same seed gives other playouts from the same distribution.
///
/// # Errors
/// No playout was possible.
pub fn sample_sequential(
    machine: &dyn Machine,
    fluent_index: &FluentIndex<'_>,
    structures: &Structures,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<Sample, SimulateError> {
    let objects = LocatedObjects::new(fluent_index, structures);
    let make = || OwnershipObserver::new(objects.clone());
    let (statistics, sequences, observer) =
        sequences_sequential(machine, SequenceShape::default(), budget, context, make)?;
    Ok(Sample { sequences, along_way: 0, ownership: observer.finish(), statistics })
}

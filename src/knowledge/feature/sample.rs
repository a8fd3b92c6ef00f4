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
    /// How many of them begin somewhere on a way to a goal value that play from the initial state did not reach: every second
    /// one as long as there are.
    pub along_way: usize,
    /// Whose symbols are whose.
    pub ownership: Ownership,
    /// The playouts.
    pub statistics: Statistics,
}

impl Sample {
    /// Puts sequences that begin on a way between the others, so that any first part of all has as many of both.
    pub fn add_along_way(&mut self, along: Vec<Sequence>) {
        let (count, own) = (along.len().min(self.sequences.len()), std::mem::take(&mut self.sequences));
        let mut along = along.into_iter().take(count);
        self.sequences.reserve(own.len() + count);
        for sequence in own {
            self.sequences.push(sequence);
            self.sequences.extend(along.next());
        }
        self.along_way = count;
    }
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
    Ok(Sample { sequences, along_way: 0, ownership: seen.finish(), statistics })
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
    Ok(Sample { sequences, along_way: 0, ownership: seen.finish(), statistics })
}

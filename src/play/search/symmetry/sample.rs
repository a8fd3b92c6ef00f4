//! Measures on the first states of a game whether symmetry saves time.

use rustc_hash::FxHashSet;

use crate::machine::{Machine, State};
use crate::search::graph::first_states;
use crate::search::limits::{Halt, Meter};

use super::Symmetries;

/// Number of states that are classified.
const STATES: usize = 2048;

impl Symmetries {
    /// The number of states per class, among the first states that can be reached from a state.
    pub(in crate::search) fn reduction(
        &self,
        machine: &dyn Machine,
        state: &State,
        meter: &mut Meter<'_>,
    ) -> Result<f64, Halt> {
        let mut classes = FxHashSet::default();
        let states = first_states(machine, state, STATES, meter, &mut |words| {
            classes.insert(self.hash(words));
        })?;
        Ok(states as f64 / classes.len().max(1) as f64)
    }
}

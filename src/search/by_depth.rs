//! Looking ever deeper: depth after depth, until the value is proved or a limit is reached.
//!
//! Each depth begins with what the last one found best (Slate and Atkin 1977).

use std::time::Instant;

use crate::machine::{MachineError, State};

use super::limits::{Halt, Limits, Meter, Stop};
use super::score::MOST_PLIES;
use super::thought::{SearchError, Thought};

/// A search that can look to a given depth.
pub(super) trait ByDepth {
    /// Begins with a state: gives the role's goal value where it is terminal, else any legal move goes into the thought,
    /// which is better than none.
    ///
    /// # Errors
    /// The state can't be evaluated.
    fn begin(&mut self, state: &State, thought: &mut Thought) -> Result<Option<i32>, MachineError>;

    /// Looks so many plies ahead. Action, value, proof and line go into the thought; where the depth is cut short, as far
    /// as they count all the same.
    ///
    /// # Errors
    /// A limit is reached, or a state can't be evaluated.
    fn look(&mut self, depth: u32, meter: &mut Meter<'_>, thought: &mut Thought) -> Result<(), Halt>;
}

/// Looks ever deeper; tells what is known after each depth.
///
/// # Errors
/// A state can't be evaluated.
pub(super) fn ever_deeper(
    search: &mut impl ByDepth,
    state: &State,
    limits: &Limits<'_>,
    tell: &mut dyn FnMut(&Thought),
) -> Result<Thought, SearchError> {
    let begin = Instant::now();
    let mut meter = Meter::new(*limits);
    let mut thought = Thought::nothing();
    if let Some(goal) = search.begin(state, &mut thought)? {
        return Ok(Thought { value: Some(goal.into()), proved: true, stop: Stop::Solved, ..thought });
    }
    for depth in 1..=limits.depth.unwrap_or(MOST_PLIES).min(MOST_PLIES) {
        let looked = search.look(depth, &mut meter, &mut thought);
        (thought.nodes, thought.took) = (meter.nodes, begin.elapsed());
        match looked {
            Ok(()) => thought.depth = depth,
            Err(Halt::Error(error)) => return Err(error.into()),
            Err(Halt::Stop(stop)) => {
                thought.stop = stop;
                break;
            }
        }
        tell(&thought);
        if thought.proved {
            thought.stop = Stop::Solved;
            break;
        }
    }
    Ok(thought)
}

//! Iterative deepening: depth after depth, until the value is proved or a limit is reached.
//!
//! Each depth begins with what the last one found best (Slate and Atkin 1977).

use std::time::Instant;

use crate::machine::{MachineError, State};

use super::limits::{Halt, Limits, Meter, Stop};
use super::result::{Search, SearchError, SearchResult};
use super::score::MOST_PLIES;

/// A search that can look to a given depth.
pub(super) trait DepthLimited {
    /// Begins with a state: gives the role's goal value where it is terminal, else any legal move goes into the thought,
    /// which is better than none.
    ///
    /// # Errors
    /// The state can't be evaluated.
    fn begin(&mut self, state: &State, result: &mut SearchResult) -> Result<Option<i32>, MachineError>;

    /// Looks so many plies ahead. Action, value, proof and line go into the thought; where the depth is cut short, as far
    /// as they count all the same.
    ///
    /// # Errors
    /// A limit is reached, or a state can't be evaluated.
    fn search_to_depth(
        &mut self,
        depth: u32,
        meter: &mut Meter<'_>,
        result: &mut SearchResult,
    ) -> Result<(), Halt>;
}

/// Iterative deepening; tells what is known after each depth.
impl<S: DepthLimited> Search for S {
    fn search(
        &mut self,
        state: &State,
        limits: &Limits<'_>,
        on_progress: &mut dyn FnMut(&SearchResult),
    ) -> Result<SearchResult, SearchError> {
        let begin = Instant::now();
        let mut meter = Meter::new(*limits);
        let mut result = SearchResult::nothing();
        if let Some(goal) = self.begin(state, &mut result)? {
            return Ok(SearchResult { value: Some(goal.into()), proved: true, stop: Stop::Solved, ..result });
        }
        for depth in 1..=limits.depth.unwrap_or(MOST_PLIES).min(MOST_PLIES) {
            let searched = self.search_to_depth(depth, &mut meter, &mut result);
            (result.nodes, result.took) = (meter.nodes, begin.elapsed());
            match searched {
                Ok(()) => result.depth = depth,
                Err(Halt::Error(error)) => return Err(error.into()),
                Err(Halt::Stop(stop)) => {
                    result.stop = stop;
                    break;
                }
            }
            on_progress(&result);
            if result.proved {
                result.stop = Stop::Solved;
                break;
            }
        }
        Ok(result)
    }
}

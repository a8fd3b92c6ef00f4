//! Iterative deepening: search to depth 1, 2, 3 and so on, until the value is proved or a limit is reached.
//!
//! Each depth begins with the best move of the last one (Slate and Atkin 1977).

use std::time::Instant;

use crate::machine::{MachineError, State};

use super::limits::{Halt, Limits, Meter, Stop};
use super::result::{Search, SearchError, SearchResult};
use super::score::MOST_PLIES;

/// A search to a given depth.
pub(super) trait DepthLimited {
    /// Begins with a state. Returns the role's goal value if it is terminal. Otherwise stores any legal move in `result`,
    /// which is better than none.
    ///
    /// # Errors
    /// The state can't be evaluated.
    fn begin(&mut self, state: &State, result: &mut SearchResult) -> Result<Option<i32>, MachineError>;

    /// Searches to this depth and stores action, value, proof and line in `result`. If the depth is interrupted, stores
    /// the part that is still valid.
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

/// Iterative deepening; reports the result after each depth.
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

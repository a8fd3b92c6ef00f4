//! The interface of searches, and their results.

use std::time::Duration;

use crate::machine::{MachineError, MoveId, State};

use super::limits::{Limits, Stop};

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The move to play; none if the role has no legal move, or the state is terminal.
    pub action: Option<MoveId>,
    /// The value of the state for the role, in goal points; none if it is unknown.
    pub value: Option<f64>,
    /// Whether the value is proved.
    pub proved: bool,
    /// Search depth in plies.
    pub depth: u32,
    /// States visited.
    pub nodes: u64,
    /// The expected joint moves, as far as known.
    pub principal_variation: Vec<Vec<MoveId>>,
    /// For a mixed strategy, the probability of each move, the likeliest first. Empty if the move was not drawn.
    pub mixture: Vec<(MoveId, f64)>,
    /// For an ensemble, the worker that found the move and the reason for the choice.
    pub by: Option<String>,
    /// Whether the same search with the same nodes gives the same result. False if threads share results.
    pub repeatable: bool,
    /// Why it ended.
    pub stop: Stop,
    /// The time of the search.
    pub took: Duration,
}

impl SearchResult {
    /// A result without a move.
    pub fn nothing() -> SearchResult {
        SearchResult {
            action: None,
            value: None,
            proved: false,
            depth: 0,
            nodes: 0,
            principal_variation: Vec::new(),
            mixture: Vec::new(),
            by: None,
            repeatable: true,
            stop: Stop::Depth,
            took: Duration::ZERO,
        }
    }
}

/// Why a search could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A state can't be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

/// A search for the best move of a role: from a state and limits to a result.
pub trait Search {
    /// Searches for the best move in a state, within limits. The search may keep results for the next call. `on_progress`
    /// receives each better result.
    ///
    /// # Errors
    /// A state can't be evaluated.
    fn search(
        &mut self,
        state: &State,
        limits: &Limits<'_>,
        on_progress: &mut dyn FnMut(&SearchResult),
    ) -> Result<SearchResult, SearchError>;
}

//! What a search is asked and what it answers.

use std::time::Duration;

use crate::machine::{MachineError, MoveId, State};

use super::limits::{Limits, Stop};

/// What a search came to.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The move to play; none where the role has no legal move, or the state is terminal.
    pub action: Option<MoveId>,
    /// What the state is worth to the role, in goal points; none where nothing is known.
    pub value: Option<f64>,
    /// Whether the value is proved.
    pub proved: bool,
    /// Search depth in plies.
    pub depth: u32,
    /// States visited.
    pub nodes: u64,
    /// The joint moves that are expected, as far as they are known.
    pub principal_variation: Vec<Vec<MoveId>>,
    /// Where the move was drawn: how likely each move was, the likeliest first. Empty where it was chosen.
    pub mixture: Vec<(MoveId, f64)>,
    /// Who of several found the move, and why it was chosen; none where one searched.
    pub by: Option<String>,
    /// Whether the same search with the same nodes comes to the same: not where threads share what they learn.
    pub repeatable: bool,
    /// Why it ended.
    pub stop: Stop,
    /// How long it took.
    pub took: Duration,
}

impl SearchResult {
    /// Nothing known yet.
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

/// A way to find the best move of a role: from a state and limits to a result.
pub trait Search {
    /// Looks for the best move in a state, within limits. What it learnt may help the next time. `on_progress` is called with
    /// what is known so far, as often as that gets better.
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

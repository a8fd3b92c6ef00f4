//! A search as a player.

use crate::machine::State;
use crate::search::{Limits, Search, SearchError, SearchResult};

use super::player::{Player, Turn, TurnError};

/// A player that chooses its moves by a search.
pub struct SearchPlayer<'m> {
    /// Its name in records and tables.
    pub name: String,
    /// The line of the player that searches; differs from the name if it was chosen by `auto`.
    pub line: String,
    /// A remark for the user, as a sentence without a full stop.
    pub note: Option<String>,
    /// The search that finds its moves.
    pub search: Box<dyn Search + 'm>,
    /// Limit of the search depth, in plies.
    pub depth: Option<u32>,
    /// Limit of visited states for a move.
    pub nodes: Option<u64>,
    /// Whether it answers immediately, so that it needs no limits and gains nothing from more time.
    pub is_instant: bool,
}

impl<'m> SearchPlayer<'m> {
    /// A player without limits except the clock.
    pub fn new(name: String, search: Box<dyn Search + 'm>) -> SearchPlayer<'m> {
        let line = name.clone();
        SearchPlayer { name, line, note: None, search, depth: None, nodes: None, is_instant: false }
    }

    /// Sets a limit of the search depth; 0 for none.
    #[must_use]
    pub fn depth(self, plies: u64) -> SearchPlayer<'m> {
        SearchPlayer { depth: (plies > 0).then_some(plies as u32), ..self }
    }

    /// Sets a limit of visited states for a move; 0 for none.
    #[must_use]
    pub fn nodes(self, states: u64) -> SearchPlayer<'m> {
        SearchPlayer { nodes: (states > 0).then_some(states), ..self }
    }

    /// Marks a player that answers immediately.
    #[must_use]
    pub fn instant(self) -> SearchPlayer<'m> {
        SearchPlayer { is_instant: true, ..self }
    }

    /// Searches for a move within the limits of the turn and its own; `on_progress` receives each better result.
    ///
    /// # Errors
    /// A state can't be evaluated.
    pub fn search(
        &mut self,
        state: &State,
        turn: &Turn<'_>,
        on_progress: &mut dyn FnMut(&SearchResult),
    ) -> Result<SearchResult, SearchError> {
        let limits = Limits {
            depth: self.depth,
            nodes: self.nodes.or(turn.nodes),
            deadline: turn.deadline,
            interrupt: turn.interrupt,
            children: None,
        };
        self.search.search(state, &limits, on_progress)
    }
}

impl Player for SearchPlayer<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn line(&self) -> &str {
        &self.line
    }

    fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    fn is_limited(&self) -> bool {
        self.is_instant || self.depth.is_some() || self.nodes.is_some()
    }

    fn choose(&mut self, state: &State, turn: &Turn<'_>) -> Result<SearchResult, TurnError> {
        Ok(self.search(state, turn, &mut |_| {})?)
    }

    fn choose_and_report(
        &mut self,
        state: &State,
        turn: &Turn<'_>,
        on_progress: &mut dyn FnMut(&SearchResult),
    ) -> Result<SearchResult, TurnError> {
        Ok(self.search(state, turn, on_progress)?)
    }

    fn thinks_ahead(&self) -> bool {
        !self.is_instant
    }
}

//! A search as a player.

use crate::machine::State;
use crate::search::{Limits, Search, SearchError, SearchResult};

use super::player::{Player, Turn, TurnError};

/// A player that finds its moves by a search, and takes no other part in the match.
pub struct SearchPlayer<'m> {
    /// What it was asked for as.
    pub name: String,
    /// The player that it plays as, as a line: another than its name where one was chosen.
    pub line: String,
    /// What there is to say of it, as a sentence without a stop.
    pub note: Option<String>,
    /// How it finds its moves.
    pub search: Box<dyn Search + 'm>,
    /// Plies it looks ahead at most.
    pub depth: Option<u32>,
    /// States it visits for a move at most.
    pub nodes: Option<u64>,
    /// Whether it answers at once, so that nothing need limit it and nothing is gained by more time.
    pub is_instant: bool,
}

impl<'m> SearchPlayer<'m> {
    /// A player that nothing limits but a clock.
    pub fn new(name: String, search: Box<dyn Search + 'm>) -> SearchPlayer<'m> {
        let line = name.clone();
        SearchPlayer { name, line, note: None, search, depth: None, nodes: None, is_instant: false }
    }

    /// The same with a search depth at most; 0 for no limit.
    #[must_use]
    pub fn depth(self, plies: u64) -> SearchPlayer<'m> {
        SearchPlayer { depth: (plies > 0).then_some(plies as u32), ..self }
    }

    /// The same with so many states visited for a move at most; 0 for no limit.
    #[must_use]
    pub fn nodes(self, states: u64) -> SearchPlayer<'m> {
        SearchPlayer { nodes: (states > 0).then_some(states), ..self }
    }

    /// The same, which answers at once.
    #[must_use]
    pub fn instant(self) -> SearchPlayer<'m> {
        SearchPlayer { is_instant: true, ..self }
    }

    /// Looks for a move within the limits of the turn and its own; `on_progress` is called with what is known so far, as often
    /// as that gets better.
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

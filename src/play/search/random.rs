//! Any legal move, each as likely.

use crate::machine::{Machine, State};
use crate::simulate::Choices;

use super::limits::Limits;
use super::result::{Search, SearchError, SearchResult};

/// Draws a legal move of a role.
pub struct RandomMoves<'m> {
    machine: &'m dyn Machine,
    role: usize,
    choices: Choices,
}

impl<'m> RandomMoves<'m> {
    /// For a role, with the seed of all its draws.
    pub fn new(machine: &'m dyn Machine, role: usize, seed: u64) -> RandomMoves<'m> {
        RandomMoves { machine, role, choices: Choices::new(seed, role as u64) }
    }
}

impl Search for RandomMoves<'_> {
    fn search(
        &mut self,
        state: &State,
        _: &Limits<'_>,
        _: &mut dyn FnMut(&SearchResult),
    ) -> Result<SearchResult, SearchError> {
        let mut cursor = self.machine.cursor();
        cursor.set(state)?;
        let legal = cursor.legal(self.role);
        let action = (!legal.is_empty()).then(|| legal[self.choices.below(legal.len())]);
        Ok(SearchResult { action, ..SearchResult::nothing() })
    }
}

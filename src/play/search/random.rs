//! Plays each legal move with the same probability.

use crate::machine::{Machine, State};
use crate::simulate::Choices;

use super::limits::Limits;
use super::result::{Search, SearchError, SearchResult};

/// Chooses a legal move at random.
pub struct RandomMoves<'m> {
    machine: &'m dyn Machine,
    role: usize,
    choices: Choices,
}

impl<'m> RandomMoves<'m> {
    /// A player of a role with the seed of its choices.
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

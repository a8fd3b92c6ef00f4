//! The players of a tournament.

use super::super::player_factory::{PlayerError, PlayerFactory};
use super::plan::PlanPlayer;

/// Players without duplicates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entrants {
    /// In the order in which they entered.
    pub players: Vec<PlanPlayer>,
    /// Most threads of one of them.
    pub threads: usize,
}

impl Entrants {
    /// The number of a player, which is added if it is new.
    ///
    /// # Errors
    /// The line names no player.
    pub fn enter(&mut self, source: &dyn PlayerFactory, line: &str) -> Result<usize, PlayerError> {
        let entrant = source.entrant(line)?;
        self.threads = self.threads.max(entrant.threads);
        let player = PlanPlayer { line: entrant.line, document: entrant.document };
        let known = self.players.iter().position(|known| *known == player);
        Ok(known.unwrap_or_else(|| {
            self.players.push(player);
            self.players.len() - 1
        }))
    }
}

//! Settings of a player for remote managers.

use std::thread::available_parallelism;
use std::time::Duration;

#[cfg(doc)]
use crate::arena::Player;
use crate::arena::{MatchRecord, OwnPlayers, PlayerFactory};
use crate::gdl::Negation;

/// Settings of all matches.
pub struct Settings {
    /// The player, as a line such as `uct`.
    pub player: String,
    /// Makes the player of the line; none for the players of this program (`ggp players` lists them).
    pub factory: Option<Box<dyn PlayerFactory + Send>>,
    /// Safety margin of each clock for the network.
    pub margin: Duration,
    /// Whether a search continues while others choose (pondering). A player with a limit of depth or nodes never does,
    /// so that its moves do not depend on the clock.
    pub ponder: bool,
    /// Seed of all random choices.
    pub seed: u64,
    /// Whether names of rules that differ only in case are different.
    pub case_sensitive: bool,
    /// When negated literals are read.
    pub negation: Negation,
    /// Receives messages for the operator, one line each.
    pub note: Box<dyn Fn(&str) + Send + Sync>,
    /// Receives the record of every match, if set.
    pub record: Option<Record>,
}

impl Settings {
    /// A player of this program by its line: a margin of 500 ms, pondering, seed 1, names in any case, notes and records
    /// dropped.
    pub fn new(player: impl Into<String>) -> Settings {
        Settings {
            player: player.into(),
            factory: None,
            margin: Duration::from_millis(500),
            ponder: true,
            seed: 1,
            case_sensitive: false,
            negation: Negation::default(),
            note: Box::new(|_| {}),
            record: None,
        }
    }

    /// A player of the caller, made by its factory; otherwise like [`Settings::new`]. The player chooses moves, and
    /// receives the beginning of the match, all joint moves before a choice, and the end. If its choice is late or not
    /// legal, another legal move is sent. It searches for its own first turn early if it [thinks
    /// ahead](Player::thinks_ahead).
    pub fn with_factory(player: impl Into<String>, factory: impl PlayerFactory + Send + 'static) -> Settings {
        Settings { factory: Some(Box::new(factory)), ..Settings::new(player) }
    }

    /// Whether there is a processor for each thread of this number of searches. If not, pondering would slow down the moves of
    /// other matches. A single match may use all processors.
    pub(super) fn has_processors_for(&self, matches: usize) -> bool {
        let threads = || self.factory().entrant(&self.player).map_or(1, |entrant| entrant.threads);
        matches <= 1 || matches * threads() <= available_parallelism().map_or(1, usize::from)
    }

    /// The factory of the player.
    pub(super) fn factory(&self) -> &dyn PlayerFactory {
        match &self.factory {
            Some(factory) => &**factory,
            None => &OwnPlayers,
        }
    }
}

/// Receives the record of a match.
pub type Record = Box<dyn Fn(&MatchRecord) + Send + Sync>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_share_the_processors() {
        assert!(Settings::new("uct,threads=256").has_processors_for(1));
        assert!(!Settings::new("uct,threads=256").has_processors_for(1_000));
        assert!(!Settings::new("uct").has_processors_for(1_000_000));
    }
}

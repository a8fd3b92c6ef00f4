//! Settings of a player for remote managers.

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
    /// Whether the search continues while others choose.
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
    /// A player of this program by its line: a margin of 500 ms, no pondering, seed 1, names in any case, notes and records
    /// dropped.
    pub fn new(player: impl Into<String>) -> Settings {
        Settings {
            player: player.into(),
            factory: None,
            margin: Duration::from_millis(500),
            ponder: false,
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

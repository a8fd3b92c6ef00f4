//! Why a tournament can't be played or resumed.

use crate::analysis::AnalysisError;

use super::super::log::LogError;
use super::super::player_factory::PlayerError;
use super::plan::PlanError;

/// Why a tournament can't be played or resumed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TournamentError {
    /// The plan is not valid.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The log can't be used.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The plan has fewer rounds than the log.
    #[error("{path} has {there} rounds already; {here} would drop some of them")]
    Rounds {
        /// The path of the log.
        path: String,
        /// The number of rounds in the log.
        there: u32,
        /// The number of rounds in the plan.
        here: u32,
    },
    /// A game can't be prepared.
    #[error("{game}: {error}")]
    Game {
        /// The game.
        game: String,
        /// Why.
        error: Box<AnalysisError>,
    },
    /// A player does not suit a game.
    #[error("{player} can't play {game} as {role}: {error}")]
    Player {
        /// The player.
        player: String,
        /// The game.
        game: String,
        /// The role.
        role: String,
        /// Why.
        error: Box<PlayerError>,
    },
    /// A player left: its match is not logged, and a later run can repeat it.
    #[error("{0}; the same command resumes where this one ended")]
    Left(String),
    /// A record of a match can't be written.
    #[error("the record of match {number} can't be written: {error}")]
    Record {
        /// The number of the match.
        number: u64,
        /// Why.
        error: std::io::Error,
    },
}

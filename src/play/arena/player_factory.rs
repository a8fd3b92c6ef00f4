//! Makes players from lines of text, for matches and tournaments.

use std::path::Path;

use crate::gdl::identity::sha256;

use super::making::make_player;
use super::player::Player;
use super::prepared_game::{PrepareError, PreparedGame};
use super::spec::PlayerSpec;
use super::spec_error::SpecError;

/// A player, or why it can't be made.
pub type PlayerResult<'m> = Result<Box<dyn Player + 'm>, PlayerError>;

/// Makes players from lines of text. A function from a game, a role (from 0) and a seed to a player is also a factory; it
/// ignores the line. `examples/serve_own_player.rs` has one.
pub trait PlayerFactory: Sync {
    /// Parses a line. By default every line is a player with one thread and no document.
    ///
    /// # Errors
    /// It names no player.
    fn entrant(&self, line: &str) -> Result<Entrant, PlayerError> {
        Ok(Entrant { line: line.to_owned(), document: None, threads: 1 })
    }

    /// Makes the player of a line for a role of a game; `seed` distinguishes players that use random numbers.
    ///
    /// # Errors
    /// The line names no player, or the player does not suit the game.
    fn player<'m>(&self, line: &str, game: &PreparedGame<'m>, role: usize, seed: u64) -> PlayerResult<'m>;
}

impl<F> PlayerFactory for F
where
    F: for<'m> Fn(&PreparedGame<'m>, usize, u64) -> PlayerResult<'m> + Sync,
{
    fn player<'m>(&self, _: &str, game: &PreparedGame<'m>, role: usize, seed: u64) -> PlayerResult<'m> {
        self(game, role, seed)
    }
}

/// A player that enters a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// Its line, in the canonical spelling.
    pub line: String,
    /// SHA-256 of its document in lower-case hexadecimal; none if it uses no document.
    pub document: Option<String>,
    /// Threads of its search.
    pub threads: usize,
}

/// Why a line gives no player.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// The line can't be parsed.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The player does not suit the game.
    #[error(transparent)]
    Prepare(#[from] Box<PrepareError>),
    /// Another reason.
    #[error("{0}")]
    Other(String),
}

/// The players of this program: those of [`ALGORITHMS`](super::ALGORITHMS).
#[derive(Clone, Copy, Debug, Default)]
pub struct OwnPlayers;

impl PlayerFactory for OwnPlayers {
    fn entrant(&self, line: &str) -> Result<Entrant, PlayerError> {
        let spec: PlayerSpec = line.parse()?;
        let document = spec.function.as_deref().map(Path::new).filter(|path| path.is_file());
        let document = document.and_then(|path| std::fs::read(path).ok()).map(|bytes| sha256(&bytes));
        let threads = spec.algorithm.threads(&spec.options);
        Ok(Entrant { line: spec.to_string(), document, threads })
    }

    fn player<'m>(&self, line: &str, game: &PreparedGame<'m>, role: usize, seed: u64) -> PlayerResult<'m> {
        let spec: PlayerSpec = line.parse()?;
        Ok(Box::new(make_player(game, &spec, role, seed).map_err(Box::new)?))
    }
}

//! The input from which an algorithm makes a player.

use crate::catalog::OptionValues;
use crate::evaluation::{Calibration, Function};
use crate::machine::Machine;
use crate::search::{Search, SearchContext};
use crate::structure::finding::Structures;

use super::super::prepared_game::{PrepareError, PreparedGame};
use super::super::search_player::SearchPlayer;
use super::candidate::{Candidate, GameClass};

/// Makes other players, for an algorithm that delegates to one of them.
pub trait PlayerMaker {
    /// Makes the player of a line. `options` apply if the player has them and the line doesn't set them.
    ///
    /// # Errors
    /// It does not fit the game.
    fn player<'m>(
        &self,
        game: &PreparedGame<'m>,
        line: &str,
        options: &OptionValues,
        role: usize,
        seed: u64,
    ) -> Result<SearchPlayer<'m>, PrepareError>;

    /// The players that may suit a game, the most promising first.
    fn candidates(&self, game: &GameClass) -> Vec<Candidate>;
}

/// A game and a role, with the parts of the player's line.
pub struct PlayerContext<'a, 'm> {
    /// The game.
    pub game: &'a PreparedGame<'m>,
    /// The role, counted from 0.
    pub role: usize,
    /// The seed of the player's random numbers.
    pub seed: u64,
    /// The player's line.
    pub line: &'a str,
    /// The evaluation functions of the line.
    pub functions: &'a [&'a str],
    /// The given options.
    pub options: &'a OptionValues,
    /// Makes other players.
    pub maker: &'a dyn PlayerMaker,
}

impl<'m> PlayerContext<'_, 'm> {
    /// The game's machine.
    pub fn machine(&self) -> &'m dyn Machine {
        self.game.machine()
    }

    /// The structures of the game.
    pub fn structures(&self) -> &Structures {
        self.game.structures()
    }

    /// The game from the point of view of the role and its team.
    pub fn setting(&self) -> SearchContext<'m> {
        SearchContext::of(self.machine(), self.structures(), self.role)
    }

    /// The evaluation function of the line, for a role.
    ///
    /// # Errors
    /// The function does not exist, or its values depend on the root of a search.
    pub fn function(&self, role: usize) -> Result<Function, PrepareError> {
        self.without_root(self.function_since_root(role)?)
    }

    /// Like [`function`](Self::function), but for searches that call `Leaf::begin` with their root: the values
    /// may depend on it.
    ///
    /// # Errors
    /// The function does not exist.
    pub fn function_since_root(&self, role: usize) -> Result<Function, PrepareError> {
        self.game.function(&self.functions.join("+"), role)
    }

    fn without_root(&self, function: Function) -> Result<Function, PrepareError> {
        if !function.is_since_root() {
            return Ok(function);
        }
        let player = self.line.split([':', ',', '?']).next().unwrap_or_default().to_owned();
        Err(PrepareError::SinceRoot { player, function: self.functions.join("+") })
    }

    /// The evaluation functions of the line, for a role, each with its calibration.
    ///
    /// # Errors
    /// A function does not exist, or can't be calibrated.
    pub fn guides(&self, role: usize) -> Result<Vec<(Function, Calibration)>, PrepareError> {
        let guide = |name: &&str| {
            let (function, meaning) = self.game.guide(name, role)?;
            Ok((self.without_root(function)?, meaning))
        };
        self.functions.iter().map(guide).collect()
    }

    /// Combines the option `seed` with the seed of this player.
    pub fn seed(&self, own: u64) -> u64 {
        self.seed ^ own
    }

    /// A player with this search.
    pub fn player(&self, search: impl Search + 'm) -> SearchPlayer<'m> {
        SearchPlayer::new(self.line.to_owned(), Box::new(search))
    }
}

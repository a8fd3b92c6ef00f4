//! What players are made from.

use crate::catalog::OptionValues;
use crate::evaluation::{Calibration, Function};
use crate::machine::Machine;
use crate::search::{Search, SearchContext};
use crate::structure::finding::Structures;

use super::super::prepared_game::{PrepareError, PreparedGame};
use super::super::search_player::SearchPlayer;
use super::candidate::{Candidate, GameClass};

/// Makes other players, for an algorithm that hands the match on to one of them.
pub trait PlayerMaker {
    /// The player of a line, with those options besides its own that it has.
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

    /// The players that may suit a game, the likeliest first.
    fn candidates(&self, game: &GameClass) -> Vec<Candidate>;
}

/// A game and a role, and what was asked for.
pub struct PlayerContext<'a, 'm> {
    /// The game.
    pub game: &'a PreparedGame<'m>,
    /// The role, counted from 0.
    pub role: usize,
    /// Sets apart players that draw moves.
    pub seed: u64,
    /// The player's line.
    pub line: &'a str,
    /// The evaluation functions that it names: several stand between plus signs.
    pub functions: &'a [&'a str],
    /// Options that were given.
    pub options: &'a OptionValues,
    /// Who makes other players.
    pub maker: &'a dyn PlayerMaker,
}

impl<'m> PlayerContext<'_, 'm> {
    /// The game's machine.
    pub fn machine(&self) -> &'m dyn Machine {
        self.game.machine()
    }

    /// What the game is made of.
    pub fn structures(&self) -> &Structures {
        self.game.structures()
    }

    /// The game as the role and its team see it.
    pub fn setting(&self) -> SearchContext<'m> {
        SearchContext::of(self.machine(), self.structures(), self.role)
    }

    /// The evaluation function that was asked for, for a role.
    ///
    /// # Errors
    /// There is none, or its values depend on where a search begins.
    pub fn function(&self, role: usize) -> Result<Function, PrepareError> {
        self.without_root(self.function_since_root(role)?)
    }

    /// The same for searches that tell a function the state from which they begin.
    ///
    /// # Errors
    /// There is none.
    pub fn function_since_root(&self, role: usize) -> Result<Function, PrepareError> {
        self.game.function(&self.functions.join("+"), role)
    }

    fn without_root(&self, function: Function) -> Result<Function, PrepareError> {
        if !function.is_since_root() {
            return Ok(function);
        }
        let player = self.line.split([':', '?']).next().unwrap_or_default().to_owned();
        Err(PrepareError::SinceRoot { player, function: self.functions.join("+") })
    }

    /// The evaluation functions that were asked for, for a role, each with what its values mean.
    ///
    /// # Errors
    /// One is not there, or can't be calibrated.
    pub fn guides(&self, role: usize) -> Result<Vec<(Function, Calibration)>, PrepareError> {
        let guide = |name: &&str| {
            let (function, meaning) = self.game.guide(name, role)?;
            Ok((self.without_root(function)?, meaning))
        };
        self.functions.iter().map(guide).collect()
    }

    /// A seed of its own for this player, from the one that its options name.
    pub fn seed(&self, own: u64) -> u64 {
        self.seed ^ own
    }

    /// A player that finds its moves by a search.
    pub fn player(&self, search: impl Search + 'm) -> SearchPlayer<'m> {
        SearchPlayer::new(self.line.to_owned(), Box::new(search))
    }
}

//! Players that may suit a game: the properties of the game, and an algorithm's candidates.

use crate::evaluation::Kind;
use crate::structure::finding::Turns;

/// The properties of a game that the choice of a player depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct GameClass {
    /// Number of roles without chance.
    pub roles: usize,
    /// Number of teams.
    pub teams: usize,
    /// The turn order.
    pub turns: Turns,
    /// Whether a role moves at random.
    pub chance: bool,
    /// Whether the goal values have a constant sum.
    pub zero_sum: bool,
    /// The kinds of evaluation functions for the role, of those in [`SUITABLE`](crate::arena::SUITABLE), the most useful
    /// first.
    pub kinds: Vec<Kind>,
    /// The learned functions, as written in a player's line.
    pub learned: Option<String>,
}

impl GameClass {
    /// Whether this is a zero-sum game of two roles.
    pub fn is_duel(&self) -> bool {
        self.roles == 2 && self.teams == 2 && self.zero_sum
    }

    /// Whether several roles form one team.
    pub fn is_cooperation(&self) -> bool {
        self.roles > 1 && self.teams == 1
    }
}

/// A player that may suit a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its line.
    pub line: String,
    /// Candidates with a lower number are more promising; ties follow the order of the registry.
    pub place: u32,
    /// Whether it needs long matches, so that short ones don't show its strength.
    pub is_slow: bool,
}

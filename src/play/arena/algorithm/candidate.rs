//! Which players may suit a game: what an algorithm is asked for, and what it answers.

use crate::evaluation::Kind;
use crate::structure::finding::Turns;

/// What is known of a game when a player is chosen for it.
#[derive(Clone, Debug, PartialEq)]
pub struct GameClass {
    /// How many roles it has, chance not counted.
    pub roles: usize,
    /// How many teams they are.
    pub teams: usize,
    /// Who moves when.
    pub turns: Turns,
    /// Whether a role draws its moves.
    pub chance: bool,
    /// Whether one's gain is the others' loss.
    pub zero_sum: bool,
    /// The kinds of evaluation functions that the role has, of [`SUITABLE`](crate::arena::SUITABLE) ones, the most useful first.
    pub kinds: Vec<Kind>,
    /// Functions that were learned for it, as a player's line names them.
    pub learned: Option<String>,
}

impl GameClass {
    /// Whether two roles play against each other for what the other one loses.
    pub fn is_duel(&self) -> bool {
        self.roles == 2 && self.teams == 2 && self.zero_sum
    }

    /// Whether several roles play for the same goal values.
    pub fn is_cooperation(&self) -> bool {
        self.roles > 1 && self.teams == 1
    }
}

/// A player that may suit a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its line.
    pub line: String,
    /// Those that are likelier to be good have a lower number; of the same, the order of the registry decides.
    pub place: u32,
    /// Whether it needs time to be good: short matches say nothing of it.
    pub is_slow: bool,
}

//! Random playouts with all their states.

use crate::analysis::Game;
use crate::machine::{Cursor, MachineError, MoveId};
use crate::simulate::{Choices, WorkLimit};

use super::played_game::PlayedGame;

/// The number, length and size of random games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomGames {
    /// Maximum number of games.
    pub games: u64,
    /// Joint moves after which a game is cut off.
    pub max_steps: u32,
    /// Seed of all random choices.
    pub seed: u64,
    /// Maximum number of words in the stored states.
    pub words: usize,
}

impl Default for RandomGames {
    fn default() -> RandomGames {
        RandomGames { games: 1_000, max_steps: 1_000, seed: 1, words: 1 << 21 }
    }
}

impl RandomGames {
    /// Plays games one by one. A unit of work is a unit of [`Cursor::touched`]. A game during which the limit is reached is
    /// dropped.
    pub fn play(&self, game: &Game<'_>, limit: &WorkLimit<'_>) -> Vec<PlayedGame> {
        let mut cursor = game.machine.cursor();
        cursor.count_touched();
        let (mut games, mut words) = (Vec::new(), 0);
        for number in 0..self.games {
            let Ok(Some(played)) = self.play_one(game, number, &mut *cursor, limit) else { break };
            words += played.states.iter().map(|state| state.0.len()).sum::<usize>();
            games.push(played);
            if words > self.words {
                break;
            }
        }
        games
    }

    /// One game; none if a limit was reached before its end.
    fn play_one(
        &self,
        game: &Game<'_>,
        number: u64,
        cursor: &mut dyn Cursor,
        limit: &WorkLimit<'_>,
    ) -> Result<Option<PlayedGame>, MachineError> {
        let roles = game.machine.description().roles.len();
        let mut choices = Choices::new(self.seed, number);
        cursor.set(game.machine.initial())?;
        let mut played = PlayedGame {
            moves: Vec::new(),
            states: vec![cursor.state().clone()],
            estimates: Vec::new(),
            ended: cursor.terminal(),
            stuck: false,
            goals: vec![None; roles],
        };
        while !played.ended && played.moves.len() < self.max_steps as usize {
            let mut choose = |role: usize| {
                let legal = cursor.legal(role);
                (!legal.is_empty()).then(|| legal[choices.below(legal.len())])
            };
            let Some(joint) = (0..roles).map(&mut choose).collect::<Option<Vec<MoveId>>>() else { break };
            let before = cursor.touched();
            cursor.advance(&joint)?;
            if limit.spend(cursor.touched() - before).is_err() {
                return Ok(None);
            }
            played.moves.push(joint);
            played.states.push(cursor.state().clone());
            played.ended = cursor.terminal();
        }
        if played.ended {
            let goal = |role: usize| match cursor.goals(role) {
                &[value] => Some(value),
                _ => None,
            };
            played.goals = (0..roles).map(goal).collect();
        }
        Ok(Some(played))
    }
}

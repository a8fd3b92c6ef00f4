//! Arrays for what can be seen of games, for callers that have none of their own.

use super::{GamesView, LaneGames, Rows};

/// What can be seen of all games, with a row for each; [`GamesView`] has the meaning of every array.
#[derive(Clone, Debug)]
pub struct GamesArrays {
    /// The bits of the states, in words of 64.
    pub observations: Vec<u64>,
    /// Which actions may be chosen, in words of 64.
    pub masks: Vec<u64>,
    /// The goal values of all roles when a game ends (0 to 100); else 0.
    pub rewards: Vec<f32>,
    /// 1 if the game ended.
    pub terminated: Vec<u8>,
    /// 1 if the game was broken off.
    pub truncated: Vec<u8>,
    /// The role that has a choice, from 0; -1 if none or several have.
    pub turns: Vec<i8>,
}

impl GamesArrays {
    /// Arrays of zeros, as long as the games need them.
    pub fn new(games: &LaneGames) -> GamesArrays {
        let (count, mask) = (games.games(), games.mask());
        GamesArrays {
            observations: vec![0; count * games.observation().words()],
            masks: vec![0; count * mask.groups * mask.words()],
            rewards: vec![0.0; count * games.roles()],
            terminated: vec![0; count],
            truncated: vec![0; count],
            turns: vec![0; count],
        }
    }

    /// A view for [`LaneGames::step`] and [`LaneGames::show`] to write to.
    pub fn view(&mut self) -> GamesView<'_> {
        GamesView {
            observations: Rows::Packed(&mut self.observations),
            masks: Rows::Packed(&mut self.masks),
            rewards: &mut self.rewards,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
            turns: &mut self.turns,
        }
    }
}

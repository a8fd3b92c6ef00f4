//! Arrays for [`GamesView`], for callers without their own.

use super::{GamesView, LaneGames, Rows};

/// Arrays with a row for each game; [`GamesView`] describes their contents.
#[derive(Clone, Debug)]
pub struct GamesArrays {
    /// The bits of the states, in 64-bit words.
    pub observations: Vec<u64>,
    /// The actions that may be chosen, in 64-bit words.
    pub masks: Vec<u64>,
    /// The goal values of all roles (0 to 100) in the step in which a game ends, else 0.
    pub rewards: Vec<f32>,
    /// 1 if the game ended.
    pub terminated: Vec<u8>,
    /// 1 if the game was cut off.
    pub truncated: Vec<u8>,
    /// The role that has a choice, from 0; -1 if none or several have.
    pub turns: Vec<i8>,
}

impl GamesArrays {
    /// Zeroed arrays of the lengths that the games need.
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

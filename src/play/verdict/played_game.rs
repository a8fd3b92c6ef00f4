//! A game that was played, with all its states.

use crate::analysis::{Play, PlayedBy};
use crate::machine::{Machine, MachineError, MoveId, State};

/// A game from the initial state to its end or to the step limit.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame {
    /// The joint moves.
    pub moves: Vec<Vec<MoveId>>,
    /// The states, from the initial to the last: one more than moves.
    pub states: Vec<State>,
    /// For each joint move and role the value, in goal points, that the role's search expected; none without a search or a
    /// choice.
    pub estimates: Vec<Vec<Option<f64>>>,
    /// Whether the last state is terminal.
    pub ended: bool,
    /// Whether a role has no legal move in the last state, which is not terminal.
    pub stuck: bool,
    /// The goal value of each role in the last state; none if it is not terminal, or the role has no or several values.
    pub goals: Vec<Option<i32>>,
}

impl PlayedGame {
    /// The game as a play, to step through.
    ///
    /// # Errors
    /// A state can't be evaluated.
    pub fn play(&self, machine: &dyn Machine) -> Result<Play, MachineError> {
        let path: Vec<(Vec<MoveId>, State)> =
            self.moves.iter().cloned().zip(self.states.iter().skip(1).cloned()).collect();
        let play = Play::along(machine, machine.initial(), &path)?;
        Ok(Play { by: PlayedBy::Searches, estimates: self.estimates.clone(), ..play })
    }

    /// The best goal value of each team; none if a role of a team has no single goal value. The role `random` is in no team.
    pub(super) fn team_goals(&self, teams: &[Vec<usize>]) -> Option<Vec<i32>> {
        let of_team = |team: &Vec<usize>| -> Option<i32> {
            let goals: Option<Vec<i32>> = team.iter().map(|&role| self.goals[role]).collect();
            goals?.into_iter().max()
        };
        teams.iter().map(of_team).collect()
    }

    /// Whether roles with a goal value had different ones; with one such role, whether the game ended.
    fn is_decided(&self) -> bool {
        let goals: Vec<i32> = self.goals.iter().copied().flatten().collect();
        self.ended && (goals.len() == 1 || goals.windows(2).any(|pair| pair[0] != pair[1]))
    }
}

/// A game of median length among those that were decided, or among all that ended; the first of several.
pub(super) fn typical(games: &[PlayedGame]) -> Option<&PlayedGame> {
    let median = |chosen: Vec<&'_ PlayedGame>| -> Option<usize> {
        let mut lengths: Vec<usize> = chosen.iter().map(|game| game.moves.len()).collect();
        lengths.sort_unstable();
        lengths.get(lengths.len() / 2).copied()
    };
    let of = |fits: &dyn Fn(&PlayedGame) -> bool| {
        let length = median(games.iter().filter(|game| fits(game)).collect())?;
        games.iter().find(|game| fits(game) && game.moves.len() == length)
    };
    of(&PlayedGame::is_decided).or_else(|| of(&|game| game.ended))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_typical_game_is_decided_and_of_median_length() {
        let game = |length: usize, goals: [i32; 2]| PlayedGame {
            moves: vec![Vec::new(); length],
            states: Vec::new(),
            estimates: Vec::new(),
            ended: true,
            stuck: false,
            goals: goals.map(Some).to_vec(),
        };
        let games = [game(9, [50, 50]), game(3, [100, 0]), game(7, [0, 100]), game(5, [100, 0])];
        assert_eq!(typical(&games).map(|game| game.moves.len()), Some(5));
        assert_eq!(typical(&games[..1]).map(|game| game.moves.len()), Some(9));
        assert!(typical(&[]).is_none());
    }
}

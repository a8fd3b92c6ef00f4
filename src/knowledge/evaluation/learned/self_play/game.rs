//! A game of self-play: its settings, its state during play, and its record.

use crate::machine::{MoveId, State};
use crate::simulate::Choices;

use super::super::model::Model;

/// Limit of the moves of a role that are evaluated in a state; if there are more, this number is drawn. With fewer
/// moves there is time for more games, which differ more.
const MOVES: usize = 10;

/// The same if lanes value the states after the moves.
const MOVES_IN_LANES: usize = 64;

/// The number of draws of the moves that other roles make at the same time.
const SIMULTANEOUS_DRAWS: usize = 2;

/// The number of values of a uniform draw.
const GRAINS: usize = 1 << 24;

/// A uniform draw from 0 to 1.
pub(super) fn draw_share(choices: &mut Choices) -> f64 {
    choices.below(GRAINS) as f64 / GRAINS as f64
}

/// The settings of games.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaySettings<'a> {
    /// The model that each role follows; a role without one draws its moves at random.
    pub(crate) models: &'a [Option<&'a Model>],
    /// The states of a known plan, if there is one: every second game begins at one of them.
    pub(crate) plan: &'a [State],
    /// The most joint moves at the beginning that are drawn at random.
    pub(crate) opening: u32,
    /// The chance of a random move after the opening.
    pub(crate) noise: f64,
    /// The number of joint moves after which a game is cut off.
    pub(crate) max_steps: u32,
    /// The least and the greatest goal value of every role.
    pub(crate) rewards: &'a [[i32; 2]],
    /// The seed of all draws.
    pub(crate) seed: u64,
    /// Whether states are recorded.
    pub(crate) records_states: bool,
    /// Whether roles examine the replies to their best moves. Only for games of one player, or of two with opposed
    /// goals.
    pub(crate) examines_replies: bool,
}

/// The record of a game. Each list has one entry for each state.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PlayedGame {
    /// The states after the opening, without the terminal one.
    pub(crate) states: Vec<State>,
    /// The roles that have several moves, a bit for each of the first 64.
    pub(crate) choosers: Vec<u64>,
    /// If the only role with a choice drew its move at random: the role, and each role's value of the best move.
    pub(crate) forgone: Vec<Option<(usize, Vec<f64>)>>,
    /// The values backed up from the replies to the best moves, if replies were examined.
    pub(crate) backups: Vec<Option<Backup>>,
    /// Each role's share of its goal value, 0 to 1; none if the game was cut off, or has no goal value for a role.
    pub(crate) outcome: Option<Vec<f64>>,
}

/// Values of a state that were backed up from the states two plies later.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Backup {
    /// Each role's value of the best move, 0 to 1.
    pub(crate) values: Vec<f64>,
    /// A state after one of the moves, with each role's value.
    pub(crate) sibling: Option<(State, Vec<f64>)>,
}

#[cfg(test)]
impl PlayedGame {
    /// A game of one state in which each role gets a share.
    pub(crate) fn of_state(word: u64, outcome: &[f64]) -> PlayedGame {
        let states = vec![State(Box::new([word]))];
        PlayedGame { states, forgone: vec![None], outcome: Some(outcome.to_vec()), ..PlayedGame::default() }
    }
}

/// A goal value as a share of the range from the least to the greatest.
pub(super) fn share_of(goal: i32, [least, most]: [i32; 2]) -> f64 {
    if most > least { f64::from(goal - least) / f64::from(most - least) } else { 0.5 }
}

/// A game that has not ended.
pub(super) struct OngoingGame {
    pub(super) number: u64,
    pub(super) state: State,
    /// For each role its legal moves; empty once the game is over.
    pub(super) legal: Vec<Vec<MoveId>>,
    pub(super) choices: Choices,
    /// Remaining moves of the opening.
    pub(super) opening: u32,
    pub(super) steps: u32,
    pub(super) record: PlayedGame,
}

/// A role's decision between its moves in a state.
pub(super) struct Decision {
    /// The index of the game among those that have not ended.
    pub(super) game: usize,
    pub(super) role: usize,
    pub(super) moves: Vec<MoveId>,
    /// The index of the first value of its successors. There is a value for each draw of the other roles' moves and
    /// each move.
    pub(super) first: usize,
    /// The number of draws of the other roles' moves.
    pub(super) draws: usize,
    /// A random number that chooses the sibling of [`Backup`].
    pub(super) sibling: usize,
    /// Whether the role draws its move at random although values are computed.
    pub(super) explores: bool,
}

impl Decision {
    pub(super) fn successors(&self) -> usize {
        self.draws * self.moves.len()
    }

    /// Appends the joint moves that lead to its successors, from the joint moves drawn for all games.
    pub(super) fn push_successors(&self, game: &mut OngoingGame, joints: &[MoveId], out: &mut Vec<MoveId>) {
        let roles = game.legal.len();
        let mut joint = joints[self.game * roles..(self.game + 1) * roles].to_vec();
        for _ in 0..self.draws {
            // A role does not know the simultaneous moves of others, so these are drawn independently of the moves that
            // are made.
            if self.draws > 1 {
                for role in (0..roles).filter(|&role| role != self.role) {
                    joint[role] = game.legal[role][game.choices.below(game.legal[role].len())];
                }
            }
            for &action in &self.moves {
                joint[self.role] = action;
                out.extend_from_slice(&joint);
            }
        }
    }
}

impl OngoingGame {
    /// Adds the decisions of the roles that follow a model. `in_lanes` says for each role whether lanes value its
    /// moves.
    pub(super) fn push_decisions(
        &mut self,
        game: usize,
        settings: &PlaySettings<'_>,
        in_lanes: &[bool],
        decisions: &mut Vec<Decision>,
    ) {
        if self.opening > 0 {
            return;
        }
        let choosers = self.legal.iter().filter(|legal| legal.len() > 1).count();
        for role in (0..settings.models.len()).filter(|&role| settings.models[role].is_some()) {
            let legal = &self.legal[role];
            if legal.len() < 2 {
                continue;
            }
            let explores = draw_share(&mut self.choices) < settings.noise;
            // The loss caused by a random move is known only if no other role moves.
            if explores && (choosers > 1 || !settings.records_states) {
                continue;
            }
            let most = if in_lanes[role] { MOVES_IN_LANES } else { MOVES };
            let mut moves = legal.clone();
            if moves.len() > most {
                for index in 0..most {
                    let other = index + self.choices.below(moves.len() - index);
                    moves.swap(index, other);
                }
                moves.truncate(most);
            }
            let draws = if choosers > 1 { SIMULTANEOUS_DRAWS } else { 1 };
            let sibling = if settings.examines_replies { self.choices.below(GRAINS) } else { 0 };
            decisions.push(Decision { game, role, moves, first: 0, draws, sibling, explores });
        }
    }

    pub(super) fn record_state(&mut self) {
        let several = (0..self.legal.len().min(64)).filter(|&role| self.legal[role].len() > 1);
        self.record.choosers.push(several.fold(0, |choosers, role| choosers | 1 << role));
        self.record.states.push(self.state.clone());
        self.record.forgone.push(None);
        self.record.backups.push(None);
    }
}

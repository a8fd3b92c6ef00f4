//! Games between players of given strengths.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::machine::{Machine, MoveId};
use crate::search::{Limits, Search, SearchContext, SearchError, Uct, UctOptions};
use crate::simulate::Choices;

use super::match_budget::{LANES, LEAVES};
use super::played_game::PlayedGame;
use super::strength::Strength;

/// Memory of the tree of one player, in bytes.
const MEMORY: usize = 32 << 20;

/// A separate stream of random numbers.
const STREAM: u64 = 0x7665_7264;

/// The number of the first search for [`Contest::agreement`], for its random numbers.
const AGREEMENT: u64 = 1 << 41;

/// The conditions of games.
pub(super) struct Contest<'a> {
    pub(super) machine: &'a dyn Machine,
    /// Roles that win together.
    pub(super) teams: &'a [Vec<usize>],
    pub(super) seed: u64,
    /// Joint moves after which a game is cut off.
    pub(super) max_steps: u32,
    /// Whether searches play in lanes.
    pub(super) lanes: bool,
    /// Threads; 0 for the number of processors.
    pub(super) threads: usize,
    pub(super) interrupt: Option<&'a Arc<AtomicBool>>,
}

/// The games of a batch, in the order of their numbers, and the states that their searches visited.
#[derive(Clone, Debug, Default)]
pub(super) struct ContestGames {
    pub(super) games: Vec<PlayedGame>,
    /// The number of each game.
    pub(super) numbers: Vec<u64>,
    pub(super) states: u64,
}

impl Contest<'_> {
    /// Plays games in batches until `count` are played, the states of all searches exceed `most_states`, or the interrupt
    /// comes. `seats` gives the strength of each role in the game of a number. The result does not depend on the number of
    /// threads.
    ///
    /// # Errors
    /// A state can't be evaluated.
    pub(super) fn play(
        &self,
        first: u64,
        count: u64,
        most_states: u64,
        seats: &(dyn Fn(u64) -> Vec<Strength> + Sync),
    ) -> Result<ContestGames, SearchError> {
        /// Games between two looks at the limit of states.
        const BATCH: u64 = 4;
        let mut played = ContestGames::default();
        let mut next = 0;
        while next < count && played.states <= most_states && !self.interrupted() {
            let numbers: Vec<u64> = (next..count.min(next + BATCH)).map(|number| first + number).collect();
            next += numbers.len() as u64;
            let play = || numbers.par_iter().map(|&number| self.game(&seats(number), number)).collect();
            let batch: Vec<Result<(PlayedGame, u64), SearchError>> =
                match rayon::ThreadPoolBuilder::new().num_threads(self.threads).build() {
                    Ok(pool) => pool.install(play),
                    // Without threads the games are played one after the other.
                    Err(_) => numbers.iter().map(|&number| self.game(&seats(number), number)).collect(),
                };
            for (number, game) in numbers.into_iter().zip(batch) {
                let (game, states) = game?;
                played.states += states;
                // A game that was interrupted says nothing.
                if game.ended || game.moves.len() >= self.max_steps as usize || game.stuck {
                    played.games.push(game);
                    played.numbers.push(number);
                }
            }
        }
        Ok(played)
    }

    fn interrupted(&self) -> bool {
        self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Plays one game; returns it with the number of states that the searches visited.
    fn game(&self, seats: &[Strength], number: u64) -> Result<(PlayedGame, u64), SearchError> {
        let machine = self.machine;
        let random = machine.description().random_role();
        let mut searches: Vec<Option<Uct<'_>>> = seats
            .iter()
            .enumerate()
            .map(|(role, strength)| {
                let searches = strength.states() > 0 && Some(role) != random;
                searches.then(|| self.search(role, number))
            })
            .collect();
        let mut choices = Choices::new(self.seed ^ STREAM, number);
        let mut cursor = machine.cursor();
        let mut game = PlayedGame {
            moves: Vec::new(),
            states: vec![cursor.state().clone()],
            estimates: Vec::new(),
            ended: false,
            stuck: false,
            goals: vec![None; seats.len()],
        };
        let mut visited = 0;
        while !cursor.terminal() && game.moves.len() < self.max_steps as usize && !self.interrupted() {
            let mut joint: Vec<MoveId> = Vec::with_capacity(seats.len());
            let mut estimates = vec![None; seats.len()];
            for (role, search) in searches.iter_mut().enumerate() {
                let legal = cursor.legal(role);
                if legal.is_empty() {
                    game.stuck = true;
                    break;
                }
                let action = match search {
                    Some(search) if legal.len() > 1 => {
                        let limits = Limits {
                            nodes: Some(seats[role].states()),
                            interrupt: self.interrupt.map(|flag| &**flag),
                            ..Limits::default()
                        };
                        let result = search.search(cursor.state(), &limits, &mut |_| {})?;
                        visited += result.nodes;
                        estimates[role] = result.value;
                        result.action.unwrap_or(legal[0])
                    }
                    _ => legal[choices.below(legal.len())],
                };
                joint.push(action);
            }
            if game.stuck {
                break;
            }
            cursor.advance(&joint).map_err(SearchError::from)?;
            game.moves.push(joint);
            game.estimates.push(estimates);
            game.states.push(cursor.state().clone());
        }
        game.ended = cursor.terminal();
        if game.ended {
            let single = |role: usize| if let [goal] = *cursor.goals(role) { Some(goal) } else { None };
            game.goals = (0..seats.len()).map(single).collect();
        }
        Ok((game, visited))
    }

    /// The share of searched states of some games in which a search of another strength answers with the move that was played,
    /// and the number of states compared: at most `count`, evenly spaced. None if no state was searched.
    ///
    /// # Errors
    /// A state can't be evaluated.
    pub(super) fn agreement(
        &self,
        games: &[&PlayedGame],
        strength: Strength,
        count: usize,
    ) -> Result<Option<(f64, u64)>, SearchError> {
        let searched = |game: &usize| {
            let game = *game;
            let at = move |step: usize| {
                let role = games[game].estimates[step].iter().position(Option::is_some)?;
                Some((game, step, role))
            };
            (0..games[game].moves.len()).filter_map(at)
        };
        let states: Vec<(usize, usize, usize)> = (0..games.len()).flat_map(|game| searched(&game)).collect();
        let stride = states.len().div_ceil(count.max(1)).max(1);
        let compared: Vec<(usize, usize, usize)> = states.into_iter().step_by(stride).collect();
        let same =
            |(number, &(game, step, role)): (usize, &(usize, usize, usize))| -> Result<u64, SearchError> {
                let limits = Limits {
                    nodes: Some(strength.states()),
                    interrupt: self.interrupt.map(|flag| &**flag),
                    ..Limits::default()
                };
                let mut search = self.search(role, AGREEMENT + number as u64);
                let result = search.search(&games[game].states[step], &limits, &mut |_| {})?;
                Ok(u64::from(result.action == Some(games[game].moves[step][role])))
            };
        let count = || compared.par_iter().enumerate().map(same).sum::<Result<u64, SearchError>>();
        let equal = match rayon::ThreadPoolBuilder::new().num_threads(self.threads).build() {
            Ok(pool) => pool.install(count)?,
            Err(_) => compared.iter().enumerate().map(same).sum::<Result<u64, SearchError>>()?,
        };
        let states = compared.len() as u64;
        Ok((states > 0).then(|| (equal as f64 / states as f64, states)))
    }

    /// A search for one role of the game of a number.
    pub(super) fn search(&self, role: usize, number: u64) -> Uct<'_> {
        let roles = self.machine.description().roles.len() as u64;
        let options = UctOptions {
            memory: MEMORY,
            max_steps: Some(self.max_steps),
            lanes: if self.lanes { LANES } else { 0 },
            leaves: LEAVES,
            seed: self.seed ^ STREAM ^ (number * roles + role as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            ..UctOptions::default()
        };
        Uct::plain(SearchContext::in_team(self.machine, role, self.teams), options)
    }
}

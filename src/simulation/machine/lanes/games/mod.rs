//! Many games at once, stepped by given actions: a vectorised environment for reinforcement learning.
//!
//! A [`Block`](super::block::Block) chooses moves itself; here the caller gives an action for every game. It gets the
//! successor's bits, the actions that may be chosen, rewards, and which games are over. 512 games share a pass. Games that
//! are over restart automatically.
//!
//! `block` has 512 games, `game_status` computes whose turn it is and which games are over. `rows` writes bits as rows of
//! arrays, and `arrays` has arrays for callers without their own. `tests/play/lane_games.rs` compares the games with the
//! machine.

mod arrays;
mod block;
mod game_status;
mod rows;

use std::sync::Arc;

use rayon::prelude::*;

use super::program::Program;
use super::word::LANES;
use crate::ground::Interrupted;
pub use arrays::GamesArrays;
use block::{GameBlock, MoveSlots};
use game_status::GameStatus;
pub use rows::{RowShape, Rows};

/// The meaning of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actions {
    /// One action per game, as an index of the network's moves: the move of the role that has a choice. All other roles make
    /// their only move. If no role has a choice, any role's only move is accepted. -1 leaves a game unchanged, even if it is
    /// over.
    Turns,
    /// One action per role, as an index of the role's moves; -1 if it has only one legal move.
    Joint,
}

/// When a game that is over restarts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AutoReset {
    /// With the next step, which ignores the game's action.
    #[default]
    NextStep,
    /// In the same step, so its last state is not shown. This evaluates the states twice.
    SameStep,
    /// Only by [`LaneGames::reset`] or [`LaneGames::reset_some`]. Until then its actions are ignored.
    Never,
}

/// How games are played. By default an action is the move of the role that has a choice, games restart with the next step,
/// only the rules end them, and the seed is 1.
#[derive(Clone, Copy, Debug)]
pub struct GamesOptions {
    /// The meaning of an action.
    pub actions: Actions,
    /// When games restart.
    pub auto_reset: AutoReset,
    /// Steps after which a game is cut off; none if only its rules end it.
    pub max_steps: Option<u32>,
    /// The seed of [`LaneGames::sample`].
    pub seed: u64,
}

impl Default for GamesOptions {
    fn default() -> Self {
        GamesOptions { actions: Actions::Turns, auto_reset: AutoReset::NextStep, max_steps: None, seed: 1 }
    }
}

/// Why a step was not made. All games are unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GamesError {
    /// The action is not legal.
    #[error("game {game}: action {action} is not legal{}; choose an action that the game's mask allows", role_text(*role))]
    NotLegal {
        /// The game, from 0.
        game: usize,
        /// The role, if every role has an action.
        role: Option<usize>,
        /// The action.
        action: i32,
    },
    /// Several roles have a choice, but only one action was given.
    #[error("game {game}: several roles have a choice at once; create the games with one action per role")]
    SeveralChoose {
        /// The game, from 0.
        game: usize,
    },
    /// An array has a wrong length.
    #[error("{what}: expected {expected} entries, got {given}")]
    Length {
        /// The array.
        what: &'static str,
        /// The expected length.
        expected: usize,
        /// The given length.
        given: usize,
    },
}

fn role_text(role: Option<usize>) -> String {
    role.map_or(String::new(), |role| format!(" for role {role}"))
}

/// The results of a step, as arrays with a row for every game.
#[derive(Debug)]
pub struct GamesView<'o> {
    /// The bits of the states.
    pub observations: Rows<'o>,
    /// The actions that may be chosen; none in games that are over.
    pub masks: Rows<'o>,
    /// The goal values of all roles in games that ended with this step (the largest if there are several), else 0.
    pub rewards: &'o mut [f32],
    /// 1 if the state is terminal.
    pub terminated: &'o mut [u8],
    /// 1 if the game was cut off: it reached the step limit, or a role has no legal move.
    pub truncated: &'o mut [u8],
    /// The role that has a choice; -1 if none or several have.
    pub turns: &'o mut [i8],
}

impl<'o> GamesView<'o> {
    /// The rows of the first games, and the rest.
    fn split(self, games: usize, rules: &Rules) -> (GamesView<'o>, GamesView<'o>) {
        let (observations, observations_left) = self.observations.split(games, rules.observation);
        let (masks, masks_left) = self.masks.split(games, rules.mask);
        let (rewards, rewards_left) = self.rewards.split_at_mut(games * rules.roles);
        let (terminated, terminated_left) = self.terminated.split_at_mut(games);
        let (truncated, truncated_left) = self.truncated.split_at_mut(games);
        let (turns, turns_left) = self.turns.split_at_mut(games);
        let first = GamesView { observations, masks, rewards, terminated, truncated, turns };
        let rest = GamesView {
            observations: observations_left,
            masks: masks_left,
            rewards: rewards_left,
            terminated: terminated_left,
            truncated: truncated_left,
            turns: turns_left,
        };
        (first, rest)
    }
}

/// Data shared by all blocks.
struct Rules {
    options: GamesOptions,
    look: GameStatus,
    roles: usize,
    observation: RowShape,
    mask: RowShape,
    /// The slots of the state's bits.
    bits: std::ops::Range<usize>,
    initial: Vec<bool>,
    /// The slots of each action's move, by action and role; by role and action if every role has its own.
    places: Vec<MoveSlots>,
    /// The moves of every role.
    role_places: Vec<Vec<MoveSlots>>,
    /// The role and value of every goal condition.
    goals: Vec<(usize, i32)>,
    goal_slots: std::ops::Range<usize>,
    terminal: usize,
    aged: usize,
    slots: u32,
}

/// Games of one program. They do not store the program; all calls must pass the same one.
/// [`Machine::lanes`](crate::machine::Machine::lanes) gives a program, and [`GamesArrays`] has arrays for the results.
/// `examples/many_games.rs` plays 512 games to their end.
///
/// # Example
///
/// ```
/// # mod ggp { pub use ggp_rules::*; pub use ggp_simulation::*; }
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// # use ggp::gdl::{Source, read};
/// # use ggp::ground::Limits;
/// # use ggp::machine::{Backend, load};
/// use ggp::machine::lanes::games::{GamesArrays, GamesOptions, LaneGames};
///
/// # let rules = read(&Source::load("games/nim.kif")?).description.expect("the rules have no errors");
/// # let game = load(rules, Backend::Auto, &Limits::default())?;
/// let program = game.machine.lanes().expect("nim has a small network");
/// let mut games = LaneGames::new(program, 512, GamesOptions::default())?;
/// let (mut seen, mut actions) = (GamesArrays::new(&games), vec![0; 512]);
/// games.sample(&mut actions);
/// games.step(program, &actions, Some(seen.view()), None)??;
/// assert!(seen.turns.iter().all(|&role| role == 1)); // it is the second player's turn in all games
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LaneGames {
    rules: Arc<Rules>,
    blocks: Vec<GameBlock>,
    games: usize,
}

impl std::fmt::Debug for LaneGames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LaneGames").field("games", &self.games).finish_non_exhaustive()
    }
}

impl LaneGames {
    /// Creates games at the initial state. Compiles the program for given moves if necessary.
    ///
    /// # Errors
    /// The interrupt ended compilation.
    pub fn new(program: &Program, games: usize, options: GamesOptions) -> Result<LaneGames, Interrupted> {
        let (network, layout) = (program.network(), &program.layout);
        let look = GameStatus::new(program, options.actions)?;
        let roles = network.moves.len();
        let place = |role: usize, number: usize| MoveSlots {
            legal: layout.legal[role].start + number as u32,
            made: layout.made[role][number],
        };
        let (mask, places) = match options.actions {
            Actions::Turns => {
                let mut places = vec![MoveSlots::default(); network.actions.len() * roles];
                for (role, moves) in network.moves.iter().enumerate() {
                    for (number, m) in moves.iter().enumerate() {
                        places[m.action as usize * roles + role] = place(role, number);
                    }
                }
                (RowShape { groups: 1, bits: network.actions.len() }, places)
            }
            Actions::Joint => {
                let most = network.moves.iter().map(Vec::len).max().unwrap_or(0);
                let mut places = vec![MoveSlots::default(); most * roles];
                for (role, moves) in network.moves.iter().enumerate() {
                    (0..moves.len()).for_each(|number| places[role * most + number] = place(role, number));
                }
                (RowShape { groups: roles, bits: most }, places)
            }
        };
        let goals = network.goals.iter().enumerate();
        let first = layout.bit(0) as usize;
        let rules = Arc::new(Rules {
            options,
            slots: look.end.max(program.given()?.slots),
            look,
            roles,
            observation: RowShape { groups: 1, bits: layout.bits },
            mask,
            bits: first..first + layout.bits,
            initial: network.initial.clone(),
            places,
            role_places: (0..roles)
                .map(|role| (0..network.moves[role].len()).map(|number| place(role, number)).collect())
                .collect(),
            goal_slots: layout.goals.start as usize..layout.goals.end as usize,
            terminal: layout.terminal as usize,
            aged: layout.aged as usize,
            goals: goals
                .flat_map(|(role, goals)| goals.iter().map(move |&(value, _)| (role, value)))
                .collect(),
        });
        let blocks = (0..games.div_ceil(LANES))
            .map(|block| GameBlock::new(&rules, block as u64, LANES.min(games - block * LANES)));
        let blocks = blocks.collect();
        let mut made = LaneGames { rules, blocks, games };
        made.reset(program)?;
        Ok(made)
    }

    /// Whether at most one role has a choice in the states that random play reaches, so that one action per game suffices.
    /// It plays 512 games for `steps`.
    ///
    /// # Errors
    /// The interrupt ended it.
    pub fn one_chooses(program: &Program, steps: usize, seed: u64) -> Result<bool, Interrupted> {
        let options =
            GamesOptions { actions: Actions::Joint, auto_reset: AutoReset::SameStep, max_steps: None, seed };
        let mut games = LaneGames::new(program, LANES, options)?;
        let mut actions = vec![0; LANES * games.rules.roles];
        for _ in 0..steps {
            program.interrupt.check()?;
            if games.blocks[0].clash(&games.rules) {
                return Ok(false);
            }
            games.sample(&mut actions);
            if games.step(program, &actions, None, None)?.is_err() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Number of games.
    pub fn games(&self) -> usize {
        self.games
    }

    /// Number of roles.
    pub fn roles(&self) -> usize {
        self.rules.roles
    }

    /// Number of actions of a game: 1, or one per role.
    pub fn actions_each(&self) -> usize {
        self.rules.mask.groups
    }

    /// The shape of a game's observation.
    pub fn observation(&self) -> RowShape {
        self.rules.observation
    }

    /// The shape of a game's mask.
    pub fn mask(&self) -> RowShape {
        self.rules.mask
    }

    /// Memory of the games, in bytes.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(GameBlock::bytes).sum()
    }

    /// Resets all games.
    ///
    /// # Errors
    /// The interrupt ended it.
    pub fn reset(&mut self, program: &Program) -> Result<(), Interrupted> {
        let step = program.given()?;
        self.blocks.iter_mut().for_each(|block| block.reset(&self.rules, step, None));
        Ok(())
    }

    /// Resets the games with a nonzero byte.
    ///
    /// # Errors
    /// The interrupt ended it.
    ///
    /// # Panics
    /// There are fewer bytes than games.
    pub fn reset_some(&mut self, program: &Program, games: &[u8]) -> Result<(), Interrupted> {
        let step = program.given()?;
        for (block, games) in self.blocks.iter_mut().zip(games[..self.games].chunks(LANES)) {
            block.reset(&self.rules, step, Some(games));
        }
        Ok(())
    }

    /// The bits of a game's state.
    ///
    /// # Panics
    /// The game does not exist.
    pub fn state(&self, game: usize) -> Vec<u64> {
        self.blocks[game / LANES].state(&self.rules, game % LANES)
    }

    /// Sets the state of a game and begins counting its steps again.
    ///
    /// # Errors
    /// The interrupt ended it.
    ///
    /// # Panics
    /// The game does not exist, or the state has too few bits.
    pub fn set_state(&mut self, program: &Program, game: usize, state: &[u64]) -> Result<(), Interrupted> {
        self.blocks[game / LANES].set_state(&self.rules, program.given()?, game % LANES, state);
        Ok(())
    }

    /// Draws uniformly random legal actions; 0 for games that are over.
    ///
    /// # Panics
    /// `actions` is shorter than the number of actions of all games.
    pub fn sample(&mut self, actions: &mut [i32]) {
        let each = self.actions_each();
        for (block, actions) in
            self.blocks.iter_mut().zip(actions[..self.games * each].chunks_mut(LANES * each))
        {
            block.sample(&self.rules, actions);
        }
    }

    /// Reseeds [`LaneGames::sample`].
    pub fn seed(&mut self, seed: u64) {
        self.blocks.iter_mut().enumerate().for_each(|(number, block)| block.seed(seed, number as u64));
    }

    /// Makes a step in every game and writes the results to `view`. With a pool of threads, blocks of 512 games run in
    /// parallel.
    ///
    /// # Errors
    /// Outer error: the interrupt came before the step. Inner error: an action is not legal or an array has a wrong
    /// length; no game has stepped.
    pub fn step(
        &mut self,
        program: &Program,
        actions: &[i32],
        view: Option<GamesView<'_>>,
        threads: Option<&rayon::ThreadPool>,
    ) -> Result<Result<(), GamesError>, Interrupted> {
        program.interrupt.check()?;
        let step = program.given()?;
        let (rules, each) = (&*self.rules, self.rules.mask.groups);
        if let Err(error) = self.check(actions.len(), view.as_ref()) {
            return Ok(Err(error));
        }
        let chunk = LANES * each.max(1);
        for (number, (block, actions)) in self.blocks.iter_mut().zip(actions.chunks(chunk)).enumerate() {
            if let Err(mut error) = block.note(rules, actions) {
                if let GamesError::NotLegal { game, .. } | GamesError::SeveralChoose { game } = &mut error {
                    *game += number * LANES;
                }
                self.blocks.iter_mut().for_each(GameBlock::forget_moves);
                return Ok(Err(error));
            }
        }
        let views = self.views(view);
        let advance =
            |(block, view): (&mut GameBlock, Option<GamesView<'_>>)| block.advance(rules, step, view);
        match threads {
            None => self.blocks.iter_mut().zip(views).for_each(advance),
            Some(pool) => pool.install(|| self.blocks.par_iter_mut().zip(views).for_each(advance)),
        }
        Ok(Ok(()))
    }

    /// Writes the current games to `view`. Rewards are not repeated.
    ///
    /// # Errors
    /// [`GamesError::Length`]: an array has a wrong length.
    pub fn show(&mut self, view: GamesView<'_>) -> Result<(), GamesError> {
        self.check(self.games * self.actions_each(), Some(&view))?;
        let views = self.views(Some(view));
        for (block, view) in self.blocks.iter_mut().zip(views) {
            block.show(&self.rules, view);
        }
        Ok(())
    }

    /// Splits a view by blocks.
    fn views<'o>(&self, view: Option<GamesView<'o>>) -> Vec<Option<GamesView<'o>>> {
        let mut left = view;
        let mut split = |block: &GameBlock| {
            let (first, rest) = left.take()?.split(block.lanes(), &self.rules);
            left = Some(rest);
            Some(first)
        };
        self.blocks.iter().map(&mut split).collect()
    }

    /// Checks the lengths of arrays.
    fn check(&self, actions: usize, view: Option<&GamesView<'_>>) -> Result<(), GamesError> {
        let games = self.games;
        let same = |what, given, expected| match given == expected {
            true => Ok(()),
            false => Err(GamesError::Length { what, expected, given }),
        };
        same("actions", actions, games * self.actions_each())?;
        let Some(view) = view else { return Ok(()) };
        same("rewards", view.rewards.len(), games * self.rules.roles)?;
        same("terminated", view.terminated.len(), games)?;
        same("truncated", view.truncated.len(), games)?;
        same("turns", view.turns.len(), games)?;
        for (what, rows, shape) in
            [("observations", &view.observations, self.observation()), ("masks", &view.masks, self.mask())]
        {
            if let Some((given, expected)) = rows.misfit(games, shape) {
                return Err(GamesError::Length { what, expected, given });
            }
        }
        Ok(())
    }
}

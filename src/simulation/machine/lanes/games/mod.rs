//! Many games at once, stepped by given actions: what learners in other languages play with.
//!
//! Where a [`Block`](super::block::Block) chooses moves itself and counts, here the caller gives an action for every
//! game and gets what can be seen of the successor: its bits, which actions may be chosen, rewards, and what is over.
//! 512 games share a pass. Games that are over begin again, unasked.
//!
//! `block` has 512 games, `look` computes whose turn it is and which games are over, `rows` writes bits as rows of
//! arrays, and `arrays` has arrays for callers without their own. `tests/play/lane_games.rs` compares the games with the machine.

mod arrays;
mod block;
mod look;
mod rows;

use std::sync::Arc;

use rayon::prelude::*;

use super::program::Program;
use super::word::LANES;
use crate::ground::Interrupted;
pub use arrays::GamesArrays;
use block::{GameBlock, Place};
use look::Look;
pub use rows::{RowShape, Rows};

/// What an action is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actions {
    /// One for a game, by its number among the network's moves: the move of the role that has a choice. All others make
    /// their only move. Where nobody has a choice any role's only move will do. With -1 a game stays where it is, also where
    /// it is over.
    Turns,
    /// One for every role, by its number among the role's moves; -1 where it has only one.
    Joint,
}

/// When a game that is over begins again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AutoReset {
    /// With the next step, whose action is ignored for it.
    #[default]
    NextStep,
    /// At once: its last state isn't seen. It costs a second look at the states.
    SameStep,
    /// When it is told to. Until then its actions are ignored.
    Never,
}

/// How games are played. By default an action is the move of the role that has a choice, games begin again with the next
/// step, only rules end them, and the seed is 1.
#[derive(Clone, Copy, Debug)]
pub struct GamesOptions {
    /// What an action is.
    pub actions: Actions,
    /// When games begin again.
    pub auto_reset: AutoReset,
    /// Steps after which a game is broken off; none where only its rules end it.
    pub max_steps: Option<u32>,
    /// The seed of actions drawn by [`LaneGames::sample`].
    pub seed: u64,
}

impl Default for GamesOptions {
    fn default() -> Self {
        GamesOptions { actions: Actions::Turns, auto_reset: AutoReset::NextStep, max_steps: None, seed: 1 }
    }
}

/// Why a step was not made. All games stand where they stood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GamesError {
    /// An action can't be chosen.
    #[error("game {game}: action {action} can't be chosen{}; its mask says which can", role_text(*role))]
    NotLegal {
        /// The game, from 0.
        game: usize,
        /// The role, where each has its own action.
        role: Option<usize>,
        /// The action.
        action: i32,
    },
    /// Several roles have a choice, and one action was given.
    #[error(
        "game {game}: several roles choose at once; one action for all is too few, give one for each role"
    )]
    SeveralChoose {
        /// The game, from 0.
        game: usize,
    },
    /// An array has another length.
    #[error("{what}: {expected} entries are needed, {given} are there")]
    Length {
        /// Which array.
        what: &'static str,
        /// What it should be.
        expected: usize,
        /// What it is.
        given: usize,
    },
}

fn role_text(role: Option<usize>) -> String {
    role.map_or(String::new(), |role| format!(" by role {role}"))
}

/// What can be seen after a step, as arrays with a row for every game.
#[derive(Debug)]
pub struct GamesView<'o> {
    /// The bits of the states.
    pub observations: Rows<'o>,
    /// Which actions may be chosen; none where a game is over.
    pub masks: Rows<'o>,
    /// The goal values of all roles of games that ended with this step (the greatest where several hold); else 0.
    pub rewards: &'o mut [f32],
    /// 1 where the state is terminal.
    pub terminated: &'o mut [u8],
    /// 1 where the game was broken off: it lasted too long, or a role has no legal move.
    pub truncated: &'o mut [u8],
    /// The role that has a choice; -1 where none has, or several have.
    pub turns: &'o mut [i8],
}

impl<'o> GamesView<'o> {
    /// What is for the first so many games, and the rest.
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

/// What all blocks share.
struct Rules {
    options: GamesOptions,
    look: Look,
    roles: usize,
    observation: RowShape,
    mask: RowShape,
    /// The state's words in the slots.
    bits: std::ops::Range<usize>,
    initial: Vec<bool>,
    /// By action and role, the slots of the move; by role and action where each role has its own.
    places: Vec<Place>,
    /// For every role its moves.
    role_places: Vec<Vec<Place>>,
    /// For every goal condition its role and value.
    goals: Vec<(usize, i32)>,
    goal_slots: std::ops::Range<usize>,
    terminal: usize,
    aged: usize,
    slots: u32,
}

/// Games of one program, side by side. They don't hold the program; all calls have to get the same one. A program comes from
/// [`Machine::lanes`](crate::machine::Machine::lanes), and [`GamesArrays`] has room for what can be seen.
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
/// assert!(seen.turns.iter().all(|&role| role == 1)); // the second player chooses in all games
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
    /// So many games at their beginning. The program is compiled for given moves when this is done first.
    ///
    /// # Errors
    /// It was interrupted.
    pub fn new(program: &Program, games: usize, options: GamesOptions) -> Result<LaneGames, Interrupted> {
        let (network, layout) = (program.network(), &program.layout);
        let look = Look::new(program, options.actions)?;
        let roles = network.moves.len();
        let place = |role: usize, number: usize| Place {
            legal: layout.legal[role].start + number as u32,
            made: layout.made[role][number],
        };
        let (mask, places) = match options.actions {
            Actions::Turns => {
                let mut places = vec![Place::default(); network.actions.len() * roles];
                for (role, moves) in network.moves.iter().enumerate() {
                    for (number, m) in moves.iter().enumerate() {
                        places[m.action as usize * roles + role] = place(role, number);
                    }
                }
                (RowShape { groups: 1, bits: network.actions.len() }, places)
            }
            Actions::Joint => {
                let most = network.moves.iter().map(Vec::len).max().unwrap_or(0);
                let mut places = vec![Place::default(); most * roles];
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

    /// Whether at most one role has a choice in the states that random play comes to, so that an action a game is enough:
    /// 512 games are played for `steps`.
    ///
    /// # Errors
    /// It was interrupted.
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

    /// Actions of a game: 1, or one a role.
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

    /// Bytes held for the games.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(GameBlock::bytes).sum()
    }

    /// All games begin again.
    ///
    /// # Errors
    /// It was interrupted.
    pub fn reset(&mut self, program: &Program) -> Result<(), Interrupted> {
        let step = program.given()?;
        self.blocks.iter_mut().for_each(|block| block.reset(&self.rules, step, None));
        Ok(())
    }

    /// Some games begin again: those with a byte that isn't 0.
    ///
    /// # Errors
    /// It was interrupted.
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
    /// There is no such game.
    pub fn state(&self, game: usize) -> Vec<u64> {
        self.blocks[game / LANES].state(&self.rules, game % LANES)
    }

    /// Puts a game into a state, which nothing came before.
    ///
    /// # Errors
    /// It was interrupted.
    ///
    /// # Panics
    /// There is no such game, or the state has too few bits.
    pub fn set_state(&mut self, program: &Program, game: usize, state: &[u64]) -> Result<(), Interrupted> {
        self.blocks[game / LANES].set_state(&self.rules, program.given()?, game % LANES, state);
        Ok(())
    }

    /// Draws actions, each of those that may be chosen as likely as the others; 0 where a game is over.
    ///
    /// # Panics
    /// There are fewer places than games with their actions.
    pub fn sample(&mut self, actions: &mut [i32]) {
        let each = self.actions_each();
        for (block, actions) in
            self.blocks.iter_mut().zip(actions[..self.games * each].chunks_mut(LANES * each))
        {
            block.sample(&self.rules, actions);
        }
    }

    /// Draws from another seed from now on.
    pub fn seed(&mut self, seed: u64) {
        self.blocks.iter_mut().enumerate().for_each(|(number, block)| block.seed(seed, number as u64));
    }

    /// Makes a step in every game, and shows what came of it. On a pool of threads blocks of 512 games are shared out.
    ///
    /// # Errors
    /// Outside, it was interrupted, before the step; inside, an action can't be chosen, and no game has stepped.
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

    /// Shows the games as they stand; no reward is given again.
    ///
    /// # Errors
    /// An array has the wrong length.
    pub fn show(&mut self, view: GamesView<'_>) -> Result<(), GamesError> {
        self.check(self.games * self.actions_each(), Some(&view))?;
        let views = self.views(Some(view));
        for (block, view) in self.blocks.iter_mut().zip(views) {
            block.show(&self.rules, view);
        }
        Ok(())
    }

    /// What each block shows.
    fn views<'o>(&self, view: Option<GamesView<'o>>) -> Vec<Option<GamesView<'o>>> {
        let mut left = view;
        let mut split = |block: &GameBlock| {
            let (first, rest) = left.take()?.split(block.lanes(), &self.rules);
            left = Some(rest);
            Some(first)
        };
        self.blocks.iter().map(&mut split).collect()
    }

    /// Whether arrays have the lengths that they need.
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

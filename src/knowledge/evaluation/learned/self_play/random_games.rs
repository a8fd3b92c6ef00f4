//! Random games in lanes, hundreds at once: the first round learns from them. Thousands of them cost no more than a few
//! games of later rounds, because their moves are not evaluated.

use rayon::prelude::*;

use crate::ground::{Interrupted, Network};
use crate::machine::lanes::block::{Block, BlockObserver, EndedLanes};
use crate::machine::lanes::program::Program;
use crate::machine::lanes::word::{LANES, Word};
use crate::machine::{Machine, State};
use crate::simulate::WorkLimit;

use super::super::error::LearningError;
use super::super::task::Task;
use super::game::{PlayedGame, share_of};

/// The mean number of recorded states per game. It is small, because the states of a game share its outcome, and there
/// are enough games.
const RECORDED_PER_GAME: u64 = 1;

/// Steps between two recorded states of a game, as long as the mean length of games is unknown.
const FIRST_INTERVAL: u64 = 16;

/// The number of states that are played in the time of a unit of work.
const PLAYED_PER_UNIT: u64 = 256;

/// The number of states that are recorded in the time of a unit of work.
const RECORDED_PER_UNIT: u64 = 4;

/// The number of games in a block of lanes.
const GAMES_PER_BLOCK: u64 = LANES as u64;

/// Limit of blocks between two checks of the clock.
const MAX_BLOCKS: u64 = 8;

/// Limit of the expected work between two checks of the clock.
const MAX_EXPECTED_WORK: u64 = 10_000;

/// Limit of the states for which [`PlayedGame::choosers`] is computed; the last game may exceed it.
const MAX_STATES_WITH_CHOOSERS: usize = 4_000;

/// Random games, and totals of all that were played.
#[derive(Debug, Default)]
pub(super) struct RandomGames {
    /// The games that ended in a terminal state, with some of their states. Only the first games have `choosers`.
    pub(super) games: Vec<PlayedGame>,
    /// For each of `games`, its number among all games; with the seed it identifies the game.
    pub(super) numbers: Vec<u64>,
    /// The number of games played, with those that are not in `games`.
    pub(super) playouts: u64,
    /// The number of states in these games.
    pub(super) states: u64,
}

/// Plays at random until `samples` states are recorded or `most_work` is done; counts the work. None if the game does
/// not suit lanes.
pub(super) fn random_games(
    task: &Task<'_>,
    samples: u64,
    most_work: u64,
    max_steps: u32,
) -> Result<Option<RandomGames>, LearningError> {
    let Some(program) = task.machine.lanes() else { return Ok(None) };
    let mut games = RandomGames::default();
    let (mut recorded, mut interval, mut spent) = (0, FIRST_INTERVAL, 0);
    while recorded < samples && spent < most_work {
        let left = ((samples - recorded) / RECORDED_PER_GAME).div_ceil(GAMES_PER_BLOCK);
        let first = games.playouts / GAMES_PER_BLOCK;
        let play = |number: u64| -> Result<BlockRecorder<'_>, Interrupted> {
            let mut recorder = BlockRecorder::new(program, &task.rewards, interval, number * GAMES_PER_BLOCK);
            let mut block = Block::new(program, task.parameters.seed, number, max_steps);
            block.play(GAMES_PER_BLOCK, &mut recorder)?;
            recorder.states = block.states();
            Ok(recorder)
        };
        // The first block is played alone: it shows how long games are.
        let affordable = (most_work - spent).min(MAX_EXPECTED_WORK) * first / spent.max(1);
        let blocks = left.min(affordable).clamp(1, MAX_BLOCKS);
        let blocks: Vec<Result<BlockRecorder<'_>, Interrupted>> =
            (first..first + blocks).into_par_iter().map(play).collect();
        let mut work = 1;
        for block in blocks {
            let block = block?;
            let of_block: u64 = block.games.iter().map(|game| game.states.len() as u64).sum();
            work += block.states / PLAYED_PER_UNIT + of_block / RECORDED_PER_UNIT;
            recorded += of_block;
            games.playouts += GAMES_PER_BLOCK;
            games.states += block.states;
            games.games.extend(block.games);
            games.numbers.extend(block.numbers);
        }
        task.work_limit.spend(work)?;
        spent += work;
        let length = games.states / games.playouts;
        interval = (length / RECORDED_PER_GAME).max(1).next_power_of_two().min(LANES as u64);
    }
    record_choosers(task.machine, &mut games.games, task.work_limit)?;
    Ok(Some(games))
}

/// Records in [`PlayedGame::choosers`] which roles have a choice, until [`MAX_STATES_WITH_CHOOSERS`] is reached.
fn record_choosers(
    machine: &dyn Machine,
    games: &mut [PlayedGame],
    work_limit: &WorkLimit<'_>,
) -> Result<(), LearningError> {
    let mut cursor = machine.cursor();
    let roles = machine.description().roles.len();
    let mut states = 0;
    for game in games {
        if states >= MAX_STATES_WITH_CHOOSERS {
            break;
        }
        states += game.states.len();
        for state in &game.states {
            work_limit.check()?;
            cursor.set(state)?;
            let several = (0..roles.min(64)).filter(|&role| cursor.legal(role).len() > 1);
            game.choosers.push(several.fold(0, |choosers, role| choosers | 1 << role));
        }
    }
    Ok(())
}

/// Records states and outcomes of the games of a block.
struct BlockRecorder<'a> {
    network: &'a Network,
    rewards: &'a [[i32; 2]],
    /// The lanes whose states are recorded at step `s` are in `cycle[s % cycle.len()]`.
    cycle: Vec<Word>,
    /// For each lane the recorded states of its game.
    lanes: Vec<Vec<State>>,
    games: Vec<PlayedGame>,
    numbers: Vec<u64>,
    /// The number of the block's first game.
    first: u64,
    states: u64,
}

impl<'a> BlockRecorder<'a> {
    /// Records a state of each game every `interval` steps.
    fn new(program: &'a Program, rewards: &'a [[i32; 2]], interval: u64, first: u64) -> BlockRecorder<'a> {
        let interval = interval as usize;
        let lanes = |step: usize| {
            let mut word = Word::ZERO;
            (step..LANES).step_by(interval).for_each(|lane| word.set(lane));
            word
        };
        BlockRecorder {
            network: program.network(),
            rewards,
            cycle: (0..interval).map(lanes).collect(),
            lanes: vec![Vec::new(); LANES],
            games: Vec::new(),
            numbers: Vec::new(),
            first,
            states: 0,
        }
    }

    /// Each role's share of its goal value in a lane's terminal state; none if a role does not have exactly one goal
    /// value.
    fn outcome(&self, block: &Block<'_>, lane: usize) -> Option<Vec<f64>> {
        let mut condition = 0;
        let mut shares = Vec::with_capacity(self.rewards.len());
        for (goals, &rewards) in self.network.goals.iter().zip(self.rewards) {
            let mut goal = None;
            for &(value, _) in goals {
                if block.goal(condition).lane(lane) {
                    if goal.is_some_and(|other| other != value) {
                        return None;
                    }
                    goal = Some(value);
                }
                condition += 1;
            }
            shares.push(share_of(goal?, rewards));
        }
        Some(shares)
    }
}

impl BlockObserver for BlockRecorder<'_> {
    fn position(&mut self, block: &Block<'_>) {
        let recorded = self.cycle[(block.step() % self.cycle.len() as u64) as usize];
        for lane in (block.active() & !block.terminal() & recorded).lanes() {
            self.lanes[lane].push(State(block.state(lane).into()));
        }
    }

    fn ended(&mut self, block: &Block<'_>, ended: &EndedLanes) {
        for lane in ended.over.lanes() {
            let states = std::mem::take(&mut self.lanes[lane]);
            if states.is_empty() || !ended.terminal.lane(lane) {
                continue;
            }
            if let Some(outcome) = self.outcome(block, lane) {
                let forgone = vec![None; states.len()];
                self.games.push(PlayedGame {
                    states,
                    forgone,
                    outcome: Some(outcome),
                    ..PlayedGame::default()
                });
                self.numbers.push(self.first + block.playout(lane));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::parameters::LearnedParameters;
    use super::*;
    use crate::gdl::{Source, read};
    use crate::ground::Limits;
    use crate::machine::{Backend, ChildFields, Children, JointMoves, Loaded, load};

    fn loaded(name: &str) -> Loaded {
        let path = format!("../../games/{name}.kif");
        let description = read(&Source::load(&path).unwrap()).description.unwrap();
        load(description, Backend::Auto, &Limits::default()).unwrap()
    }

    fn games_of(name: &str, samples: u64, threads: usize, max_steps: u32) -> RandomGames {
        let loaded = loaded(name);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (parameters, work_limit) = (LearnedParameters::default(), WorkLimit::default());
        let task = Task::new(&*loaded.machine, &parameters, &work_limit).unwrap();
        pool.install(|| random_games(&task, samples, 10_000, max_steps)).unwrap().unwrap()
    }

    /// States of all parts of games are recorded, with the outcomes of their games, on any number of threads.
    #[test]
    fn states_of_all_parts_of_games_are_recorded_with_outcomes() {
        let found = games_of("tic_tac_toe", 3_000, 1, 200);
        let other = games_of("tic_tac_toe", 3_000, 2, 200);
        assert_eq!((&found.games, &found.numbers), (&other.games, &other.numbers));
        let states: usize = found.games.iter().map(|game| game.states.len()).sum();
        assert!((3_000..12_000).contains(&states) && found.playouts >= found.games.len() as u64, "{states}");
        let loaded = loaded("tic_tac_toe");
        let mut expander = loaded.machine.expander();
        let (mut children, mut wins, mut ahead) = (Children::default(), 0, 0);
        for game in &found.games {
            let outcome = game.outcome.as_ref().unwrap();
            assert_eq!(outcome[0] + outcome[1], 1.0);
            assert_eq!((game.states.len(), game.states.len()), (game.forgone.len(), game.choosers.len()));
            for (state, choosers) in game.states.iter().zip(&game.choosers) {
                assert!(choosers.count_ones() <= 1);
                expander.expand(state, JointMoves::All, ChildFields::PLIES, &mut children).unwrap();
                assert!(!children.is_empty(), "none of them is terminal");
                // A side that can complete a row at once wins more often than not.
                let role = choosers.trailing_zeros() as usize;
                let can = (0..children.len())
                    .any(|child| children.terminal(child) && *children.goals(child, role.min(1)) == [100]);
                if can && role < 2 {
                    ahead += 1;
                    wins += usize::from(outcome[role] == 1.0);
                }
            }
        }
        assert!(ahead > 200 && wins * 2 > ahead, "{wins} of {ahead}");
        assert!(found.games.len() > 1_000, "{}", found.games.len());
    }

    /// Games that are cut off are not recorded, and the work ends nevertheless.
    #[test]
    fn truncated_games_are_omitted() {
        let found = games_of("tic_tac_toe", 3_000, 1, 4);
        assert!(found.games.is_empty() && found.playouts > 10_000, "{}", found.playouts);
        let found = games_of("tic_tac_toe", 3_000, 1, 6);
        assert!(
            found.games.len() > 500 && (found.games.len() as u64) < found.playouts / 2,
            "{}",
            found.playouts
        );
    }

    /// Few states of long games are recorded.
    #[test]
    fn long_games_give_a_few_states_each() {
        let found = games_of("chess", 8_000, 2, 200);
        let states: usize = found.games.iter().map(|game| game.states.len()).sum();
        assert!(states >= 8_000, "{states}");
        let later = &found.games[found.games.len() / 2..];
        let mean = later.iter().map(|game| game.states.len()).sum::<usize>() as f64 / later.len() as f64;
        assert!((1.0..4.0).contains(&mean), "{mean}");
    }
}

//! Games at random, hundreds side by side in lanes: what the first round learns from. Their moves are not chosen by what comes after
//! them, so that thousands cost no more than a few of the games that later rounds learn from.

use rayon::prelude::*;

use crate::ground::{Interrupted, Network};
use crate::machine::lanes::block::{Block, Ended, Watch as BlockWatch};
use crate::machine::lanes::program::Program;
use crate::machine::lanes::word::{LANES, Word};
use crate::machine::{Machine, State};
use crate::simulate::Watch;

use super::error::LearningError;
use super::self_play::{Played, share_of};

/// States of a game that are remembered, about: those of one game share its outcome, and there are games enough.
const OF_A_GAME: u64 = 1;

/// Of so many states one is remembered before it is known how long games are.
const AT_FIRST: u64 = 16;

/// States that are gone through in the time of a unit of work, and states remembered.
const PASSED: u64 = 256;
const REMEMBERED: u64 = 4;

/// Games that one thread plays, and blocks of them, and work, that are played between two looks at the clock.
const BLOCK: u64 = LANES as u64;
const BLOCKS: u64 = 8;
const WORK: u64 = 10_000;

/// States for which it is found out who has a choice.
const CHOOSERS: usize = 4_000;

/// Random games, and what was seen of all that were played.
#[derive(Debug, Default)]
pub(super) struct RandomGames {
    /// Those that ended in a terminal state, with some of their states, of which the first tell who has a choice.
    pub(super) games: Vec<Played>,
    /// The numbers of these.
    pub(super) numbers: Vec<u64>,
    /// Games begun, and their states.
    pub(super) playouts: u64,
    pub(super) states: u64,
}

/// Plays at random until so many states are remembered or the work is done; counts it. None where the game does not suit lanes.
///
/// # Errors
/// Lanes can't be compiled, or it has to end.
pub(super) fn random_games(
    machine: &dyn Machine,
    rewards: &[[i32; 2]],
    wanted: u64,
    most_work: u64,
    (seed, max_steps): (u64, u32),
    watch: &Watch<'_>,
) -> Result<Option<RandomGames>, LearningError> {
    let Some(program) = machine.lanes() else { return Ok(None) };
    let mut found = RandomGames::default();
    let (mut remembered, mut every, mut spent) = (0, AT_FIRST, 0);
    while remembered < wanted && spent < most_work {
        let left = ((wanted - remembered) / OF_A_GAME).div_ceil(BLOCK);
        let first = found.playouts / BLOCK;
        let play = |number: u64| -> Result<Seen<'_>, Interrupted> {
            let mut seen = Seen::new(program, rewards, every, number * BLOCK);
            let mut block = Block::new(program, seed, number, max_steps);
            block.play(BLOCK, &mut seen)?;
            seen.states = block.states();
            Ok(seen)
        };
        // Of the first one it is seen how long games are.
        let affordable = (most_work - spent).min(WORK) * first / spent.max(1);
        let blocks = left.min(affordable).clamp(1, BLOCKS);
        let blocks: Vec<Result<Seen<'_>, Interrupted>> =
            (first..first + blocks).into_par_iter().map(play).collect();
        let mut work = 1;
        for seen in blocks {
            let seen = seen?;
            let of_these: u64 = seen.games.iter().map(|game| game.states.len() as u64).sum();
            work += seen.states / PASSED + of_these / REMEMBERED;
            remembered += of_these;
            found.playouts += BLOCK;
            found.states += seen.states;
            found.games.extend(seen.games);
            found.numbers.extend(seen.numbers);
        }
        watch.spend(work)?;
        spent += work;
        let length = found.states / found.playouts;
        every = (length / OF_A_GAME).max(1).next_power_of_two().min(LANES as u64);
    }
    note_choosers(program.network(), machine, &mut found, watch)?;
    Ok(Some(found))
}

/// Finds out who has a choice in the first states remembered.
fn note_choosers(
    network: &Network,
    machine: &dyn Machine,
    found: &mut RandomGames,
    watch: &Watch<'_>,
) -> Result<(), LearningError> {
    let mut cursor = machine.cursor();
    let mut states = 0;
    for game in &mut found.games {
        if states >= CHOOSERS {
            break;
        }
        states += game.states.len();
        for state in &game.states {
            watch.check()?;
            cursor.set(state)?;
            let several = |&role: &usize| cursor.legal(role).len() > 1;
            let choosers =
                (0..network.moves.len().min(64)).filter(several).fold(0, |all, role| all | 1 << role);
            game.choosers.push(choosers);
        }
    }
    Ok(())
}

/// What is seen of a block.
struct Seen<'a> {
    network: &'a Network,
    rewards: &'a [[i32; 2]],
    /// For each step of a cycle the lanes whose states are remembered.
    turns: Vec<Word>,
    /// For each lane what is remembered of its game.
    lanes: Vec<Vec<State>>,
    games: Vec<Played>,
    numbers: Vec<u64>,
    /// The number of the block's first game.
    first: u64,
    states: u64,
}

impl<'a> Seen<'a> {
    /// Nothing yet; of `every` states of a game one is to be remembered.
    fn new(program: &'a Program, rewards: &'a [[i32; 2]], every: u64, first: u64) -> Seen<'a> {
        let every = every as usize;
        let lanes = |turn: usize| {
            let mut word = Word::ZERO;
            (turn..LANES).step_by(every).for_each(|lane| word.set(lane));
            word
        };
        Seen {
            network: program.network(),
            rewards,
            turns: (0..every).map(lanes).collect(),
            lanes: vec![Vec::new(); LANES],
            games: Vec::new(),
            numbers: Vec::new(),
            first,
            states: 0,
        }
    }

    /// Each role's share of its goal values in a lane's terminal state; none where one has not one value.
    fn outcome(&self, block: &Block<'_>, lane: usize) -> Option<Vec<f64>> {
        let mut condition = 0;
        let mut shares = Vec::with_capacity(self.rewards.len());
        for (goals, &rewards) in self.network.goals.iter().zip(self.rewards) {
            let mut held = None;
            for &(value, _) in goals {
                if block.goal(condition).lane(lane) {
                    if held.is_some_and(|other| other != value) {
                        return None;
                    }
                    held = Some(value);
                }
                condition += 1;
            }
            shares.push(share_of(held?, rewards));
        }
        Some(shares)
    }
}

impl BlockWatch for Seen<'_> {
    fn position(&mut self, block: &Block<'_>) {
        let turn = self.turns[(block.step() % self.turns.len() as u64) as usize];
        for lane in (block.active() & !block.terminal() & turn).lanes() {
            self.lanes[lane].push(State(block.state(lane).into()));
        }
    }

    fn ended(&mut self, block: &Block<'_>, ended: &Ended) {
        for lane in ended.over.lanes() {
            let states = std::mem::take(&mut self.lanes[lane]);
            if states.is_empty() || !ended.terminal.lane(lane) {
                continue;
            }
            if let Some(outcome) = self.outcome(block, lane) {
                let missed = vec![None; states.len()];
                self.games.push(Played { states, missed, outcome: Some(outcome), ..Played::default() });
                self.numbers.push(self.first + block.playout(lane));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gdl::{Source, read};
    use crate::ground::Limits;
    use crate::machine::{Backend, ChildFields, Children, JointMoves, load};

    fn games_of(name: &str, wanted: u64, threads: usize, max_steps: u32) -> RandomGames {
        let path = format!("../../games/{name}.kif");
        let description = read(&Source::load(&path).unwrap()).description.unwrap();
        let loaded = load(description, Backend::Auto, &Limits::default()).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let games = || {
            random_games(&*loaded.machine, &[[0, 100]; 2], wanted, 10_000, (1, max_steps), &Watch::default())
        };
        pool.install(games).unwrap().unwrap()
    }

    /// States are those of games with their outcomes, whoever played them; those of all parts of games are remembered.
    #[test]
    fn states_of_all_parts_of_games_are_remembered_with_outcomes() {
        let found = games_of("tic_tac_toe", 3_000, 1, 200);
        let other = games_of("tic_tac_toe", 3_000, 2, 200);
        assert_eq!((&found.games, &found.numbers), (&other.games, &other.numbers));
        let states: usize = found.games.iter().map(|game| game.states.len()).sum();
        assert!((3_000..12_000).contains(&states) && found.playouts >= found.games.len() as u64, "{states}");
        let path = "../../games/tic_tac_toe.kif";
        let description = read(&Source::load(path).unwrap()).description.unwrap();
        let loaded = load(description, Backend::Auto, &Limits::default()).unwrap();
        let mut expander = loaded.machine.expander();
        let (mut children, mut wins, mut ahead) = (Children::default(), 0, 0);
        for game in &found.games {
            let outcome = game.outcome.as_ref().unwrap();
            assert_eq!(outcome[0] + outcome[1], 1.0);
            assert_eq!((game.states.len(), game.states.len()), (game.missed.len(), game.choosers.len()));
            for (state, choosers) in game.states.iter().zip(&game.choosers) {
                assert!(choosers.count_ones() <= 1);
                expander.expand(state, JointMoves::All, ChildFields::PLIES, &mut children).unwrap();
                assert!(!children.is_empty(), "none of them is terminal");
                // Where one side can complete a row at once it wins more often than not.
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

    /// Games that are cut off tell nothing, and the work ends all the same.
    #[test]
    fn games_that_are_cut_off_are_left_out() {
        let found = games_of("tic_tac_toe", 3_000, 1, 4);
        assert!(found.games.is_empty() && found.playouts > 10_000, "{}", found.playouts);
        let found = games_of("tic_tac_toe", 3_000, 1, 6);
        assert!(
            found.games.len() > 500 && (found.games.len() as u64) < found.playouts / 2,
            "{}",
            found.playouts
        );
    }

    /// Of long games few states are remembered.
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

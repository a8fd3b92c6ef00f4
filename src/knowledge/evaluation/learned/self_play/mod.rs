//! Self-play: games in which every role follows its model, and the samples that are taken from them.

mod batch;
pub(crate) mod game;
mod random_games;
pub(crate) mod samples;
pub(crate) mod turn_facts;

use crate::machine::State;
use crate::simulate::{Budget, Context, Progress};

use super::error::LearningError;
use super::model::Model;
use super::schedule::Schedule;
use super::task::Task;
use batch::play_games;
use game::{PlaySettings, PlayedGame};
use random_games::random_games;
use samples::Samples;

/// Games of the first wave; every later wave of a round has at most twice as many.
const WAVE: u64 = 128;

/// The most states of a wave (approximately): they are in memory until it is over.
const WAVE_STATES: u64 = 300_000;

/// The share of a mean game's moves that may be drawn at random at its beginning, and the most of them.
const OPENING: f64 = 0.3;
const OPENING_MOVES: f64 = 30.0;

/// The most moves of a role in all of a game for which replies are examined: the interrupt is not checked between the replies
/// to one move.
const MOST_MOVES: usize = 1 << 16;

/// Separates the draws of the games that compare models from those of the games that are learned from.
const COMPARISON_SEED: u64 = 0x3a7c_4e50;

/// Plays the games of all rounds.
pub(super) struct SelfPlay<'a> {
    task: &'a Task<'a>,
    context: &'a Context<'a>,
    /// The states of a known plan, if there is one.
    plan: &'a [State],
    max_steps: u32,
    /// Games played so far, and those of them that were random games in lanes.
    games: u64,
    random_games: u64,
    /// The mean number of moves of a game of the first round.
    mean_length: f64,
    /// Whether replies are examined from the second round on.
    examines_replies: bool,
}

/// The increase of a player's goal value with one model instead of another, as a share (mean over the players, 0 to
/// 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gain {
    pub(super) mean: f64,
    pub(super) standard_error: f64,
}

impl<'a> SelfPlay<'a> {
    pub(super) fn new(
        task: &'a Task<'a>,
        plan: &'a [State],
        budget: &Budget,
        context: &'a Context<'a>,
    ) -> SelfPlay<'a> {
        SelfPlay {
            task,
            context,
            plan,
            max_steps: budget.max_steps,
            games: 0,
            random_games: 0,
            mean_length: 0.0,
            examines_replies: false,
        }
    }

    /// Plays the games of a round and adds their samples. Returns the number of games.
    pub(super) fn play(
        &mut self,
        models: Option<&[Model]>,
        schedule: &mut Schedule,
        samples: &mut Samples,
    ) -> Result<u64, LearningError> {
        let first = self.games;
        // A game that begins on a plan is not played in lanes.
        let at_random = models.is_none() && self.plan.is_empty() && self.play_at_random(schedule, samples)?;
        if !at_random {
            self.play_by_models(models, schedule, samples)?;
        }
        if models.is_none() {
            self.examines_replies = self.task.parameters.plies > 1
                && (self.task.rewards.len() == 1 || samples.opposed(self.task.players.len()))
                && self.task.network.moves.iter().all(|moves| moves.len() <= MOST_MOVES);
        }
        samples.keep_last(schedule.samples(at_random, self.fits(samples)));
        Ok(self.games - first)
    }

    /// The number of models that are fitted: one for two players with opposed goals.
    fn fits(&self, samples: &Samples) -> usize {
        let players = self.task.players.len();
        if samples.opposed(players) { 1 } else { players }
    }

    /// Plays random games in lanes; false if the game does not suit lanes.
    fn play_at_random(&mut self, schedule: &Schedule, samples: &mut Samples) -> Result<bool, LearningError> {
        let task = self.task;
        let most = schedule.samples(true, self.fits(samples)) as u64;
        let work = schedule.work_left_in_round(task.work_limit.spent());
        let Some(found) = random_games(task, most, work, self.max_steps)? else { return Ok(false) };
        for (game, number) in found.games.iter().zip(found.numbers) {
            samples.add(game, None, 1.0, number);
        }
        self.games += found.playouts;
        self.random_games += found.playouts;
        self.mean_length = found.states as f64 / found.playouts.max(1) as f64;
        self.report_progress(samples);
        Ok(true)
    }

    /// Plays waves of games in which the roles follow their models.
    fn play_by_models(
        &mut self,
        models: Option<&[Model]>,
        schedule: &mut Schedule,
        samples: &mut Samples,
    ) -> Result<(), LearningError> {
        let work_limit = self.task.work_limit;
        let (begin, first) = (work_limit.spent(), self.games);
        let (mut wave, mut moves, mut work) = (WAVE, 0, schedule.play_work(begin));
        let lambda = if models.is_some() { self.task.parameters.lambda } else { 1.0 };
        let seats = self.seats(models);
        while self.games == first || work_limit.spent() - begin < work {
            let numbers = self.games..self.games + wave;
            let opening = if models.is_some() { self.opening() } else { 0 };
            let settings = self.settings(&seats, opening);
            let played = play_games(self.task.machine, &settings, numbers.clone(), work_limit)?;
            for (number, game) in numbers.zip(&played) {
                moves += game.states.len();
                samples.add(game, models, lambda, number);
            }
            self.games += wave;
            samples.keep_last(schedule.room);
            self.report_progress(samples);
            if played.is_empty() {
                break;
            }
            // As many games as the work is enough for, but never many more than before.
            let spent = (work_limit.spent() - begin).max(1);
            let per_game = (spent / (self.games - first)).max(1);
            if schedule.round == 1 && self.games - first == WAVE {
                schedule.limit_rounds(begin, per_game);
                work = schedule.play_work(begin);
            }
            let length = (moves as u64 / (self.games - first)).max(1);
            wave =
                (work.saturating_sub(spent) / per_game).clamp(1, 2 * wave).min((WAVE_STATES / length).max(1));
        }
        if models.is_none() {
            self.mean_length = moves as f64 / (self.games - first) as f64;
        }
        Ok(())
    }

    /// The model that each role follows. Without models all roles draw their moves at random, and chance always does.
    fn seats<'m>(&self, models: Option<&'m [Model]>) -> Vec<Option<&'m Model>> {
        let seat = |role: usize| models.map(|models| &models[role]);
        let roles = 0..self.task.rewards.len();
        roles.map(|role| seat(role).filter(|_| self.task.players.contains(&role))).collect()
    }

    /// The most moves of the random opening.
    fn opening(&self) -> u32 {
        (self.mean_length * OPENING).min(OPENING_MOVES) as u32
    }

    /// The settings of games that are learned from.
    fn settings<'s>(&'s self, seats: &'s [Option<&'s Model>], opening: u32) -> PlaySettings<'s> {
        PlaySettings {
            models: seats,
            plan: self.plan,
            opening,
            noise: self.task.parameters.noise,
            max_steps: self.max_steps,
            rewards: &self.task.rewards,
            seed: self.task.parameters.seed,
            records_states: true,
            examines_replies: self.examines_replies,
        }
    }

    /// The gain of a player that follows its new model while all others follow the old ones (random moves if there
    /// are none).
    pub(super) fn compare(
        &self,
        old: Option<&[Model]>,
        new: &[Model],
        schedule: &Schedule,
    ) -> Result<Gain, LearningError> {
        let Task { machine, players, work_limit, .. } = self.task;
        let old = self.seats(old);
        let settings = PlaySettings {
            records_states: false,
            examines_replies: false,
            seed: self.task.parameters.seed ^ COMPARISON_SEED ^ u64::from(schedule.round),
            ..self.settings(&old, self.opening())
        };
        let games = 0..schedule.comparison_games(self.games - self.random_games, players.len(), work_limit);
        let before = play_games(*machine, &settings, games.clone(), work_limit)?;
        let (mut sum, mut variance) = (0.0, 0.0);
        for &role in players {
            let mut seats = old.clone();
            seats[role] = Some(&new[role]);
            let after = play_games(
                *machine,
                &PlaySettings { models: &seats, ..settings },
                games.clone(),
                work_limit,
            )?;
            let [before, after] = [&before, &after].map(|games| mean_share(games, role));
            sum += after.0 - before.0;
            variance += after.1 + before.1;
        }
        let count = players.len().max(1) as f64;
        Ok(Gain { mean: sum / count, standard_error: variance.sqrt() / count })
    }

    pub(super) fn report_progress(&self, samples: &Samples) {
        if let Some(progress) = self.context.progress {
            let states = samples.len() as u64;
            progress(Progress { playouts: self.games, states, work: self.task.work_limit.spent() });
        }
    }
}

/// The mean of a role's share of its goal value, and the variance of the mean.
fn mean_share(games: &[PlayedGame], role: usize) -> (f64, f64) {
    let shares: Vec<f64> =
        games.iter().filter_map(|game| game.outcome.as_ref()).map(|shares| shares[role]).collect();
    let count = shares.len().max(1) as f64;
    let mean = shares.iter().sum::<f64>() / count;
    let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / count;
    (mean, variance / count)
}

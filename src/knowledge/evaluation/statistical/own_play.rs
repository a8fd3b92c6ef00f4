//! Learns a function again from its own play if following it is worse than random play.
//!
//! The sample of random play lacks the states that a function leads to. For example, in connect_four_4x4 discs in the
//! bottom row correlate with losing. A function that avoids the row gives all four of its cells to the opponent, which
//! rarely happens in random play. So a role follows the function one move ahead in `GAMES` games against random play,
//! or in `MOST_GAMES` if those don't decide. If its mean goal value is significantly below that of random play,
//! sequences of these games join the sample, and the function is learned again, up to `ROUNDS` times. The function that
//! plays best is kept. If it still plays worse than random, all its components are removed: it is constant.
//!
//! # Source
//! Adding states of a policy's own play to the sample: Ross, Gordon and Bagnell, "A Reduction of Imitation Learning
//! and Structured Prediction to No-Regret Online Learning", AISTATS 2011.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::Ordering;

use crate::feature::{Feature, RoleGoals, measure_features_within, role_goals};
use crate::simulate::{Budget, Choices, Context, Sequence, SequenceShape, WorkLimit};
use crate::statistics::interval::{is_below, mean_of_counts};

use super::super::function::Function;
use super::super::one_ply_games::{GameLimits, Seat, one_ply_game};
use super::function::StatisticalFunction;
use super::learn::{LABELS, StatisticalFit, StatisticalLearningError, label};

/// The number of games that test a function at first.
const GAMES: u64 = 24;
/// With fewer complete games than this, a function is not called worse than random play.
const MIN_GAMES: u64 = 20;
/// The total number of test games if the mean of the first `GAMES` is below that of random play, but not significantly.
const MOST_GAMES: u64 = 100;

/// Limits how often a function is learned again; then the best one is taken.
const ROUNDS: u64 = 3;

/// Limits the states that are evaluated in the first test games, on a network and on the relational machine. The games
/// end when it is reached.
const VALUES: [u64; 2] = [20_000, 2_000];
/// The limit of evaluated states for games that are learned from is this many times as high.
const LEARNING_FACTOR: u64 = 5;

/// The confidence level of the test that a function plays worse than random.
const CONFIDENCE: f64 = 0.99;

/// Changes the seed for these games, so that they differ from the sampled ones.
const STREAM: u64 = 0x6f77_6e00;

/// The data that functions are learned from.
pub(super) struct TrainingData<'a> {
    pub(super) fit: &'a StatisticalFit<'a>,
    pub(super) candidates: &'a [Feature],
    pub(super) sequences: &'a [Sequence],
    pub(super) labels: &'a [RoleGoals],
    pub(super) shape: SequenceShape,
    pub(super) play: &'a Budget,
    pub(super) context: &'a Context<'a>,
}

/// The results of games in which a role followed its function.
struct OwnPlay {
    /// The number of games with each goal value.
    goals: BTreeMap<i32, u64>,
    sequences: Vec<Sequence>,
}

impl OwnPlay {
    fn mean(&self) -> f64 {
        mean_of_counts(&self.goals).map_or(f64::NEG_INFINITY, |mean| mean.mean)
    }
}

impl TrainingData<'_> {
    /// Returns the function of a role, or a better one if it plays worse than random, with a note that says so.
    ///
    /// # Errors
    /// Learning was interrupted, or a state can't be evaluated.
    pub(super) fn improved(
        &self,
        number: usize,
        function: StatisticalFunction,
    ) -> Result<(StatisticalFunction, Option<String>), StatisticalLearningError> {
        let fluent_index = self.fit.fluent_index;
        let machine = fluent_index.machine();
        let mut random: BTreeMap<i32, u64> = BTreeMap::new();
        let goals = self.sequences.iter().filter_map(|sequence| sequence.goals[number]);
        goals.for_each(|goal| *random.entry(goal).or_default() += 1);
        let values = VALUES[usize::from(machine.network().is_none())];
        let fails = |played: &OwnPlay| {
            played.goals.values().sum::<u64>() >= MIN_GAMES && is_below(&played.goals, &random, CONFIDENCE)
        };
        let lags = |played: &OwnPlay| {
            let mean = mean_of_counts(&random).map(|mean| mean.mean);
            played.goals.values().sum::<u64>() >= MIN_GAMES && mean.is_some_and(|mean| played.mean() < mean)
        };
        let test = |function: &StatisticalFunction| -> Result<OwnPlay, StatisticalLearningError> {
            let mut played = self.play_games(number, function, 0..GAMES, values, STREAM)?;
            if lags(&played) && !fails(&played) {
                let values = values * (MOST_GAMES - GAMES) / GAMES;
                let more = self.play_games(number, function, GAMES..MOST_GAMES, values, STREAM)?;
                more.goals.iter().for_each(|(&goal, count)| *played.goals.entry(goal).or_default() += count);
            }
            Ok(played)
        };
        let mut best_play = test(&function)?;
        if !fails(&best_play) {
            return Ok((function, None));
        }
        let first_mean = best_play.mean();
        let (mut best, mut last) = (function.clone(), function);
        let (mut sequences, mut labels) = (self.sequences.to_vec(), self.labels.to_vec());
        for round in 1..=ROUNDS {
            let games = 0..self.sequences.len() as u64;
            let games_to_learn =
                self.play_games(number, &last, games, LEARNING_FACTOR * values, STREAM + round)?;
            let play = Budget { seed: self.play.seed ^ round.rotate_left(32), ..self.play.clone() };
            labels.extend(match self.fit.playouts {
                0 => role_goals(&games_to_learn.sequences),
                playouts => label(machine, &games_to_learn.sequences, playouts, &play, self.context)?,
            });
            sequences.extend(games_to_learn.sequences);
            let work_limit = WorkLimit::new(self.context.interrupt);
            let (measured, _) = measure_features_within(
                fluent_index,
                self.candidates,
                &sequences,
                &labels,
                self.play.threads,
                &work_limit,
            )?;
            let Some(next) = self.fit.function(number, &sequences, &labels, &measured)? else { break };
            let played = test(&next)?;
            last = next.clone();
            if played.mean() > best_play.mean() {
                (best, best_play) = (next, played);
            }
            if !fails(&best_play) {
                break;
            }
        }
        let mut note = format!(
            "statistical.{}: learned from random games, it had a mean goal value of {first_mean:.0} in test games, and random play \
             {:.0}; learned again from its games_to_learn games it has {:.0}",
            best.role,
            mean_of_counts(&random).map_or(0.0, |mean| mean.mean),
            best_play.mean()
        );
        if fails(&best_play) {
            best.terms.clear();
            note += ", still worse than random play, so it is replaced by a constant";
        }
        Ok((best, Some(note)))
    }

    /// Plays games in which a role follows a function, within the limit of evaluated states.
    fn play_games(
        &self,
        number: usize,
        function: &StatisticalFunction,
        games: Range<u64>,
        values: u64,
        stream: u64,
    ) -> Result<OwnPlay, StatisticalLearningError> {
        let machine = self.fit.fluent_index.machine();
        let function = Function::Statistical(function.clone());
        let roles = machine.description().roles.len();
        let mut seats: Vec<Option<Seat<'_, '_>>> = (0..roles).map(|_| None).collect();
        seats[number] = Some(
            Seat::new(machine, &function)
                .map_err(|error| StatisticalLearningError::Follow(Box::new(error)))?,
        );
        let interrupted = || self.context.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let seed = self.play.seed ^ LABELS ^ stream;
        let mut played = OwnPlay { goals: BTreeMap::new(), sequences: Vec::new() };
        let mut left = values;
        for game in games {
            let limits = GameLimits { steps: self.play.max_steps, values: left, interrupted: &interrupted };
            let result = one_ply_game(machine, &mut seats, &mut Choices::new(seed, game), &limits)?;
            WorkLimit::new(self.context.interrupt).check()?;
            left = left.saturating_sub(result.values);
            // The budget does not suffice for `MIN_GAMES` games.
            if left == 0 || result.values * MIN_GAMES > values {
                break;
            }
            let Some(goals) = result.goals else { continue };
            let single = |goals: &Vec<i32>| if let [goal] = goals[..] { Some(goal) } else { None };
            let goals: Vec<Option<i32>> = goals.iter().map(single).collect();
            goals[number].into_iter().for_each(|goal| *played.goals.entry(goal).or_default() += 1);
            let chosen = self.shape.choose(seed, game, result.moves.len());
            if chosen.is_empty() {
                continue;
            }
            let steps = chosen.iter().map(|&index| index as u32).collect();
            let states = chosen.into_iter().map(|index| result.states[index].clone()).collect();
            played.sequences.push(Sequence { steps, states, goals });
        }
        Ok(played)
    }
}

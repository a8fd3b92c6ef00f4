//! From games that roles play by what they know to functions that know more.
//!
//! This file runs the rounds; `schedule.rs` shares the work among them. `ggp learn` is `cli/learn.rs`, and
//! `report/learned.rs` puts its result in words. `tests/analysis/learned.rs` tests what is learned.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::ground::Network;
use crate::machine::{Machine, State};
use crate::simulate::{Budget, Context, Progress, SimulateError, StopReason, Stopped, Watch};

use super::super::kuhlmann::rewards;
use super::answers::MOST_MOVES;
use super::conjunctions::Conjunctions;
use super::error::LearningError;
use super::fit::{EPOCHS, carried_over};
use super::function::{LearnedFunction, LearningRound};
use super::group::Group;
use super::matches::gain;
use super::mutex_groups::{MutexGroups, mutex_groups};
use super::none_of::NoneOf;
use super::parameters::LearnedParameters;
use super::policy::Policy;
use super::random_games::random_games;
use super::samples::Samples;
use super::schedule::{FITS, PLAY, Schedule};
use super::self_play::{Manner, play_all};
use super::turns::Turns;

/// States looked at and fitted to in a second of one processor, on a network without gates, and the operands of its gates
/// that take as long again.
const A_SECOND: u64 = 1_000_000;
const OPERANDS: usize = 2_000;

/// The same where states are looked at in lanes: fits take most of the time there, whatever the network.
const A_SECOND_IN_LANES: u64 = 250_000;
const OPERANDS_IN_LANES: usize = 40_000;

/// States that a fit goes through in the time of a unit of work.
const FITTED: u64 = 1;
const FITTED_IN_LANES: u64 = 2;

/// Games of the first wave; every later one of a round has twice as many.
const WAVE: u64 = 128;

/// States of a wave, about, at most: they are held until it is over.
const WAVE_STATES: u64 = 300_000;

/// The share of all work that matches against the functions before take.
const MATCHES: f64 = 0.1;

/// Games of such a match for each role, at least and at most.
const GAMES: [u64; 2] = [64, 512];

/// States that are fitted to at most, and words that they may take.
const STATES: usize = 600_000;
const WORDS: usize = 32 << 20;

/// States that are fitted to at least, where there are so many; of random games, whose fits are tried in more ways, fewer will do.
const LEAST_STATES: usize = 30_000;
const LEAST_RANDOM_STATES: usize = 8_000;

/// The share of a mean game's moves that may be drawn at random at its beginning, and the most of them.
const OPENING: f64 = 0.3;
const OPENING_MOVES: f64 = 30.0;

/// Keeps the draws of matches apart from those of games that are learned from.
const MATCH_SEED: u64 = 0x3a7c_4e50;

/// Functions, and what was left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LearnedFunctions {
    /// One for each role whose goal value varied, in the order of the roles.
    pub functions: Vec<LearnedFunction>,
    /// Sentences that name what could not be learned, or was cut short.
    pub notes: Vec<String>,
}

/// Learns the functions of all roles. Seed and work are the parameters'; of the budget are used its most steps, its seconds and
/// its threads. `way` has the states after each number of joint moves on a way to what play does not reach, where one is known:
/// every second game begins somewhere on it. `on_round` hears of every round.
///
/// # Errors
/// A parameter is outside its range, nothing could be played, or a state can't be evaluated.
pub fn learn(
    machine: &dyn Machine,
    way: &[State],
    parameters: &LearnedParameters,
    budget: &Budget,
    context: &Context<'_>,
    on_round: Option<&(dyn Fn(&LearningRound) + Sync)>,
) -> Result<LearnedFunctions, LearningError> {
    parameters.validate()?;
    let Some(network) = machine.network() else {
        let note = "no learned functions: the game is played without a network".to_owned();
        return Ok(LearnedFunctions { functions: Vec::new(), notes: vec![note] });
    };
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(budget.threads).build().map_err(SimulateError::from)?;
    // What is counted in states is worth more seconds in games with more gates.
    let (a_second, operands, states_a_unit) = match machine.suits_lanes() {
        true => (A_SECOND_IN_LANES, OPERANDS_IN_LANES, FITTED_IN_LANES),
        false => (A_SECOND, OPERANDS, FITTED),
    };
    let price = 1.0 + network.operands.len() as f64 / operands as f64;
    let states_a_unit = (states_a_unit as f64 * price) as u64;
    let states = (parameters.work as f64 * a_second as f64 / price) as u64;
    let schedule = Schedule::new(states, parameters.work as f64, budget.seconds, parameters.rounds);
    let watch = Watch::new(context.interrupt).limited(Some(schedule.most_work())).seconds(budget.seconds);
    let roles = machine.description().roles.len();
    let rewards: Vec<[i32; 2]> = (0..roles).map(|role| rewards(machine, role)).collect();
    let mut learner = Learner {
        machine,
        way,
        parameters,
        group: match parameters.symmetries {
            true => Group::new(machine, network, states, &watch),
            false => Group::nothing(network),
        },
        wholes: OnceLock::new(),
        free: BTreeMap::new(),
        players: machine.description().players().collect(),
        rewards,
        max_steps: budget.max_steps,
        watch: &watch,
        context,
        schedule,
        states_a_unit,
        answered: false,
        samples: Samples::new(Arc::new(NoneOf::new(machine.initial().0.len(), Vec::new())), roles),
        turns: Turns::default(),
        policies: None,
        rounds: Vec::new(),
        games: 0,
        random_games: 0,
        steps: 0.0,
    };
    let mut notes = Vec::new();
    // Who stops everything is told so below.
    if learner.group.cut_short && watch.check().is_ok() {
        let found = learner.group.len() - 1;
        notes.push(format!("learned functions: {found} symmetries of the rules were found, perhaps not all: the search was cut short"));
    }
    while (learner.rounds.len() as u32) < learner.schedule.rounds {
        learner.schedule.begin(learner.rounds.len() as u32, watch.spent());
        match pool.install(|| learner.round()) {
            Ok(true) => {}
            Ok(false) => break,
            Err(LearningError::Stopped(Stopped(reason))) => {
                let because = match reason {
                    StopReason::Interrupted => "it was interrupted",
                    StopReason::Seconds => "the seconds were over",
                    StopReason::Work | StopReason::Playouts => "the work allowed was done",
                };
                let (done, all) = (learner.rounds.len(), learner.schedule.rounds);
                notes.push(format!("learned functions rest on {done} of {all} rounds: {because}"));
                break;
            }
            Err(error) => return Err(error),
        }
        if let (Some(on_round), Some(last)) = (on_round, learner.rounds.last()) {
            on_round(last);
        }
    }
    let planned = learner.schedule.rounds;
    if planned < parameters.rounds {
        let of = parameters.rounds;
        notes.push(format!(
            "learned functions: {planned} rounds instead of {of}, as each takes much of the work"
        ));
    }
    let functions = learner.functions(&mut notes);
    Ok(LearnedFunctions { functions, notes })
}

/// Learning under way.
pub(super) struct Learner<'a> {
    pub(super) machine: &'a dyn Machine,
    way: &'a [State],
    pub(super) parameters: &'a LearnedParameters,
    /// The symmetries of the game.
    pub(super) group: Group,
    /// The conjunctions that goals and ends ask for, once they are needed.
    pub(super) wholes: OnceLock<Vec<Vec<u32>>>,
    /// For facts the bits that say that their places are free.
    pub(super) free: BTreeMap<u32, u32>,
    /// The roles that choose their moves.
    pub(super) players: Vec<usize>,
    pub(super) rewards: Vec<[i32; 2]>,
    max_steps: u32,
    pub(super) watch: &'a Watch<'a>,
    pub(super) context: &'a Context<'a>,
    pub(super) schedule: Schedule,
    /// States that a fit goes through for a unit of work.
    pub(super) states_a_unit: u64,
    /// Whether answers are looked at from the second round on, as the first showed one role, or two of which one gets what the
    /// other does not.
    answered: bool,
    pub(super) samples: Samples,
    /// What is seen of who chooses, in the first round.
    pub(super) turns: Turns,
    /// What the roles follow; nothing before the first round is over.
    pub(super) policies: Option<Vec<Policy>>,
    pub(super) rounds: Vec<LearningRound>,
    /// Games played so far, those of them whose moves were all drawn at random in lanes, and the mean number of moves of those of
    /// the first round.
    games: u64,
    random_games: u64,
    steps: f64,
}

impl Learner<'_> {
    /// Plays, fits and tries; false where there is nothing to be learned.
    fn round(&mut self) -> Result<bool, LearningError> {
        let games = self.play()?;
        if self.samples.fitted.is_empty() {
            return Ok(false);
        }
        let (policies, explained) = self.fitted()?;
        let gain = self.gain(&policies)?;
        let kept = self.policies.is_none() || gain.mean >= -gain.standard_error / 2.0;
        let weights = policies.iter().map(|policy| policy.weights.len() as u64).sum::<u64>();
        self.rounds.push(LearningRound {
            games,
            states: self.samples.fitted.len() as u64,
            weights: weights / self.players.len().max(1) as u64,
            explained,
            gain: gain.mean,
            standard_error: gain.standard_error,
            kept,
        });
        if kept {
            self.policies = Some(policies);
        }
        Ok(true)
    }

    /// What each role follows in games: those before the first round draw their moves at random, and chance always does.
    fn seats(&self) -> Vec<Option<&Policy>> {
        let seat = |role: usize| self.policies.as_ref().map(|policies| &policies[role]);
        (0..self.rewards.len()).map(|role| seat(role).filter(|_| self.players.contains(&role))).collect()
    }

    /// Whether there are two players, and one gets what the other does not.
    pub(super) fn opposed(&self) -> bool {
        self.players.len() == self.rewards.len() && self.samples.opposed()
    }

    fn manner<'s>(&'s self, seats: &'s [Option<&'s Policy>]) -> Manner<'s> {
        let opening = (self.steps * OPENING).min(OPENING_MOVES) as u32;
        Manner {
            seats,
            way: self.way,
            opening: if self.policies.is_some() { opening } else { 0 },
            noise: self.parameters.noise,
            max_steps: self.max_steps,
            rewards: &self.rewards,
            seed: self.parameters.seed,
            kept: true,
            answered: self.answered,
        }
    }

    /// Plays games for half of the round's work, and takes in their states.
    fn play(&mut self) -> Result<u64, LearningError> {
        if self.rounds.len() == 1 {
            self.look_for_groups()?;
        }
        let first = self.games;
        let at_random = self.play_at_random()?;
        if !at_random {
            self.play_by_policies()?;
        }
        if self.policies.is_none() {
            let few = |network: &Network| network.moves.iter().all(|moves| moves.len() <= MOST_MOVES);
            self.answered = self.parameters.plies > 1
                && (self.rewards.len() == 1 || self.opposed())
                && self.machine.network().is_some_and(few);
        }
        self.samples.keep_last(self.affordable(at_random));
        Ok(self.games - first)
    }

    /// States that the fits of a round have work for, at most; where games at random took next to none of it, theirs as well.
    fn affordable(&self, at_random: bool) -> usize {
        let fits = if self.opposed() { 1 } else { self.players.len() as u64 };
        let Schedule { share, pace, .. } = self.schedule;
        let (part, least) = if at_random { (PLAY + FITS, LEAST_RANDOM_STATES) } else { (FITS, LEAST_STATES) };
        let affordable = (share as f64 * pace * part) as u64 * self.states_a_unit / fits.max(1) / EPOCHS;
        self.room().min((affordable as usize).max((least as f64 * pace) as usize))
    }

    /// States that there is room for.
    fn room(&self) -> usize {
        STATES.min(WORDS / self.machine.initial().0.len().max(1))
    }

    /// Plays the first round's games in lanes, where the game suits them; a game that begins on a way to what play does not reach is
    /// not played so.
    fn play_at_random(&mut self) -> Result<bool, LearningError> {
        if self.policies.is_some() || !self.way.is_empty() {
            return Ok(false);
        }
        let wanted = self.affordable(true) as u64;
        let draws = (self.parameters.seed, self.max_steps);
        let share = self.schedule.until.saturating_sub(self.watch.spent());
        let found = random_games(self.machine, &self.rewards, wanted, share, draws, self.watch)?;
        let Some(found) = found else { return Ok(false) };
        for (game, number) in found.games.iter().zip(found.numbers) {
            if self.parameters.turns {
                self.turns.note(self.rewards.len(), &game.states, &game.choosers);
            }
            self.samples.add(game, None, 1.0, number);
        }
        self.games += found.playouts;
        self.random_games += found.playouts;
        self.steps = found.states as f64 / found.playouts.max(1) as f64;
        self.tell();
        Ok(true)
    }

    /// Plays games one move after another, by what the roles follow.
    fn play_by_policies(&mut self) -> Result<(), LearningError> {
        let (begin, first) = (self.watch.spent(), self.games);
        let (mut wave, mut moves, mut share) = (WAVE, 0, self.schedule.play(begin));
        let lambda = if self.policies.is_some() { self.parameters.lambda } else { 1.0 };
        while self.games == first || self.watch.spent() - begin < share {
            let seats = self.seats();
            let numbers = self.games..self.games + wave;
            let played = play_all(self.machine, &self.manner(&seats), numbers.clone(), self.watch)?;
            for (number, game) in numbers.zip(&played) {
                moves += game.states.len();
                if self.rounds.is_empty() && self.parameters.turns {
                    self.turns.note(self.rewards.len(), &game.states, &game.choosers);
                }
                self.samples.add(game, self.policies.as_deref(), lambda, number);
            }
            self.games += wave;
            self.samples.keep_last(self.room());
            self.tell();
            if played.is_empty() {
                break;
            }
            // As many as the work still lasts for, but never many more than before.
            let spent = (self.watch.spent() - begin).max(1);
            let each = (spent / (self.games - first)).max(1);
            if self.rounds.len() == 1 && self.games - first == WAVE {
                self.schedule.plan(1, begin, each);
                share = self.schedule.play(begin);
            }
            let length = (moves as u64 / (self.games - first)).max(1);
            wave = (share.saturating_sub(spent) / each).clamp(1, 2 * wave).min((WAVE_STATES / length).max(1));
        }
        if self.policies.is_none() {
            self.steps = moves as f64 / (self.games - first) as f64;
        }
        Ok(())
    }

    /// Gives states bits for groups of facts of which none holds, as far as random play shows such groups, and forgets the
    /// states of it: what comes of random moves tells little of what comes of good ones.
    fn look_for_groups(&mut self) -> Result<(), LearningError> {
        let groups = match self.machine.network() {
            Some(network) if self.parameters.open > 0 => {
                mutex_groups(self.machine, network, &self.samples, self.watch)?
            }
            _ => MutexGroups::default(),
        };
        let initial = &self.machine.initial().0;
        let none_of = Arc::new(NoneOf::new(initial.len(), groups.open.clone()));
        self.free = groups.free_places(|group| none_of.bit_of(group), initial);
        let mut support = self.samples.support();
        support.resize(none_of.words() * 64, 0);
        for policy in self.policies.iter_mut().flatten() {
            let conjunctions = Conjunctions::new(policy.conjunctions.list().to_vec(), &support);
            *policy = Policy { none_of: Arc::clone(&none_of), ..carried_over(policy, conjunctions) };
        }
        self.samples = Samples::new(none_of, self.rewards.len());
        Ok(())
    }

    /// How the new functions do against those before, or against random play where there were none.
    fn gain(&self, policies: &[Policy]) -> Result<super::matches::Gain, LearningError> {
        let before = self.seats();
        let opening = (self.steps * OPENING).min(OPENING_MOVES) as u32;
        let manner = Manner {
            opening,
            kept: false,
            answered: false,
            seed: self.parameters.seed ^ MATCH_SEED ^ self.rounds.len() as u64,
            ..self.manner(&before)
        };
        // Nothing tells what a game costs before one was played by policies: then there are as few as can be.
        let each = self.watch.spent() as f64 / (self.games - self.random_games).max(1) as f64;
        let work = self.watch.left().map_or(f64::INFINITY, |left| left as f64 + self.watch.spent() as f64);
        let matches = (self.players.len() + 1) as f64 * f64::from(self.schedule.rounds);
        let games = (work * MATCHES / each.max(1.0) / matches) as u64;
        gain(
            self.machine,
            &self.players,
            (policies, &before),
            &manner,
            games.clamp(GAMES[0], GAMES[1]),
            self.watch,
        )
    }

    pub(super) fn tell(&self) {
        if let Some(progress) = self.context.progress {
            let states = self.samples.len() as u64;
            progress(Progress { playouts: self.games, states, work: self.watch.spent() });
        }
    }
}

//! Play one move ahead by the functions that correlate best: what a function is worth where it is used. The player is
//! the caller's, as players stand above this room.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::catalog::{counted, plural};
use crate::evaluation::{Function, Kind, StepCost};
use crate::machine::Machine;
use crate::simulate::{Alarm, Statistics, StopReason};
use crate::statistics::Mean;
use crate::statistics::interval::mean_of_counts;
use crate::structure::finding::Structures;

use super::analyze::{AnalysisError, GameAnalysis, Run, working};
use super::stage::{Stage, because};

/// Time that all play may take, in nanoseconds of one processor by the counts of [`StepCost`].
const NANOSECONDS: f64 = 2e9;

/// Steps in whose time a state is gone to, whatever state was looked at before.
const GOING: f64 = 5.0;

/// What a value of a function of features takes, and each term of one that is learned.
const FEATURE: f64 = 1_000.0;
const TERM: f64 = 200.0;

/// Functions of a role that are followed at most, besides the player that only sees ends.
const FOLLOWED: usize = 4;

/// Playouts that came to an end, for fewer of which nothing is said.
const LEAST: u64 = 20;

/// What is to be played: one role follows a function one move ahead, all others play at random.
#[derive(Clone, Copy)]
pub struct OnePlyTrial<'a> {
    /// The game.
    pub machine: &'a dyn Machine,
    /// What it is made of.
    pub structures: &'a Structures,
    /// The role, counted from 0.
    pub role: usize,
    /// The function; none for a player that sees ends alone.
    pub function: Option<&'a Function>,
    /// Playouts.
    pub playouts: u64,
    /// Values that all playouts may ask for together.
    pub values: u64,
    /// Seed of all draws.
    pub seed: u64,
    /// Joint moves after which a playout is truncated.
    pub max_steps: u32,
    /// Threads; 0 for as many as the computer runs at once.
    pub threads: usize,
    /// Once true, no further move is played.
    pub interrupt: Option<&'a Arc<AtomicBool>>,
}

/// Plays a trial: for each playout the role's goal value at its end, none where it was not played to one.
pub type OnePlyPlayer<'p> = dyn Fn(&OnePlyTrial<'_>) -> Result<Vec<Option<i32>>, CallerError> + Sync + 'p;

/// Why a player, a solver or a searcher that the caller handed in could not do its part.
pub type CallerError = Box<dyn std::error::Error + Send + Sync>;

/// What following a function one move ahead brings a role against others that play at random.
#[derive(Clone, Debug, PartialEq)]
pub struct OnePly {
    /// The role, counted from 0.
    pub role: usize,
    /// The function's place among the analysis' functions; none for a player that sees ends alone.
    pub function: Option<usize>,
    /// Playouts that came to an end.
    pub playouts: u64,
    /// The mean goal value.
    pub goal: Mean,
}

impl Run<'_, '_> {
    pub(super) fn one_ply(
        &mut self,
        analysis: &mut GameAnalysis,
        player: &OnePlyPlayer<'_>,
    ) -> Result<(), AnalysisError> {
        let start = Instant::now();
        let machine = self.game.machine;
        let alarm = self.alarm(Stage::OnePly);
        let interrupt = alarm.as_ref().map(Alarm::flag).or(self.context.interrupt);
        let ended = || interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let roles: Vec<String> =
            machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
        // Where no step can be made, random play has said so before.
        let cost = StepCost::new(machine, interrupt).ok().flatten();
        let trials = cost.as_ref().map_or_else(Vec::new, |cost| most_trials(analysis, &roles, cost));
        let told = working(self.context.progress, Stage::OnePly);
        let (mut playouts, mut few) = (0, 0);
        for (number, &(role, place)) in trials.iter().enumerate() {
            let Some(cost) = cost.as_ref().filter(|_| !ended()) else { break };
            let function = place.map(|place| &analysis.functions.list[place]);
            let values = affordable(cost, value_cost(cost, function), trials.len());
            if values < LEAST * successors(&analysis.simulation, role) {
                few += 1;
                continue;
            }
            let trial = OnePlyTrial {
                machine,
                structures: &analysis.structures,
                role,
                function,
                playouts: self.plan.one_ply,
                values,
                seed: self.plan.seed,
                max_steps: self.plan.max_steps(machine),
                threads: self.plan.threads,
                interrupt,
            };
            let outcomes = player(&trial).map_err(AnalysisError::OnePly)?;
            if ended() {
                break;
            }
            let found = outcome(role, place, &outcomes);
            few += usize::from(found.as_ref().is_none_or(|found| found.playouts < self.plan.one_ply));
            playouts += found.as_ref().map_or(0, |found| found.playouts);
            analysis.one_ply.extend(found);
            told(number as u64 + 1);
        }
        let note = if ended() {
            let reason = if self.interrupted() { StopReason::Interrupted } else { StopReason::Seconds };
            Some(format!("{} of {} trials: {}", analysis.one_ply.len(), trials.len(), because(reason)))
        } else {
            (few > 0).then(|| {
                let wanted = self.plan.one_ply;
                format!(
                    "{few} of {} {} fewer than {} {}: {}",
                    counted(trials.len() as u64, "trial", "trials"),
                    plural(few as u64, "has", "have"),
                    wanted,
                    plural(wanted, "playout", "playouts"),
                    because(StopReason::Work)
                )
            })
        };
        self.ended(Stage::OnePly, playouts, note, start);
        Ok(())
    }

    /// Whether play by functions can begin.
    pub(super) fn begins_play(&mut self) -> bool {
        self.plan.one_ply > 0 && self.begins(Stage::OnePly)
    }
}

/// As many trials as there is time for: where steps or values cost much, fewer functions are followed.
fn most_trials(
    analysis: &GameAnalysis,
    roles: &[String],
    cost: &StepCost<'_>,
) -> Vec<(usize, Option<usize>)> {
    // What a value of each function costs is asked once.
    let mut known: BTreeMap<Option<usize>, f64> = BTreeMap::new();
    let mut enough = |trials: &[(usize, Option<usize>)]| {
        trials.iter().all(|&(role, place)| {
            let value = known
                .entry(place)
                .or_insert_with(|| value_cost(cost, place.map(|place| &analysis.functions.list[place])));
            affordable(cost, *value, trials.len()) >= LEAST * successors(&analysis.simulation, role)
        })
    };
    let fewer = (1..=FOLLOWED).rev().map(|followed| trials(analysis, roles, followed));
    let mut last = Vec::new();
    for trials in fewer {
        if enough(&trials) {
            return trials;
        }
        last = trials;
    }
    last
}

/// Trials of an analysis in their order: for each role the player that sees ends, then of so many kinds, fuzzy ones among
/// them, the function that correlates best with the role's goal value, the best first.
fn trials(analysis: &GameAnalysis, roles: &[String], followed: usize) -> Vec<(usize, Option<usize>)> {
    let worth = |place: usize| analysis.statistics.get(place).map_or(0.0, |of| of.worth());
    let mut trials = Vec::new();
    for (number, role) in roles.iter().enumerate() {
        let of_role = (0..analysis.functions.list.len())
            .filter(|&place| analysis.functions.list[place].role() == role)
            // Fuzzy functions need no correlation: they are made from the goals themselves.
            .filter(|&place| worth(place) > 0.0 || analysis.functions.list[place].kind() == Kind::Fuzzy);
        let mut of_role: Vec<usize> = of_role.collect();
        of_role.sort_by(|&a, &b| worth(b).total_cmp(&worth(a)));
        let mut kinds = BTreeSet::new();
        of_role.retain(|&place| kinds.insert(analysis.functions.list[place].kind()));
        let fuzzy = of_role.iter().position(|&place| analysis.functions.list[place].kind() == Kind::Fuzzy);
        if let Some(place) = fuzzy.filter(|&place| place >= followed) {
            of_role.swap(place, followed - 1);
        }
        of_role.truncate(followed);
        if !of_role.is_empty() {
            trials.push((number, None));
            trials.extend(of_role.into_iter().map(|place| (number, Some(place))));
        }
    }
    trials
}

/// Successors that a role looks at in a random playout, on the mean.
fn successors(seen: &Statistics, role: usize) -> u64 {
    let branching = &seen.roles[role].branching;
    let choices = branching.choice_share * branching.choice_mean.unwrap_or(0.0);
    seen.length.as_ref().map_or(0, |length| (choices * length.mean) as u64)
}

/// Nanoseconds that a value of a function costs beside going to its state.
fn value_cost(cost: &StepCost<'_>, function: Option<&Function>) -> f64 {
    match function {
        None => 0.0,
        Some(Function::Fuzzy(fuzzy)) => cost.step() * cost.of(fuzzy, f64::INFINITY).unwrap_or(1.0),
        Some(Function::Statistical(statistical)) => FEATURE + TERM * statistical.terms.len() as f64,
        Some(Function::Learned(_)) => FEATURE,
        Some(Function::Feature(_)) => FEATURE,
    }
}

/// How many values that cost so much there is time for in one of so many trials.
fn affordable(cost: &StepCost<'_>, value: f64, trials: usize) -> u64 {
    (NANOSECONDS / trials.max(1) as f64 / (GOING * cost.step() + value)) as u64
}

/// What the outcomes of a trial say; nothing where there are few.
fn outcome(role: usize, function: Option<usize>, outcomes: &[Option<i32>]) -> Option<OnePly> {
    let mut counts = BTreeMap::new();
    outcomes.iter().flatten().for_each(|&goal| *counts.entry(goal).or_default() += 1);
    let playouts: u64 = counts.values().sum();
    let goal = mean_of_counts(&counts).filter(|_| playouts >= LEAST)?;
    Some(OnePly { role, function, playouts, goal })
}

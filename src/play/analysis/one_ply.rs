//! Measures how well the functions with the best correlations play if they choose the move with the best value one move
//! ahead. `judge/trial.rs` plays the games, and `report/one_ply.rs` presents the result.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::catalog::{counted, plural};
use crate::evaluation::goal_values::goal_values;
use crate::evaluation::{Function, Kind, StepCost};
use crate::judge::{self, ANSWERS, one_ply};
use crate::machine::Machine;
use crate::property::{OutcomeTally, Source};
use crate::simulate::{GoalCount, StopReason, TimedInterrupt};
use crate::statistics::interval::{difference, is_below, mean_of_counts};
use crate::structure::finding::{Structures, Turns};

use super::error::AnalysisError;
use super::game_analysis::{GameAnalysis, OnePly};
use super::run::{Run, working};
use super::stage::{Stage, because};

/// The initial limit of the time for all trials, in nanoseconds of processor time as [`StepCost`] estimates it.
const INITIAL_NANOSECONDS: f64 = 2e9;

/// The additional time on the relational machine and on networks, in the same unit. It is used if a function can't be
/// distinguished from the player `ends`, which recognises only terminal states. It is also used if the initial limit is
/// too short for one function of each role. Estimates on networks are more reliable: play took at most a third of the
/// estimate.
const ADDITIONAL_NANOSECONDS: [f64; 2] = [4e9, 12e9];

/// The maximum number of interim analyses of a trial. Each one after the first doubles the number of playouts.
const INTERIM_ANALYSES: u32 = 5;

/// The confidence of each interim analysis, so that all together have 95 % (Bonferroni).
const CONFIDENCE: f64 = 1.0 - 0.05 / INTERIM_ANALYSES as f64;

/// The cost of setting the machine to any state, in steps, for functions that need more than the facts.
const SET_STATE_STEPS: f64 = 5.0;

/// The cost of a successor in steps: computed alone, and in lanes.
const SUCCESSOR_STEPS: [f64; 2] = [2.0, 0.5];

/// Nanoseconds for a value of a function of features.
const FEATURE_NANOSECONDS: f64 = 1_000.0;

/// Nanoseconds for each term of a value of a statistical function.
const TERM_NANOSECONDS: f64 = 200.0;

/// The maximum number of functions of a role that are tried, in addition to the player `ends`.
const MAX_FUNCTIONS: usize = 4;

/// The minimum number of finished playouts for a result.
const MIN_PLAYOUTS: u64 = 20;

/// A trial with its results so far.
struct TrialResult<'f> {
    role: usize,
    /// The index of the function; none for the player `ends`.
    place: Option<usize>,
    function: Option<&'f Function>,
    /// Nanoseconds for moving to a state and evaluating it.
    cost: f64,
    /// The frequency of each goal value.
    goals: BTreeMap<i32, u64>,
    /// The number of requested playouts.
    requested: u64,
    /// The number of values computed in them.
    values: u64,
}

impl TrialResult<'_> {
    fn playouts(&self) -> u64 {
        self.goals.values().sum()
    }

    /// Mean nanoseconds of a playout; none if no playout ended.
    fn playout_cost(&self) -> Option<f64> {
        (self.playouts() > 0).then(|| self.values as f64 * self.cost / self.playouts() as f64)
    }

    /// The result; none if fewer than [`MIN_PLAYOUTS`] playouts ended.
    fn outcome(&self, ends: Option<&TrialResult<'_>>, random: &[GoalCount]) -> Option<OnePly> {
        let playouts = self.playouts();
        let goal = mean_of_counts(&self.goals).filter(|_| playouts >= MIN_PLAYOUTS)?;
        let ends = ends.filter(|ends| self.place.is_some() && ends.playouts() >= MIN_PLAYOUTS);
        let over_ends = ends.and_then(|ends| difference(&self.goals, &ends.goals, CONFIDENCE));
        let random: BTreeMap<i32, u64> = random.iter().map(|goal| (goal.value, goal.share.count)).collect();
        let over_random = difference(&self.goals, &random, CONFIDENCE);
        let worse_than_random = self.place.is_some() && is_below(&self.goals, &random, CONFIDENCE);
        let (role, function) = (self.role, self.place);
        Some(OnePly { role, function, playouts, goal, over_ends, over_random, worse_than_random })
    }

    /// Whether more playouts may distinguish it from the reference player `ends`.
    fn is_open(&self, ends: &TrialResult<'_>, best: Option<i32>) -> bool {
        let apart = |found: OnePly| {
            let over = found.over_ends?;
            Some(over.low? > 0.0 || over.high? < 0.0)
        };
        // If `ends` always gets the best goal value, no function can be better. If both results are constant, more
        // playouts will hardly change that.
        let only = |of: &TrialResult<'_>, goal| of.goals.len() == 1 && of.goals.keys().next() == goal;
        let settled =
            only(ends, best.as_ref()) || only(ends, self.goals.keys().next()) && self.goals.len() == 1;
        !settled && self.outcome(Some(ends), &[]).and_then(apart) == Some(false)
    }
}

/// The shared state of all trials.
struct TrialRunner<'t, 'r, 'g> {
    run: &'t Run<'r, 'g>,
    structures: &'t Structures,
    interrupt: Option<&'t Arc<AtomicBool>>,
    count: &'t (dyn Fn(u64) + Sync),
    /// Nanoseconds spent.
    spent: f64,
    /// Number of trials, or parts of them, that were played.
    done: u64,
    /// The goal values in the terminal states.
    tally: OutcomeTally,
}

impl TrialRunner<'_, '_, '_> {
    fn ended(&self) -> bool {
        self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Plays more playouts within `time` nanoseconds. Interrupted playouts are dropped.
    fn play(&mut self, played: &mut TrialResult<'_>, playouts: u64, time: f64) -> Result<(), AnalysisError> {
        let (machine, plan) = (self.run.game.machine, self.run.plan);
        let trial = judge::Trial {
            machine,
            structures: self.structures,
            role: played.role,
            function: played.function,
            first: played.requested,
            playouts,
            values: (time / played.cost) as u64,
            seed: plan.seed,
            max_steps: plan.max_steps(machine),
            threads: plan.threads,
            interrupt: self.interrupt.map(|flag| &**flag),
        };
        let result = one_ply(&trial)?;
        self.tally.merge(result.tally);
        if self.ended() {
            return Ok(());
        }
        result.outcomes.iter().flatten().for_each(|&goal| *played.goals.entry(goal).or_default() += 1);
        played.requested += playouts;
        played.values += result.values;
        self.spent += result.values as f64 * played.cost;
        self.done += 1;
        (self.count)(self.done);
        Ok(())
    }

    /// Doubles the playouts of functions that can't be distinguished from the reference player `ends`, until they can,
    /// or the time or the interim analyses are used up.
    fn play_on(&mut self, all: &mut [TrialResult<'_>], best: &[Option<i32>]) -> Result<(), AnalysisError> {
        for interim in 1..INTERIM_ANALYSES {
            let wanted = self.run.plan.one_ply << (interim - 1);
            let open = open(all, best);
            let needs = |index: &usize| Some(wanted as f64 * all[*index].playout_cost()?);
            let needed: f64 = open.iter().filter_map(needs).sum();
            // Playouts differ in length; those that finish in time would be a biased sample.
            let share = ((INITIAL_NANOSECONDS + additional_nanoseconds(self.run.game.machine) - self.spent)
                / needed
                / 1.5)
                .min(1.0);
            let playouts = (wanted as f64 * share) as u64;
            if open.is_empty() || playouts < MIN_PLAYOUTS {
                break;
            }
            for index in open {
                let Some(cost) = all[index].playout_cost() else { continue };
                self.play(&mut all[index], playouts, 1.5 * cost * playouts as f64)?;
                if self.ended() {
                    return Ok(());
                }
            }
            if share < 1.0 {
                break;
            }
        }
        Ok(())
    }
}

/// The indices, ascending, of the trials that need more playouts to be distinguished from the reference player `ends`,
/// and of the trials of `ends` for the same roles.
fn open(all: &[TrialResult<'_>], best: &[Option<i32>]) -> Vec<usize> {
    let is_open = |of: &TrialResult<'_>| {
        let ends = all.iter().find(|ends| ends.role == of.role && ends.place.is_none());
        of.place.is_some() && ends.is_some_and(|ends| of.is_open(ends, best[of.role]))
    };
    let roles: BTreeSet<usize> = all.iter().filter(|of| is_open(of)).map(|of| of.role).collect();
    let wanted = |place: &usize| {
        let of = &all[*place];
        is_open(of) || of.place.is_none() && roles.contains(&of.role)
    };
    (0..all.len()).filter(wanted).collect()
}

pub(super) fn play_one_ply(run: &mut Run<'_, '_>, analysis: &mut GameAnalysis) -> Result<(), AnalysisError> {
    let start = Instant::now();
    let machine = run.game.machine;
    let timed_interrupt = run.timed_interrupt(Stage::OnePly);
    let interrupt = timed_interrupt.as_ref().map(TimedInterrupt::flag).or(run.context.interrupt);
    let roles: Vec<String> =
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
    // If no step is possible, random play has reported it before.
    let cost = StepCost::new(machine, interrupt).ok().flatten();
    let none = || (Vec::new(), INITIAL_NANOSECONDS);
    let (trials, time) = cost.as_ref().map_or_else(none, |cost| most_trials(analysis, &roles, cost));
    let count = working(run.context.progress, Stage::OnePly);
    let mut runner = TrialRunner {
        run,
        structures: &analysis.structures,
        interrupt,
        count: &count,
        spent: 0.0,
        done: 0,
        tally: OutcomeTally::default(),
    };
    let mut all: Vec<TrialResult<'_>> = Vec::new();
    let mut few = 0;
    let least: f64 = trials.iter().map(|trial| MIN_PLAYOUTS as f64 * trial.playout).sum();
    let roots: f64 = trials.iter().map(|trial| trial.playout.sqrt()).sum();
    for &PlannedTrial { role, place, cost, playout } in &trials {
        if runner.ended() {
            break;
        }
        let function = place.map(|place| &analysis.functions.list[place]);
        let mut played =
            TrialResult { role, place, function, cost, goals: BTreeMap::new(), requested: 0, values: 0 };
        if time < least {
            few += 1;
            continue;
        }
        let time = MIN_PLAYOUTS as f64 * playout + (time - least) * playout.sqrt() / roots;
        runner.play(&mut played, run.plan.one_ply, time)?;
        if runner.ended() {
            break;
        }
        few += usize::from(played.playouts() < run.plan.one_ply);
        all.push(played);
    }
    if !runner.ended() {
        let best = |role: usize| goal_values(machine, role).into_iter().max();
        let best: Vec<Option<i32>> = (0..roles.len()).map(best).collect();
        runner.play_on(&mut all, &best)?;
    }
    let ended = runner.ended();
    let playouts = all.iter().map(TrialResult::playouts).sum();
    let ends = |role: usize| all.iter().find(|ends| ends.role == role && ends.place.is_none());
    let random = |role: usize| &analysis.simulation.roles[role].goals[..];
    let outcome = |played: &TrialResult<'_>| played.outcome(ends(played.role), random(played.role));
    let results: Vec<OnePly> = all.iter().filter_map(outcome).collect();
    let tally = std::mem::take(&mut runner.tally);
    analysis.one_ply = results;
    analysis.reach(machine, tally.of(Source::OnePly));
    let note = if ended {
        let reason = if run.interrupted() { StopReason::Interrupted } else { StopReason::Seconds };
        Some(format!("{} of {} trials: {}", analysis.one_ply.len(), trials.len(), because(reason)))
    } else {
        (few > 0).then(|| {
            let wanted = run.plan.one_ply;
            format!(
                "{few} of {} {} fewer than {} {} at first: {}",
                counted(trials.len() as u64, "trial", "trials"),
                plural(few as u64, "has", "have"),
                wanted,
                plural(wanted, "playout", "playouts"),
                because(StopReason::Work)
            )
        })
    };
    run.ended(Stage::OnePly, playouts, note, start);
    Ok(())
}

/// Whether trials can begin.
pub(super) fn begins_play(run: &mut Run<'_, '_>) -> bool {
    run.plan.one_ply > 0 && run.begins(Stage::OnePly)
}

/// A trial that is still to be played.
#[derive(Clone, Copy)]
struct PlannedTrial {
    role: usize,
    /// The index of the function; none for the player `ends`.
    place: Option<usize>,
    /// Nanoseconds for moving to a state and evaluating it, as [`StepCost`] estimates them.
    cost: f64,
    /// Nanoseconds of a playout.
    playout: f64,
}

/// The additional time in nanoseconds.
fn additional_nanoseconds(machine: &dyn Machine) -> f64 {
    ADDITIONAL_NANOSECONDS[usize::from(machine.network().is_some())]
}

/// The trials to play, and the limit of their total time in nanoseconds. If steps or values are expensive, fewer
/// functions of each role are tried. If the initial limit is too short for one function of each role, the additional
/// time is used. First every trial gets the time that it needs. The rest is divided in proportion to the square root of
/// a playout's cost, which separates means best (Neyman 1934).
fn most_trials(analysis: &GameAnalysis, roles: &[String], cost: &StepCost<'_>) -> (Vec<PlannedTrial>, f64) {
    // The cost of each function is computed only once.
    let mut known: BTreeMap<Option<usize>, f64> = BTreeMap::new();
    let mut with_cost = |(role, place): (usize, Option<usize>)| {
        let function = place.map(|place| &analysis.functions.list[place]);
        let cost = *known.entry(place).or_insert_with(|| successor_cost(cost, function));
        PlannedTrial { role, place, cost, playout: cost * successors(analysis, role).max(1) as f64 }
    };
    let enough = |trials: &[PlannedTrial], time: f64| {
        MIN_PLAYOUTS as f64 * trials.iter().map(|trial| trial.playout).sum::<f64>() <= time
    };
    let most = INITIAL_NANOSECONDS + additional_nanoseconds(cost.machine());
    let mut last = Vec::new();
    // If fuzzy functions are too expensive, only others are tried.
    for fuzzy in [true, false] {
        for most_functions in (1..=MAX_FUNCTIONS).rev() {
            let chosen = trials(analysis, roles, most_functions, fuzzy);
            last = chosen.into_iter().map(&mut with_cost).collect();
            if enough(&last, INITIAL_NANOSECONDS) {
                return (last, INITIAL_NANOSECONDS);
            }
        }
        if enough(&last, most) {
            return (last, most);
        }
    }
    (last, INITIAL_NANOSECONDS)
}

/// The trials in order. For each role: the reference player `ends`, then the function of each kind that correlates best
/// with the role's goal value, the best first, at most `most_functions` functions. Fuzzy functions are included if
/// `fuzzy` is set.
fn trials(
    analysis: &GameAnalysis,
    roles: &[String],
    most_functions: usize,
    fuzzy: bool,
) -> Vec<(usize, Option<usize>)> {
    let correlation = |index: usize| analysis.statistics.get(index).map_or(0.0, |of| of.goal_correlation());
    let is_constant = |index: usize| analysis.statistics.get(index).is_some_and(|of| of.is_constant());
    let is_fuzzy = |index: usize| analysis.functions.list[index].kind() == Kind::Fuzzy;
    let mut trials = Vec::new();
    for (number, role) in roles.iter().enumerate() {
        let of_role = (0..analysis.functions.list.len())
            .filter(|&index| analysis.functions.list[index].role() == role)
            // Fuzzy functions need no correlation, because they are made from the goals.
            .filter(|&index| (correlation(index) > 0.0 || is_fuzzy(index)) && !is_constant(index))
            .filter(|&index| fuzzy || !is_fuzzy(index));
        let mut of_role: Vec<usize> = of_role.collect();
        of_role.sort_by(|&a, &b| correlation(b).total_cmp(&correlation(a)));
        let mut kinds = BTreeSet::new();
        of_role.retain(|&index| kinds.insert(analysis.functions.list[index].kind()));
        let first_fuzzy = of_role.iter().position(|&index| is_fuzzy(index));
        if let Some(index) = first_fuzzy.filter(|&index| index >= most_functions) {
            of_role.swap(index, most_functions - 1);
        }
        of_role.truncate(most_functions);
        if !of_role.is_empty() {
            trials.push((number, None));
            trials.extend(of_role.into_iter().map(|index| (number, Some(index))));
        }
    }
    trials
}

/// Mean number of successors of a role in a random playout; a move has several if others choose at the same time.
fn successors(analysis: &GameAnalysis, role: usize) -> u64 {
    let seen = &analysis.simulation;
    let branching = &seen.roles[role].branching;
    let answers = if analysis.structures.turns == Turns::Simultaneous { ANSWERS } else { 1 };
    let choices = branching.choice_share * branching.choice_mean.unwrap_or(0.0) * answers as f64;
    seen.length.as_ref().map_or(0, |length| (choices * length.mean) as u64)
}

/// Nanoseconds for a successor of a state and its value.
pub(super) fn successor_cost(cost: &StepCost<'_>, function: Option<&Function>) -> f64 {
    let machine = cost.machine();
    let steps = SUCCESSOR_STEPS[usize::from(machine.suits_lanes())];
    let value = match function {
        None => return steps * cost.step(),
        Some(Function::Fuzzy(fuzzy)) => cost.step() * cost.of(fuzzy, f64::INFINITY).unwrap_or(1.0),
        Some(Function::Statistical(statistical)) => {
            FEATURE_NANOSECONDS + TERM_NANOSECONDS * statistical.terms.len() as f64
        }
        Some(Function::Learned(_)) => FEATURE_NANOSECONDS,
        Some(Function::Feature(_)) => FEATURE_NANOSECONDS,
    };
    let facts_suffice = |function: &Function| function.bind(machine).is_ok_and(|of| of.facts_suffice());
    let setting_steps = if function.is_some_and(facts_suffice) { 0.0 } else { SET_STATE_STEPS };
    (steps + setting_steps) * cost.step() + value
}

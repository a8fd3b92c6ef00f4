//! The demonstration of a game in reports: a game of good play to step through, values of functions along it, the
//! explanation of one state, the number of moves at each step, and the calibration of functions. It is made after an
//! analysis.

mod error;
mod good_play;
mod limits;
mod steps;

use crate::evaluation::{Explanation, ExplanationLimits, Function, affordable_states, explain, valued_ends};
use crate::feature::StateEvaluator;
use crate::machine::Machine;
use crate::simulate::{Budget, Context, SimulateError, WorkLimit, observe};
use crate::statistics::interval::student;

use super::game::Game;
use super::game_analysis::GameAnalysis;
use super::plan::{Clock, Plan};

pub use error::DemonstrationError;
use good_play::good_play;
use limits::{LEAST, MOST, PART, STEPS};
pub use steps::{Play, PlayedBy, StepCount};
use steps::{PlayWatch, StepWatch};

/// Playouts in which steps are counted, and their limit of work on a network and on the relational machine: a second or
/// two.
const PLAYOUTS: u64 = 500;
const WORK: [u64; 2] = [50_000_000, 10_000_000];

/// Number of functions that are evaluated along the playout, and of those that are calibrated and explained.
const FOLLOWED: usize = 6;
const EXPLAINED: usize = 3;

/// Bins of a function's values, with equally many states.
const BINS: usize = 8;

/// Least number of states in a bin, and of bins that are worth showing.
const IN_BIN: usize = 10;
const LEAST_BINS: usize = 3;

/// The detail of an explanation.
const DETAIL: ExplanationLimits = ExplanationLimits { depth: 3, members: 5 };

/// The demonstration of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Demonstration {
    /// A game of good play of median length; a random playout if there is none.
    pub play: Play,
    /// The mean number of moves at each step of random playouts.
    pub steps: Vec<StepCount>,
    /// The number of these playouts.
    pub playouts: u64,
    /// The values along the play of each role's best function.
    pub courses: Vec<Course>,
    /// Functions with their calibration.
    pub calibrated: Vec<CalibratedFunction>,
    /// A state of the play, explained by functions of several kinds.
    pub explained: Vec<ExplainedState>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// A function's values along the play, in goal points; none for states after the last evaluated one.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// The function's index in the analysis.
    pub function: usize,
    /// A value for each state; for the terminal state the role's goal value.
    pub values: Vec<Option<f64>>,
    /// Before the end: the number of states in which the value predicts the result, and the number of states counted. A
    /// prediction is right if the value lies on the same side of its mean in random play as the final goal value does of
    /// its own. None for a draw, or if the play has no end.
    pub right: Option<[usize; 2]>,
}

/// The calibration of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibratedFunction {
    /// The function's index in the analysis.
    pub function: usize,
    /// The number of states, one of each random playout.
    pub states: usize,
    /// By ascending values, with equally many states.
    pub bins: Vec<CalibrationBin>,
}

/// States with similar values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CalibrationBin {
    /// The mean value, in goal points.
    pub value: f64,
    /// The mean goal value.
    pub goal: f64,
    /// The ends of its 95 % interval.
    pub interval: Option<[f64; 2]>,
}

/// An explained value of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedState {
    /// The function's index in the analysis.
    pub function: usize,
    /// The state's index in the play.
    pub step: usize,
    /// The explanation of the value.
    pub explanation: Explanation,
}

/// Makes the demonstration of an analysis. It shows `searched`, a game between searches, unless there is none or the solution
/// of a puzzle is known. The same plan and seed give the same result on any number of threads, if the
/// plan has no clock and nothing interrupts it.
///
/// # Errors
/// Nothing can be played, or a state can't be evaluated.
pub fn demonstrate(
    game: &Game<'_>,
    analysis: &GameAnalysis,
    plan: &Plan,
    searched: Option<&Play>,
    context: &Context<'_>,
) -> Result<Demonstration, DemonstrationError> {
    let machine = game.machine;
    let (random, work_limit, playouts) = played(machine, plan, context)?;
    let interrupted =
        || context.interrupt.is_some_and(|flag| flag.load(std::sync::atomic::Ordering::Relaxed));
    let followed = best_of_roles(machine, analysis);
    let play = good_play(machine, analysis, &followed, searched, plan, &interrupted)?.unwrap_or(random);
    let kinds = best_of_kinds(analysis, &followed);
    let mut notes = Vec::new();
    let (mut courses, mut calibrated, mut explained) = (Vec::new(), Vec::new(), Vec::new());
    for &index in &followed {
        if interrupted() {
            break;
        }
        courses.push(course(machine, analysis, index, &play, &interrupted)?);
    }
    for &index in &kinds {
        if interrupted() {
            break;
        }
        calibrated.extend(calibration(machine, analysis, index, &WorkLimit::new(context.interrupt))?);
    }
    let step = (play.states.len() - 1) / 2;
    for &index in &kinds {
        if interrupted() {
            break;
        }
        let mut evaluator = StateEvaluator::new(machine);
        let position = evaluator.at(&play.states[step])?;
        let explanation = explain(machine, &analysis.functions.list[index], &position, DETAIL)?;
        explained.push(ExplainedState { function: index, step, explanation });
    }
    if interrupted() {
        notes.push("interrupted: some plots and values are left out".to_owned());
    }
    Ok(Demonstration { play, steps: work_limit.steps(), playouts, courses, calibrated, explained, notes })
}

/// The play to be shown, the counts of random playouts, and the number of these.
fn played(
    machine: &dyn Machine,
    plan: &Plan,
    context: &Context<'_>,
) -> Result<(Play, StepWatch, u64), SimulateError> {
    let seconds = match plan.clock {
        Clock::Seconds(seconds) => Some((seconds * PART).clamp(LEAST, MOST)),
        Clock::Counted | Clock::Deadline(_) => None,
    };
    let budget = Budget {
        playouts: plan.playouts.map_or(PLAYOUTS, |playouts| playouts.min(PLAYOUTS)),
        work: Some(WORK[usize::from(machine.network().is_none())]),
        seconds,
        ..plan.base(machine)
    };
    let quiet = Context { progress: None, ..*context };
    let (statistics, work_limit) = observe(machine, &budget, &quiet, StepWatch::default)?;
    let still = || Play::still(machine.initial(), plan.seed);
    let play = match work_limit.typical() {
        Some(first) => {
            let one = Budget { playouts: 1, first, work: None, seconds: None, ..budget };
            observe(machine, &one, &quiet, || PlayWatch::new(plan.seed, STEPS))?.1.play.unwrap_or_else(still)
        }
        None => still(),
    };
    Ok((play, work_limit, statistics.playouts))
}

/// The rank of a function: its result in play if it was played, otherwise its correlation.
fn worth(analysis: &GameAnalysis, index: usize) -> (f64, f64) {
    let played = analysis.one_ply.iter().find(|played| played.function == Some(index));
    let correlation = analysis.statistics.get(index).map_or(0.0, |statistics| statistics.goal_correlation());
    (played.map_or(f64::NEG_INFINITY, |played| played.goal.mean), correlation)
}

/// The best of some functions; ties go to the first.
fn best(analysis: &GameAnalysis, functions: impl Iterator<Item = usize>) -> Option<usize> {
    functions.reduce(|best, other| {
        let (a, b) = (worth(analysis, best), worth(analysis, other));
        if b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)).is_gt() { other } else { best }
    })
}

/// The best function of each role.
fn best_of_roles(machine: &dyn Machine, analysis: &GameAnalysis) -> Vec<usize> {
    let list = &analysis.functions.list;
    let constant = |index: usize| analysis.statistics.get(index).is_some_and(|of| of.is_constant());
    let fails = |index: usize| {
        analysis.one_ply.iter().any(|played| played.function == Some(index) && played.worse_than_random)
    };
    let of_role = |role| {
        let role = machine.term_text(role);
        let own = (0..list.len()).filter(|&index| list[index].role() == role);
        best(analysis, own.filter(|&index| !constant(index) && !fails(index)))
    };
    machine.description().roles.iter().filter_map(|&role| of_role(role)).take(FOLLOWED).collect()
}

/// The best function of all, and the best ones of other kinds for the same role.
fn best_of_kinds(analysis: &GameAnalysis, followed: &[usize]) -> Vec<usize> {
    let list = &analysis.functions.list;
    let Some(first) = best(analysis, followed.iter().copied()) else { return Vec::new() };
    let mut chosen = vec![first];
    let mut rest: Vec<usize> =
        (0..list.len()).filter(|&index| list[index].role() == list[first].role()).collect();
    while chosen.len() < EXPLAINED {
        rest.retain(|&index| chosen.iter().all(|&other| shape(&list[other]) != shape(&list[index])));
        let Some(next) = best(analysis, rest.iter().copied()) else { break };
        chosen.push(next);
    }
    chosen
}

/// The form of a function's explanation.
fn shape(function: &Function) -> std::mem::Discriminant<Function> {
    std::mem::discriminant(function)
}

/// A value in goal points.
fn points(function: &Function, value: f64) -> f64 {
    value * 100.0 / function.of_goal(100.0)
}

fn course(
    machine: &dyn Machine,
    analysis: &GameAnalysis,
    index: usize,
    play: &Play,
    interrupted: &dyn Fn() -> bool,
) -> Result<Course, DemonstrationError> {
    let function = &analysis.functions.list[index];
    let mut measure = function.bind(machine)?;
    let mut evaluator = StateEvaluator::new(machine);
    let goals = play.goals.as_ref();
    let role =
        machine.description().roles.iter().position(|&role| machine.term_text(role) == function.role());
    let goal = goals
        .zip(role)
        .and_then(|(goals, role)| if let [goal] = goals[role][..] { Some(goal) } else { None });
    let mut values = vec![None; play.states.len()];
    for (value, state) in values.iter_mut().zip(&play.states).take(affordable_states(function)) {
        if interrupted() {
            break;
        }
        let number = measure.value(&evaluator.at(state)?);
        *value = number.is_finite().then(|| points(function, number));
    }
    let before_end = values.len() - usize::from(goal.is_some());
    let drawn = goals.is_some_and(|goals| goals.len() > 1 && goals.windows(2).all(|pair| pair[0] == pair[1]));
    let right = goal.filter(|_| !drawn).zip(role).and_then(|(goal, role)| {
        let usual = analysis.simulation.roles[role].goal_mean?.mean;
        let mean = points(function, analysis.statistics.get(index)?.mean);
        right_signs(&values[..before_end], mean, f64::from(goal) - usual)
    });
    if let (Some(goal), Some(last)) = (goal, values.last_mut()) {
        *last = Some(f64::from(goal));
    }
    Ok(Course { function: index, values, right })
}

/// The number of values on the same side of their mean as the goal value is of its own, and of values counted.
fn right_signs(values: &[Option<f64>], mean: f64, goal: f64) -> Option<[usize; 2]> {
    let apart = |value: f64| (value - mean) * goal;
    let signs = values.iter().flatten().map(|&value| apart(value)).filter(|&sign| sign != 0.0);
    let [right, all] = signs.fold([0, 0], |[right, all], sign| [right + usize::from(sign > 0.0), all + 1]);
    (all > 0).then_some([right, all])
}

fn calibration(
    machine: &dyn Machine,
    analysis: &GameAnalysis,
    index: usize,
    work_limit: &WorkLimit<'_>,
) -> Result<Option<CalibratedFunction>, DemonstrationError> {
    let function = &analysis.functions.list[index];
    let roles = &machine.description().roles;
    let Some(role) = roles.iter().position(|&role| machine.term_text(role) == function.role()) else {
        return Ok(None);
    };
    let mut ends = valued_ends(machine, function, role, &analysis.features.sequences, work_limit)?;
    ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let bins: Vec<CalibrationBin> = bins(&ends).into_iter().map(|states| bin(function, states)).collect();
    if bins.len() < LEAST_BINS {
        return Ok(None);
    }
    Ok(Some(CalibratedFunction { function: index, states: ends.len(), bins }))
}

/// Pairs of value and goal value by ascending value, in groups of about equal size; equal values stay together.
fn bins(ends: &[(f64, f64)]) -> Vec<&[(f64, f64)]> {
    let wanted = (ends.len() / BINS).max(IN_BIN);
    let (mut out, mut from) = (Vec::new(), 0);
    for to in 1..=ends.len() {
        let apart = to == ends.len() || ends[to].0 > ends[to - 1].0;
        // A small remainder joins the last group.
        let enough = to - from >= wanted && (to == ends.len() || ends.len() - to >= IN_BIN);
        if apart && (enough || to == ends.len()) {
            out.push(&ends[from..to]);
            from = to;
        }
    }
    out
}

fn bin(function: &Function, states: &[(f64, f64)]) -> CalibrationBin {
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| states.iter().map(of).sum::<f64>() / states.len() as f64;
    let goals: Vec<f64> = states.iter().map(|&(_, goal)| goal).collect();
    CalibrationBin {
        value: points(function, mean(&|state| state.0)),
        goal: mean(&|state| state.1),
        interval: student(&goals).and_then(|found| Some([found.low?, found.high?])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_agree_with_the_result() {
        let values = [Some(60.0), None, Some(40.0), Some(50.0), Some(70.0)];
        assert_eq!(right_signs(&values, 50.0, 30.0), Some([2, 3]));
        assert_eq!(right_signs(&values, 50.0, -30.0), Some([1, 3]));
        assert_eq!(right_signs(&values, 50.0, 0.0), None);
        assert_eq!(right_signs(&[None], 50.0, 1.0), None);
    }

    #[test]
    fn states_of_equal_value_share_a_group() {
        let ends: Vec<(f64, f64)> =
            (0..200).map(|number| (f64::from(number / 70), f64::from(number % 2))).collect();
        let sizes: Vec<usize> = bins(&ends).iter().map(|bin| bin.len()).collect();
        assert_eq!(sizes, [70, 70, 60]);
        let spread: Vec<(f64, f64)> = (0..163).map(|number| (f64::from(number), 0.0)).collect();
        let sizes: Vec<usize> = bins(&spread).iter().map(|bin| bin.len()).collect();
        assert_eq!((sizes.len(), sizes.iter().sum::<usize>()), (8, 163));
        assert!(sizes.iter().all(|&size| size >= IN_BIN), "{sizes:?}");
        assert!(bins(&[]).is_empty());
    }
}

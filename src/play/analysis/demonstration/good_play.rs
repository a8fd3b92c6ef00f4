//! A game of good play: the solution that a search found, or a game in which every role follows its best function one
//! move ahead.

use crate::evaluation::{GameLimits, Seat, StepCost, one_ply_game};
use crate::machine::{Machine, MachineError, MoveId, State};
use crate::simulate::Choices;

use super::super::game_analysis::GameAnalysis;
use super::super::one_ply::successor_cost;
use super::super::plan::{Clock, Plan};
use super::error::DemonstrationError;
use super::limits::{LEAST, PART, STEPS};
use super::steps::{Play, PlayedBy};

/// The number of games played; one of them is shown.
const GAMES: u64 = 9;

/// Limit of their time, in nanoseconds of one processor by the counts of [`StepCost`].
const NANOSECONDS: f64 = 1e9;

/// A separate stream of random numbers.
const STREAM: u64 = 0x7368_6f77;

/// A game of good play: the solution if one is known, otherwise `searched`, otherwise a game of these functions; none if no
/// such game came to an end. There is at most one function for each role.
///
/// # Errors
/// A function does not fit the game, or a state can't be evaluated.
pub(super) fn good_play(
    machine: &dyn Machine,
    analysis: &GameAnalysis,
    functions: &[usize],
    searched: Option<&Play>,
    plan: &Plan,
    interrupted: &dyn Fn() -> bool,
) -> Result<Option<Play>, DemonstrationError> {
    if let Some(best) =
        analysis.best_plan.as_ref().filter(|best| best.goal.is_some() && !best.moves.is_empty())
    {
        let joints: Vec<Vec<MoveId>> = best.moves.iter().map(|&action| vec![action]).collect();
        let play = along(machine, &joints)?;
        return Ok(Some(Play { by: PlayedBy::Search, ..play }));
    }
    if let Some(play) = searched {
        return Ok(Some(shortened(play.clone())));
    }
    let cost = StepCost::new(machine, None)?;
    let (Some(cost), false) = (cost, functions.is_empty()) else { return Ok(None) };
    let list = &analysis.functions.list;
    let costs = functions.iter().map(|&index| successor_cost(&cost, Some(&list[index])));
    let time = match plan.clock {
        Clock::Seconds(seconds) => NANOSECONDS * (seconds * PART).clamp(LEAST, 1.0),
        Clock::Counted | Clock::Deadline(_) => NANOSECONDS,
    };
    let mut left = (time / costs.fold(1.0, f64::max)) as u64;
    let mut seats: Vec<Option<Seat<'_, '_>>> = Vec::new();
    for &role in &machine.description().roles {
        let own = functions.iter().find(|&&index| list[index].role() == machine.term_text(role));
        seats.push(own.map(|&index| Seat::new(machine, &list[index])).transpose()?);
    }
    let mut games = Vec::new();
    for number in 0..GAMES {
        let limits = GameLimits { steps: plan.max_steps(machine), values: left, interrupted };
        let mut choices = Choices::new(plan.seed ^ STREAM, number);
        let game = one_ply_game(machine, &mut seats, &mut choices, &limits)?;
        left = left.saturating_sub(game.values);
        games.extend(game.goals.clone().map(|goals| (number, goals, game)));
        if left == 0 || interrupted() {
            break;
        }
    }
    // A decided game of median length, if there is one.
    let decided = |goals: &[Vec<i32>]| goals.len() == 1 || goals.windows(2).any(|pair| pair[0] != pair[1]);
    if games.iter().any(|(_, goals, _)| decided(goals)) {
        games.retain(|(_, goals, _)| decided(goals));
    }
    games.sort_by_key(|(number, _, game)| (game.moves.len(), *number));
    let Some((number, _, game)) = games.get(games.len() / 2) else { return Ok(None) };
    let play = along(machine, &game.moves)?;
    Ok(Some(Play { number: *number, seed: plan.seed, by: PlayedBy::Functions, ..play }))
}

/// A play with at most [`STEPS`] joint moves.
fn shortened(mut play: Play) -> Play {
    let left_out = play.moves.len().saturating_sub(STEPS);
    if left_out > 0 {
        play.moves.truncate(STEPS);
        play.states.truncate(STEPS + 1);
        play.choosing.truncate(STEPS + 1);
        play.estimates.truncate(STEPS);
        play.left_out += left_out;
        play.goals = None;
    }
    play
}

/// Plays the first joint moves of a line.
fn along(machine: &dyn Machine, joints: &[Vec<MoveId>]) -> Result<Play, MachineError> {
    let mut cursor = machine.cursor();
    cursor.set(machine.initial())?;
    let mut path: Vec<(Vec<MoveId>, State)> = Vec::new();
    for joint in joints.iter().take(STEPS) {
        cursor.advance(joint)?;
        path.push((joint.clone(), cursor.state().clone()));
    }
    let play = Play::along(machine, machine.initial(), &path)?;
    Ok(Play { left_out: joints.len() - path.len(), ..play })
}

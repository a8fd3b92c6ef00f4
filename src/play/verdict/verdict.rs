//! The verdict: all its parts, and the order in which they are made.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::{Game, GameAnalysis, Plan};
use crate::search::SearchError;

use super::best_play::{BestPlay, best_play};
use super::contest::Contest;
use super::first_moves::{FirstMoves, first_moves};
use super::match_budget::MatchBudget;
use super::played_game::PlayedGame;
use super::self_play::{Duel, SelfPlay};
use super::strength::Strength;

/// Processor time for games, in nanoseconds by counts.
const GAMES: f64 = 1.6e9;

/// Processor time to solve the game, in nanoseconds for each role and method, by counts.
const SOLVING: f64 = 1.5e8;

/// The states searched after each first move, compared with those for a move of the stronger player.
const FIRST_MOVE_SHARE: f64 = 1.0;

/// What a newcomer asks about a game, answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Verdict {
    /// Games between equal players: at random, then with a search, then with ten times the search.
    pub self_play: Vec<SelfPlay>,
    /// What best play brings; null if nothing was searched.
    pub best_play: Option<BestPlay>,
    /// The result of ten times the search against the search; null if it was not played, or if there is only one team.
    pub more_search: Option<Duel>,
    /// The result of the search against random play.
    pub against_random: Option<Duel>,
    /// The values of the first moves; null if the first move is not a choice of one role.
    pub first_moves: Option<FirstMoves>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// The verdict, and the games on which it rests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VerdictGames {
    /// The verdict.
    pub verdict: Verdict,
    /// Games of the stronger player against itself.
    pub strong: Vec<PlayedGame>,
    /// Games of the weaker player against itself.
    pub weak: Vec<PlayedGame>,
}

/// Makes the verdict on a game that was analysed. `effort` multiplies the limits of work. The same plan and seed give the same
/// verdict on any number of threads, unless it is interrupted.
///
/// # Errors
/// A state can't be evaluated.
pub fn give_verdict(
    game: &Game<'_>,
    analysis: &GameAnalysis,
    plan: &Plan,
    effort: f64,
    interrupt: Option<&Arc<AtomicBool>>,
) -> Result<VerdictGames, SearchError> {
    let machine = game.machine;
    let roles = game.roles();
    let teams = &analysis.structures.teams;
    let mut given = VerdictGames::default();
    given.verdict.self_play.push(SelfPlay::of_random_play(&analysis.simulation));
    let interrupted = || interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
    if interrupted() {
        return Ok(given);
    }
    given.verdict.best_play = best_play(machine, teams, effort * SOLVING, interrupt)?;
    let Some(budget) = MatchBudget::new(machine, &analysis.simulation, effort * GAMES, interrupt) else {
        given.verdict.notes.push("no games by search: they would take too long".to_owned());
        return Ok(given);
    };
    let contest = Contest {
        machine,
        teams,
        seed: plan.seed,
        max_steps: analysis.simulation.max_steps,
        lanes: budget.lanes,
        threads: plan.threads,
        interrupt,
    };
    let strong = Strength::Search(budget.states);
    let weak = Strength::Search((budget.states / 10).max(1));
    let all = |strength: Strength| vec![strength; roles.len()];
    // Games of good play are often longer or shorter than those of random play.
    let most = (3.0 * effort * GAMES / budget.nanoseconds_per_state) as u64;
    let games = budget.games;
    let played = contest.play(0, 4 * games, most, &|_| all(weak))?;
    given.verdict.self_play.push(SelfPlay::of_games(weak, &roles, &played.games));
    given.weak = played.games;
    let most = most.saturating_sub(played.states);
    let played = contest.play(4 * games, games, most, &|_| all(strong))?;
    given.verdict.self_play.push(SelfPlay::of_games(strong, &roles, &played.games));
    given.strong = played.games;
    let most = most.saturating_sub(played.states);
    if teams.len() > 1 {
        let duel = |first: u64, count: u64, most: u64, strengths: [Strength; 2]| {
            let team = |number: u64| (number % teams.len() as u64) as usize;
            let seats = |number: u64| {
                let own = &teams[team(number)];
                (0..roles.len()).map(|role| strengths[usize::from(!own.contains(&role))]).collect()
            };
            let played = contest.play(first, count, most, &seats)?;
            let numbered = (first..).map(team).zip(played.games).collect::<Vec<_>>();
            Ok::<_, SearchError>((Duel::new(strengths, teams, &numbered), played.states))
        };
        let (found, states) = duel(6 * games, games, most, [strong, weak])?;
        given.verdict.more_search = found;
        let most = most.saturating_sub(states);
        given.verdict.against_random = duel(8 * games, games, most, [weak, Strength::Random])?.0;
    }
    let states = (FIRST_MOVE_SHARE * budget.states as f64) as u64;
    let solved = given.verdict.best_play.as_ref().filter(|best| best.solved && !best.means);
    given.verdict.first_moves =
        first_moves(&contest, &roles, states, solved.map(|best| best.states.max(1000)))?;
    if interrupted() {
        given.verdict.notes.push("interrupted: fewer games were played".to_owned());
    }
    Ok(given)
}

//! The verdict: all its parts, and the order in which they are made.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::{Game, GameAnalysis, Plan};
use crate::gdl::information::Information;
use crate::search::SearchError;
use crate::simulate::WorkLimit;

use super::best_play::{BestPlay, best_play};
use super::contest::Contest;
use super::endings::{GameEndings, endings};
use super::first_moves::{FirstMoves, first_moves};
use super::helps::{Help, candidates, helps};
use super::match_budget::{MatchBudget, STRONG_SHARE};
use super::move_kinds::{MoveKinds, move_kinds};
use super::played_game::{PlayedGame, typical};
use super::quality::{QualityMeasure, QualitySources, quality};
use super::random_games::RandomGames;
use super::self_play::{Duel, SelfPlay};
use super::strength::Strength;
use super::winning::{WinningCondition, winning_conditions};

/// Processor time for games with effort 1, in nanoseconds. It is estimated from counted work, so that results
/// do not depend on the computer.
const GAMES_NANOSECONDS: f64 = 3e9;

/// Processor time to solve the game with effort 1, in nanoseconds for each role and method, estimated in the
/// same manner.
const SOLVING_NANOSECONDS: f64 = 1.5e8;

/// The most feature values that are computed for [`Verdict::helps`].
const HELP_WORK: u64 = 1_000_000;

/// The most random games whose states are kept.
const RANDOM_GAMES: u64 = 300;
/// Limits of the work with effort 1: of playing the random games, [`winning_conditions`], [`move_kinds`] and
/// [`endings`].
const RANDOM_WORK: f64 = 2e7;
const WINNING_WORK: f64 = 2e8;
const MOVE_WORK: f64 = 5e6;
const ENDING_WORK: f64 = 4e6;

/// The number of states in which the answers of the two searches are compared.
const COMPARED_STATES: usize = 64;

/// The most games of the weaker player against itself, and of each other kind.
const MOST_GAMES: [u64; 2] = [1000, 40];

/// The number of the first game of each kind. The number of a game selects its random choices, so kinds of
/// games must not share numbers. Kinds: the weaker player, the stronger one, both, and the weaker one against
/// random play.
const FIRST_NUMBERS: [u64; 4] = [0, 1 << 20, 2 << 20, 3 << 20];

/// Answers to the questions of someone who does not know the game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Verdict {
    /// How each role gets its best goal value, in words.
    pub winning: Vec<WinningCondition>,
    /// The moves in words.
    pub moves: MoveKinds,
    /// How random and good games end, and the rules that never fired.
    pub endings: GameEndings,
    /// Games between equal players: at random, then with a search, then with ten times the search.
    pub self_play: Vec<SelfPlay>,
    /// What best play brings; null if nothing was searched.
    pub best_play: Option<BestPlay>,
    /// The result of ten times the search against the search; null if it was not played, or if there is only one team.
    pub more_search: Option<Duel>,
    /// The result of the search against random play.
    pub against_random: Option<Duel>,
    /// The role that alone has a choice in the initial state; null if there is none.
    pub first_role: Option<String>,
    /// The values of the first moves; null if the first move is not a choice of one role.
    pub first_moves: Option<FirstMoves>,
    /// Features that predict the result halfway through games of the searches, the strongest first.
    pub helps: Vec<Help>,
    /// Measures of quality, in the order of [`MEASURES`](super::MEASURES); only those that the game allows.
    pub quality: Vec<QualityMeasure>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// The verdict, and the games from which it is computed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VerdictGames {
    /// The verdict.
    pub verdict: Verdict,
    /// Games of the stronger player against itself.
    pub strong: Vec<PlayedGame>,
    /// Games of the weaker player against itself.
    pub weak: Vec<PlayedGame>,
    /// Random games.
    pub random: Vec<PlayedGame>,
}

impl VerdictGames {
    /// A typical game of good play: of the stronger player if it played, otherwise of the weaker one.
    pub fn typical_game(&self) -> Option<&PlayedGame> {
        typical(&self.strong).or_else(|| typical(&self.weak))
    }
}

/// The parts of a verdict that need no games by search: how one wins, the moves, and the role that moves
/// first. The same plan and seed give the same result, unless it is interrupted.
pub fn begin_verdict(
    game: &Game<'_>,
    analysis: &GameAnalysis,
    plan: &Plan,
    effort: f64,
    interrupt: Option<&Arc<AtomicBool>>,
) -> VerdictGames {
    // Effort 0 plays no games by search, but these parts still get the work of effort 1.
    let limit = |work: f64| WorkLimit::new(interrupt).limited(Some((effort.max(1.0) * work) as u64));
    let max_steps = analysis.simulation.max_steps;
    let random = RandomGames { max_steps, seed: plan.seed, games: RANDOM_GAMES, ..RandomGames::default() };
    let random = random.play(game, &limit(RANDOM_WORK));
    let winning = winning_conditions(game, &analysis.structures, &[], &limit(WINNING_WORK));
    let moves = move_kinds(game, &analysis.structures, &random, &limit(MOVE_WORK));
    let cursor = game.machine.cursor();
    let roles = game.roles();
    let mut choosers = (0..roles.len()).filter(|&role| cursor.legal(role).len() > 1);
    let random_role = game.machine.description().random_role();
    let first_role = match (choosers.next(), choosers.next()) {
        (Some(role), None) if Some(role) != random_role => Some(roles[role].clone()),
        _ => None,
    };
    VerdictGames {
        verdict: Verdict { winning, moves, first_role, ..Verdict::default() },
        random,
        ..VerdictGames::default()
    }
}

/// Completes a verdict by games between searches. `effort` multiplies the limits of work; 0 plays no games. The same plan and
/// seed give the same verdict on any number of threads, unless it is interrupted.
///
/// # Errors
/// A state can't be evaluated.
pub fn give_verdict(
    mut given: VerdictGames,
    game: &Game<'_>,
    analysis: &GameAnalysis,
    plan: &Plan,
    effort: f64,
    interrupt: Option<&Arc<AtomicBool>>,
) -> Result<VerdictGames, SearchError> {
    let hidden = Information::of(game.machine.description()).hidden;
    if hidden {
        // A search sees the whole state, which no player does.
        given
            .verdict
            .self_play
            .push(SelfPlay::of_random_play(&analysis.simulation, &analysis.structures.teams));
        given.verdict.notes.push("games by search, which would see hidden moves".to_owned());
    } else if effort > 0.0 {
        match play_games(&mut given, game, analysis, plan, effort, interrupt) {
            // Searches go further than random play, so a state may outgrow a limit.
            Err(SearchError::Machine(error)) if error.is_of_growth() => {
                given.verdict.notes.push(format!("games by search: {error}"));
            }
            played => played?,
        }
    } else {
        given
            .verdict
            .self_play
            .push(SelfPlay::of_random_play(&analysis.simulation, &analysis.structures.teams));
    }
    let limit = WorkLimit::new(interrupt).limited(Some((effort.max(1.0) * ENDING_WORK) as u64));
    let good = if given.strong.is_empty() { &given.weak } else { &given.strong };
    given.verdict.endings = endings(game, &analysis.structures, &given.random, good, &limit);
    Ok(given)
}

/// Plays games between searches, and computes the parts of the verdict that use them.
fn play_games(
    given: &mut VerdictGames,
    game: &Game<'_>,
    analysis: &GameAnalysis,
    plan: &Plan,
    effort: f64,
    interrupt: Option<&Arc<AtomicBool>>,
) -> Result<(), SearchError> {
    let machine = game.machine;
    let teams = &analysis.structures.teams;
    given.verdict.self_play.push(SelfPlay::of_random_play(&analysis.simulation, &analysis.structures.teams));
    let interrupted = || interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
    if interrupted() {
        return Ok(());
    }
    given.verdict.best_play = best_play(machine, teams, effort * SOLVING_NANOSECONDS, interrupt)?;
    // The search has the strength that effort 1 allows, and more effort plays more games, so that measures
    // can be compared. If effort 1 allows no games, all the effort goes into the search.
    let budget = [effort.min(1.0), effort].into_iter().find_map(|effort| {
        MatchBudget::new(machine, &analysis.simulation, effort * GAMES_NANOSECONDS, interrupt)
    });
    let Some(budget) = budget else {
        given.verdict.notes.push("games by search, which would take too long".to_owned());
        return Ok(());
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
    let roles = game.roles();
    let strong = Season { contest: &contest, budget, effort, roles: &roles }.play(given)?;
    let found = candidates(&analysis.features.features, &analysis.structures, &roles);
    let played: Vec<&PlayedGame> = given.weak.iter().chain(&given.strong).collect();
    let work_limit = WorkLimit::new(interrupt).limited(Some(HELP_WORK));
    given.verdict.helps = helps(machine, &found, (&roles, teams), &played, &work_limit)?;
    let states = strong.unwrap_or(budget.weak);
    let solved = given.verdict.best_play.as_ref().filter(|best| best.solved && !best.means);
    let nodes = solved.map(|best| best.states.max(1000));
    given.verdict.first_moves = first_moves(&contest, &roles, states, nodes)?;
    let searched: Vec<&PlayedGame> = given.strong.iter().collect();
    let agreement = contest.agreement(&searched, Strength::Search(budget.weak), COMPARED_STATES)?;
    let games: Vec<&PlayedGame> = given.weak.iter().collect();
    let Verdict { more_search, against_random, best_play, .. } = &given.verdict;
    given.verdict.quality = quality(&QualitySources {
        machine,
        teams,
        random_play: &analysis.simulation,
        games: &games,
        more_search: more_search.as_ref(),
        against_random: against_random.as_ref(),
        best_play: best_play.as_ref(),
        agreement,
    });
    if interrupted() {
        given.verdict.notes.push("interrupted: fewer games were played".to_owned());
    }
    Ok(())
}

/// The games between searches: of each strength against itself, between the strengths, and against random play.
struct Season<'a> {
    contest: &'a Contest<'a>,
    budget: MatchBudget,
    effort: f64,
    roles: &'a [String],
}

impl Season<'_> {
    /// Plays all games; returns the states for each move of the stronger player, if it played.
    fn play(&self, given: &mut VerdictGames) -> Result<Option<u64>, SearchError> {
        let (contest, roles) = (self.contest, self.roles);
        let weak = Strength::Search(self.budget.weak);
        let all = |strength: Strength| vec![strength; roles.len()];
        let [many, some] = MOST_GAMES.map(|games| (games as f64 * self.effort.max(1.0)) as u64);
        let played = contest.play(0, many, self.most_states(0.25), &|_| all(weak))?;
        given.verdict.self_play.push(SelfPlay::of_games(weak, roles, contest.teams, &played.games));
        let weaker = played.states as f64 / played.games.len().max(1) as f64;
        given.weak = played.games;
        let strong = self.budget.strong(weaker, self.effort * GAMES_NANOSECONDS);
        let several = contest.teams.len() > 1;
        match strong.map(Strength::Search) {
            Some(strong) => {
                let most = self.most_states(STRONG_SHARE);
                let played = contest.play(FIRST_NUMBERS[1], some, most, &|_| all(strong))?;
                given.verdict.self_play.push(SelfPlay::of_games(strong, roles, contest.teams, &played.games));
                given.strong = played.games;
                if several {
                    given.verdict.more_search = self.duel(FIRST_NUMBERS[2], some, 0.25, [strong, weak])?;
                }
            }
            None => {
                let note = "games of ten times the search, which would take too long";
                given.verdict.notes.push(note.to_owned());
            }
        }
        if several {
            given.verdict.against_random =
                self.duel(FIRST_NUMBERS[3], some, 0.1, [weak, Strength::Random])?;
        }
        Ok(strong)
    }

    /// The states that the searches of one kind of games may visit, for a share of the work.
    fn most_states(&self, share: f64) -> u64 {
        (share * self.effort * GAMES_NANOSECONDS / self.budget.nanoseconds_per_state) as u64
    }

    /// Games in which one team has the first strength and all others the second.
    fn duel(
        &self,
        first: u64,
        count: u64,
        share: f64,
        strengths: [Strength; 2],
    ) -> Result<Option<Duel>, SearchError> {
        let teams = self.contest.teams;
        let team = |number: u64| (number % teams.len() as u64) as usize;
        let seats = |number: u64| {
            let own = &teams[team(number)];
            (0..self.roles.len()).map(|role| strengths[usize::from(!own.contains(&role))]).collect()
        };
        let played = self.contest.play(first, count, self.most_states(share), &seats)?;
        let numbered: Vec<_> = played.numbers.iter().copied().map(team).zip(played.games).collect();
        Ok(Duel::new(strengths, teams, &numbered))
    }
}

//! The summary of a tournament: a function of its plan and results.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::statistics::interval::{Mean, mean_of_counts, wilson_of};
use crate::statistics::ratings::{PairResult, Rating, ratings};
use crate::statistics::{Sequential, SprtVerdict};

use super::cell::Cells;
use super::plan::Plan;
use super::played::{Outcome, PlayedMatch};
use super::schedule::{Fixture, Schedule};

/// The summary of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Summary {
    /// Matches that count.
    pub matches: u64,
    /// Greatest number of remaining matches.
    pub left: u64,
    /// The players, strongest first.
    pub standings: Vec<Standing>,
    /// Each pairing of two different players over all games, in the order of the plan.
    pub pairings: Vec<Pairing>,
    /// Each pairing of two different players in each game.
    pub games: Vec<Pairing>,
    /// Each role of each game of several roles: first for all players together, then for each player.
    pub roles: Vec<RoleResult>,
    /// Each player in each game of one role.
    pub alone: Vec<SoloResult>,
    /// Matches without a result.
    pub unfinished: Vec<Unfinished>,
}

/// A player's results in all its matches.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Standing {
    /// Its line.
    pub player: String,
    /// Its strength in matches of several roles.
    pub rating: Rating,
    /// Those matches.
    pub score: Score,
    /// All matches, including those of one role.
    pub side: Side,
}

/// Matches of several roles, from the point of view of one of two players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Score {
    /// Matches with a result.
    pub matches: u64,
    /// Matches with a score above one half.
    pub wins: u64,
    /// Matches with a score of one half.
    pub draws: u64,
    /// Matches with a score below one half.
    pub losses: u64,
    /// Sum of the scores, each from 0 to 1: in games of two roles a win counts 1 and a draw 0.5.
    pub points: f64,
    /// Their mean; 0 without a match.
    pub score: f64,
    /// Lower end of its Wilson interval at 95 %.
    pub low: f64,
    /// Upper end of its Wilson interval at 95 %.
    pub high: f64,
}

/// Goals and faults of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Side {
    /// Mean goal value of its roles, from 0 to 100, with Student's interval at 95 %; null without a match.
    pub goal: Option<Mean>,
    /// Late moves; random ones were played instead.
    pub late: u64,
    /// Missing or illegal moves; random ones were played instead.
    pub illegal: u64,
}

/// The results of two players against each other.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Pairing {
    /// The game; null for all games.
    pub game: Option<String>,
    /// The two players.
    pub players: [String; 2],
    /// The score of the first player.
    pub score: Score,
    /// By how much the first player is stronger.
    pub elo: EloDifference,
    /// Goals and faults of each player.
    pub sides: [Side; 2],
    /// The sequential test, if there is one.
    pub sprt: Option<SprtResult>,
}

/// The difference in Elo for a score, with the ends of its interval; null if it has no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct EloDifference {
    /// Of the score; null for a score of 0 or 1.
    pub elo: Option<f64>,
    /// Of the lower end.
    pub low: Option<f64>,
    /// Of the upper end.
    pub high: Option<f64>,
}

/// The result of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SprtResult {
    /// Its verdict about the first player.
    pub verdict: SprtVerdict,
    /// The number of rounds it needed, or has seen so far.
    pub rounds: u32,
    /// Log-likelihood ratios for the first and for the second player being better.
    pub ratios: [f64; 2],
}

/// A player's results in a game of one role.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Alone")]
pub struct SoloResult {
    /// The game.
    pub game: String,
    /// The player's line.
    pub player: String,
    /// Matches with a result.
    pub matches: u64,
    /// Goals and faults.
    pub side: Side,
    /// Mean number of moves of the matches with the best goal value that was reached; null without one.
    pub steps: Option<f64>,
}

/// The results of a role in a game, for all players or for one of them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RoleResult {
    /// The game.
    pub game: String,
    /// The role.
    pub role: String,
    /// The line of the player that had the role; null for all players.
    pub player: Option<String>,
    /// The score of the role against the other roles, whichever players had them.
    pub score: Score,
    /// The mean goal value of the role, from 0 to 100, with Student's interval at 95 %; null without a match.
    pub goal: Option<Mean>,
}

/// A match without a result.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Unfinished {
    /// Its number.
    pub number: u64,
    /// The game.
    pub game: String,
    /// The players' lines, in the order of the roles.
    pub players: Vec<String>,
    /// The reason.
    pub why: String,
}

/// A running count of goals and faults.
#[derive(Clone, Default)]
struct SideTally {
    goals: BTreeMap<i32, u64>,
    late: u64,
    illegal: u64,
}

impl SideTally {
    fn add(&mut self, fixture: &Fixture, played: &PlayedMatch, player: usize) {
        for (role, _) in fixture.players.iter().enumerate().filter(|&(_, &of)| of == Some(player)) {
            self.late += u64::from(played.late[role]);
            self.illegal += u64::from(played.illegal[role]);
            if let Outcome::Ended(goals) = &played.outcome {
                *self.goals.entry(goals[role]).or_default() += 1;
            }
        }
    }

    fn side(&self) -> Side {
        Side { goal: mean_of_counts(&self.goals), late: self.late, illegal: self.illegal }
    }
}

impl Score {
    fn add(&mut self, score: f64) {
        self.matches += 1;
        self.points += score;
        match score {
            s if s > 0.5 => self.wins += 1,
            s if s < 0.5 => self.losses += 1,
            _ => self.draws += 1,
        }
    }

    fn with_interval(self) -> Score {
        let score = if self.matches == 0 { 0.0 } else { self.points / self.matches as f64 };
        let [low, high] = wilson_of(score, self.matches);
        Score { score, low, high, ..self }
    }
}

impl EloDifference {
    /// The difference for a score with its interval.
    pub fn of(score: &Score) -> EloDifference {
        let elo = |share: f64| (0.0 < share && share < 1.0).then(|| 400.0 * (share / (1.0 - share)).log10());
        let known = score.matches > 0;
        EloDifference {
            elo: elo(score.score).filter(|_| known),
            low: elo(score.low).filter(|_| known),
            high: elo(score.high).filter(|_| known),
        }
    }
}

/// A running count of a pairing, in one game or in all.
#[derive(Clone, Default)]
struct PairTally {
    score: Score,
    sides: [SideTally; 2],
}

impl PairTally {
    fn pairing(
        &self,
        plan: &Plan,
        game: Option<usize>,
        pair: [usize; 2],
        test: Option<&Sequential>,
    ) -> Pairing {
        let score = self.score.with_interval();
        Pairing {
            game: game.map(|game| plan.games[game].name.clone()),
            players: pair.map(|player| plan.players[player].line.clone()),
            score,
            elo: EloDifference::of(&score),
            sides: [self.sides[0].side(), self.sides[1].side()],
            sprt: test.map(|test| SprtResult {
                verdict: test.verdict(),
                rounds: test.rounds,
                ratios: test.ratios,
            }),
        }
    }
}

/// The results that count, with their positions, and the state of the tests.
pub(super) fn counted<'p>(
    plan: &Plan,
    played: &'p BTreeMap<u64, PlayedMatch>,
) -> (Cells, Vec<(Fixture, &'p PlayedMatch)>) {
    let schedule = Schedule::new(plan);
    let mut cells = Cells::new(plan, &schedule);
    let all = played.iter().map(|(&number, played)| (schedule.fixture(number), played));
    let mut all: Vec<(Fixture, &PlayedMatch)> = all.collect();
    all.iter().for_each(|(fixture, played)| cells.add(plan, fixture, played));
    all.retain(|(fixture, _)| cells.counts(&fixture.place));
    (cells, all)
}

/// The course of a sequential test.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// The game.
    pub game: String,
    /// The two players.
    pub players: [String; 2],
    /// The result of the test.
    pub verdict: SprtVerdict,
    /// After each round the log-likelihood ratios for the first and for the second player being better.
    pub ratios: Vec<[f64; 2]>,
}

impl Course {
    /// The courses of all pairings with results, in the order of the games and of the plan.
    pub(super) fn all(plan: &Plan, played: &BTreeMap<u64, PlayedMatch>) -> Vec<Course> {
        let (cells, _) = counted(plan, played);
        let places =
            (0..plan.games.len()).flat_map(|game| (0..plan.pairings.len()).map(move |pair| (game, pair)));
        let of = |(game, pair): (usize, usize)| {
            let test = cells.test(game, pair)?;
            Some(Course {
                game: plan.games[game].name.clone(),
                players: plan.pairings[pair].map(|player| plan.players[player].line.clone()),
                verdict: test.verdict(),
                ratios: cells.course(game, pair).to_vec(),
            })
        };
        places.filter_map(of).filter(|course| !course.ratios.is_empty()).collect()
    }
}

impl Summary {
    /// The summary of these results. Matches after the round that decided a pairing's test do not count.
    pub(super) fn new(plan: &Plan, played: &BTreeMap<u64, PlayedMatch>) -> Summary {
        let schedule = Schedule::new(plan);
        let (cells, counted) = counted(plan, played);
        let open = |&number: &u64| !played.contains_key(&number) && cells.counts(&schedule.place(number));
        let left = (0..schedule.len()).filter(open).count() as u64;
        let mut totals = vec![PairTally::default(); plan.pairings.len()];
        let mut by_game = vec![totals.clone(); plan.games.len()];
        let mut players = vec![(Score::default(), SideTally::default()); plan.players.len()];
        for (fixture, played) in &counted {
            for (player, (score, side)) in players.iter_mut().enumerate() {
                side.add(fixture, played, player);
                let met = fixture.place.pairing.is_some() && fixture.players.contains(&Some(player));
                if let Some(points) = played.score(fixture, player).filter(|_| met) {
                    score.add(points);
                }
            }
            let Some(pairing) = fixture.place.pairing else { continue };
            let pair = plan.pairings[pairing];
            if pair[0] == pair[1] {
                continue;
            }
            for tally in [&mut totals[pairing], &mut by_game[fixture.place.game][pairing]] {
                if let Some(points) = played.score(fixture, pair[0]) {
                    tally.score.add(points);
                }
                for (side, player) in tally.sides.iter_mut().zip(pair) {
                    side.add(fixture, played, player);
                }
            }
        }
        let meeting = |(tally, &players): (&PairTally, &[usize; 2])| PairResult {
            players,
            points: tally.score.points,
            games: tally.score.matches as f64,
        };
        let rated =
            ratings(plan.players.len(), &totals.iter().zip(&plan.pairings).map(meeting).collect::<Vec<_>>());
        let standing = |(number, (score, side)): (usize, &(Score, SideTally))| Standing {
            player: plan.players[number].line.clone(),
            rating: rated[number],
            score: score.with_interval(),
            side: side.side(),
        };
        let mut standings: Vec<Standing> = players.iter().enumerate().map(standing).collect();
        standings.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
        let several = (0..plan.games.len()).filter(|&game| plan.games[game].seats() > 1);
        let pairs = || plan.pairings.iter().copied().enumerate().filter(|(_, [one, other])| one != other);
        Summary {
            matches: counted.len() as u64,
            left,
            standings,
            pairings: pairs().map(|(number, pair)| totals[number].pairing(plan, None, pair, None)).collect(),
            games: several
                .flat_map(|game| pairs().map(move |(number, pair)| (game, number, pair)))
                .map(|(game, number, pair)| {
                    by_game[game][number].pairing(plan, Some(game), pair, cells.test(game, number))
                })
                .collect(),
            roles: role_results(plan, &counted),
            alone: alone(plan, &counted),
            unfinished: counted.iter().filter_map(|(_, played)| unfinished(played)).collect(),
        }
    }
}

/// The sort key of players: the rating or its limit, otherwise the score, on the same scale.
fn strength(standing: &Standing) -> f64 {
    match standing.rating {
        Rating::Estimate { elo, .. } | Rating::Above { low: elo } | Rating::Below { high: elo } => elo,
        Rating::NotEstimable => {
            let share = standing.score.score.clamp(0.001, 0.999);
            if standing.score.matches == 0 {
                f64::NEG_INFINITY
            } else {
                400.0 * (share / (1.0 - share)).log10()
            }
        }
    }
}

/// The results of each role in games of several roles. Players of no pairing are left out.
fn role_results(plan: &Plan, counted: &[(Fixture, &PlayedMatch)]) -> Vec<RoleResult> {
    let is_paired = |player: &usize| plan.pairings.iter().flatten().any(|of| of == player);
    let players: Vec<usize> = (0..plan.players.len()).filter(is_paired).collect();
    let mut all = Vec::new();
    for (game, of) in plan.games.iter().enumerate().filter(|(_, game)| game.seats() > 1) {
        let matches: Vec<&(Fixture, &PlayedMatch)> =
            counted.iter().filter(|(fixture, _)| fixture.place.game == game).collect();
        for (role, name) in of.roles.iter().enumerate().filter(|&(role, _)| of.chance != Some(role)) {
            let chosen = std::iter::once(None).chain(players.iter().copied().map(Some));
            all.extend(chosen.map(|player| {
                let (mut score, mut goals) = (Score::default(), BTreeMap::new());
                let is_meant = |fixture: &Fixture| player.is_none() || fixture.players[role] == player;
                for (fixture, played) in matches.iter().filter(|(fixture, _)| is_meant(fixture)) {
                    if let Outcome::Ended(values) = &played.outcome {
                        *goals.entry(values[role]).or_default() += 1;
                    }
                    if let Some(points) = played.role_score(fixture, role) {
                        score.add(points);
                    }
                }
                RoleResult {
                    game: of.name.clone(),
                    role: name.clone(),
                    player: player.map(|player| plan.players[player].line.clone()),
                    score: score.with_interval(),
                    goal: mean_of_counts(&goals),
                }
            }));
        }
    }
    all
}

fn alone(plan: &Plan, counted: &[(Fixture, &PlayedMatch)]) -> Vec<SoloResult> {
    let mut all = Vec::new();
    for (game, of) in plan.games.iter().enumerate().filter(|(_, game)| game.seats() == 1) {
        let role = usize::from(of.chance == Some(0));
        for (player, who) in plan.players.iter().enumerate() {
            let own = || {
                counted.iter().filter(|(fixture, _)| {
                    fixture.place.game == game && fixture.players[role] == Some(player)
                })
            };
            let mut side = SideTally::default();
            own().for_each(|(fixture, played)| side.add(fixture, played, player));
            let best = side.goals.last_key_value().map(|(&goal, _)| goal);
            let reached = |played: &PlayedMatch| matches!(&played.outcome, Outcome::Ended(goals) if Some(goals[role]) == best);
            let steps: Vec<u32> =
                own().filter(|(_, played)| reached(played)).map(|(_, played)| played.steps).collect();
            let mean = || f64::from(steps.iter().sum::<u32>()) / steps.len() as f64;
            all.push(SoloResult {
                game: of.name.clone(),
                player: who.line.clone(),
                matches: side.goals.values().sum(),
                side: side.side(),
                steps: (!steps.is_empty()).then(mean),
            });
        }
    }
    all
}

fn unfinished(played: &PlayedMatch) -> Option<Unfinished> {
    let Outcome::Unfinished(why) = &played.outcome else { return None };
    let (number, game, players) = (played.number, played.game.clone(), played.players.clone());
    Some(Unfinished { number, game, players, why: why.clone() })
}

//! The results of games between equal players, and of games between players of different strength.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::simulate::{Lengths, OutcomeCount, Statistics};
use crate::statistics::interval::{Mean, Share, mean_of_counts, wilson, wilson_of};

use super::played_game::PlayedGame;
use super::strength::Strength;

/// The results of games in which every role is played with the same strength.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SelfPlay {
    /// The strength of all players.
    pub strength: Strength,
    /// The number of games.
    pub games: u64,
    /// Games without a result: cut off by the step limit, without a legal move, or without a single goal value for a player (a
    /// role other than `random`).
    pub unfinished: u64,
    /// Games in which all players had the same goal value, as a share of those with a result. Always 0 with one player.
    pub draws: Share,
    /// The result of each role, in the order of the rules.
    pub roles: Vec<RoleResult>,
    /// The lengths of the games in joint moves; null without a game.
    pub length: Option<Lengths>,
}

/// The result of a role.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RoleResult {
    /// The role.
    pub role: String,
    /// Games that the role won, as a share of those with a result. A role wins if its goal value is the highest and not all
    /// players have it; a single player wins with 100.
    pub wins: Share,
    /// The mean goal value; null without a result.
    pub goal: Option<Mean>,
}

/// The result of a team against teams of another strength.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Duel {
    /// The strength of the team.
    pub strength: Strength,
    /// The strength of all other teams.
    pub against: Strength,
    /// The number of games with a result. Each team has the first strength equally often, within one game.
    pub games: u64,
    /// Games in which its goal value was higher than those of all other teams.
    pub won: u64,
    /// Games in which it shared the highest goal value.
    pub drawn: u64,
    /// All other games.
    pub lost: u64,
    /// (won + drawn / 2) / games, from 0 to 1.
    pub score: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The mean goal value of the team; null without a result.
    pub goal: Option<Mean>,
}

impl SelfPlay {
    /// The results of random play, in which roles form `teams`.
    pub(super) fn of_random_play(random_play: &Statistics, teams: &[Vec<usize>]) -> SelfPlay {
        let of_role = |role: &crate::simulate::RoleStatistics| RoleResult {
            role: role.role.clone(),
            wins: role.wins,
            goal: role.goal_mean,
        };
        let is_decided = |of: &&OutcomeCount| teams.iter().flatten().all(|&role| of.goals[role].is_some());
        let decided = random_play.outcomes.iter().filter(is_decided);
        let decided: u64 = decided.map(|of| of.playouts).sum::<u64>() + random_play.other_outcomes;
        SelfPlay {
            strength: Strength::Random,
            games: random_play.playouts,
            unfinished: random_play.playouts.saturating_sub(decided),
            draws: random_play.draws,
            roles: random_play.roles.iter().map(of_role).collect(),
            length: random_play.length,
        }
    }

    /// The results of games between equal players, which form `teams`.
    pub(super) fn of_games(
        strength: Strength,
        roles: &[String],
        teams: &[Vec<usize>],
        games: &[PlayedGame],
    ) -> SelfPlay {
        let results: Vec<(&PlayedGame, Vec<i32>)> =
            games.iter().filter_map(|game| Some((game, game.team_goals(teams)?))).collect();
        let decided = results.len() as u64;
        let players = teams.iter().map(Vec::len).sum::<usize>();
        let level = |(_, goals): &&(&PlayedGame, Vec<i32>)| {
            players > 1 && goals.windows(2).all(|pair| pair[0] == pair[1])
        };
        let of_role = |(role, name): (usize, &String)| {
            let mut counts: BTreeMap<i32, u64> = BTreeMap::new();
            for goal in results.iter().filter_map(|(game, _)| game.goals[role]) {
                *counts.entry(goal).or_default() += 1;
            }
            let team = teams.iter().position(|team| team.contains(&role));
            let wins = |team: usize| results.iter().filter(|(_, goals)| won(goals, team, players)).count();
            let wins = team.map_or(0, wins) as u64;
            RoleResult { role: name.clone(), wins: wilson(wins, decided), goal: mean_of_counts(&counts) }
        };
        SelfPlay {
            strength,
            games: games.len() as u64,
            unfinished: games.len() as u64 - decided,
            draws: wilson(results.iter().filter(level).count() as u64, decided),
            roles: roles.iter().enumerate().map(of_role).collect(),
            length: lengths(games),
        }
    }
}

impl Duel {
    /// The results of `games`, each with the index of the team that has the first strength; the others have the second.
    pub(super) fn new(
        [strength, against]: [Strength; 2],
        teams: &[Vec<usize>],
        games: &[(usize, PlayedGame)],
    ) -> Option<Duel> {
        let mut counts = [0u64; 3];
        let mut goals: BTreeMap<i32, u64> = BTreeMap::new();
        for (team, game) in games {
            let Some(result) = game.team_goals(teams) else { continue };
            let own = result[*team];
            let others = result.iter().enumerate().filter(|(other, _)| other != team);
            let best = others.map(|(_, &goal)| goal).max();
            *goals.entry(own).or_default() += 1;
            match Some(own).cmp(&best) {
                std::cmp::Ordering::Greater => counts[0] += 1,
                std::cmp::Ordering::Equal => counts[1] += 1,
                std::cmp::Ordering::Less => counts[2] += 1,
            }
        }
        let [won, drawn, lost] = counts;
        let games = won + drawn + lost;
        if games == 0 {
            return None;
        }
        let score = (won as f64 + drawn as f64 / 2.0) / games as f64;
        let [low, high] = wilson_of(score, games);
        Some(Duel {
            strength,
            against,
            games,
            won,
            drawn,
            lost,
            score,
            low,
            high,
            goal: mean_of_counts(&goals),
        })
    }
}

/// Whether a team of a game with that number of players won, by the goal values of the teams.
fn won(goals: &[i32], team: usize, players: usize) -> bool {
    match goals {
        [goal] if players == 1 => *goal == 100,
        _ => {
            let best = goals.iter().max();
            best == goals.get(team) && goals.iter().any(|goal| Some(goal) != best)
        }
    }
}

/// The lengths of games.
fn lengths(games: &[PlayedGame]) -> Option<Lengths> {
    let mut sorted: Vec<u32> = games.iter().map(|game| game.moves.len() as u32).collect();
    sorted.sort_unstable();
    // The smallest length that at least this share of the games does not exceed.
    let quantile = |share: f64| {
        let rank = (share * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied()
    };
    Some(Lengths {
        mean: sorted.iter().map(|&length| f64::from(length)).sum::<f64>() / sorted.len() as f64,
        min: *sorted.first()?,
        p5: quantile(0.05)?,
        p25: quantile(0.25)?,
        median: quantile(0.5)?,
        p75: quantile(0.75)?,
        p95: quantile(0.95)?,
        max: *sorted.last()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(length: usize, goals: &[i32]) -> PlayedGame {
        PlayedGame {
            moves: vec![Vec::new(); length],
            states: Vec::new(),
            estimates: Vec::new(),
            ended: true,
            stuck: false,
            goals: goals.iter().copied().map(Some).collect(),
        }
    }

    #[test]
    fn games_are_counted() {
        let games = [game(3, &[100, 0]), game(5, &[50, 50]), game(4, &[0, 100]), game(9, &[100, 0])];
        let roles = ["x".to_owned(), "o".to_owned()];
        let found = SelfPlay::of_games(Strength::Search(10), &roles, &[vec![0], vec![1]], &games);
        assert_eq!([found.games, found.unfinished, found.draws.count], [4, 0, 1]);
        assert_eq!([found.roles[0].wins.count, found.roles[1].wins.count], [2, 1]);
        let length = found.length.expect("there are games");
        assert_eq!([length.min, length.p25, length.median, length.p75, length.max], [3, 3, 4, 5, 9]);
    }

    #[test]
    fn a_duel_counts_from_the_view_of_the_team() {
        let games = vec![
            (0, game(1, &[100, 0])),
            (1, game(1, &[100, 0])),
            (1, game(1, &[50, 50])),
            (0, game(1, &[100, 0])),
        ];
        let strengths = [Strength::Search(10), Strength::Random];
        let duel = Duel::new(strengths, &[vec![0], vec![1]], &games).expect("there are games");
        assert_eq!([duel.won, duel.drawn, duel.lost], [2, 1, 1]);
        assert!((duel.score - 0.625).abs() < 1e-12);
    }
}

//! Measures of a game's quality, from games of searches.
//!
//! # Source
//! Browne, "Automatic Generation and Evaluation of Recombination Games", 2008 (balance, completion, decisiveness, drama,
//! drawishness, duration, lead change); the evaluation metrics of Ludii and the reports of Ai Ai (coverage, branching,
//! decision moves, opening variety). Definitions are our own where the sources differ; [`MEASURES`] has them.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::machine::{FluentId, Machine, MoveId};
use crate::simulate::Statistics;
use crate::statistics::interval::{student, wilson_of};

use super::best_play::BestPlay;
use super::played_game::PlayedGame;
use super::self_play::Duel;

/// A measure's name and definition.
pub struct MeasureEntry {
    /// The name in documents.
    pub name: &'static str,
    /// The definition, as a sentence.
    pub definition: &'static str,
    /// Where the idea comes from.
    pub source: &'static str,
}

/// All measures, in the order of documents.
pub const MEASURES: [MeasureEntry; 15] = [
    MeasureEntry {
        name: "balance",
        definition: "1 - |2 s - 1|, where s is the first player's score in games of equal searches; 1 is fair.",
        source: "Browne 2008",
    },
    MeasureEntry {
        name: "first-player-advantage",
        definition: "The first player's score in games of equal searches, minus one half.",
        source: "Browne 2008",
    },
    MeasureEntry {
        name: "drawishness",
        definition: "The share of draws in games of equal searches.",
        source: "Browne 2008",
    },
    MeasureEntry {
        name: "completion",
        definition: "The share of games of equal searches that end with a result before the step limit.",
        source: "Browne 2008",
    },
    MeasureEntry {
        name: "length",
        definition: "The mean number of joint moves of games of equal searches.",
        source: "Browne 2008 (duration)",
    },
    MeasureEntry {
        name: "branching",
        definition: "The mean number of legal moves of a role at its turns in random play.",
        source: "Ludii (branching factor)",
    },
    MeasureEntry {
        name: "decision-moves",
        definition: "The share of joint moves in games of equal searches in which a role has a choice.",
        source: "Ludii (decision moves)",
    },
    MeasureEntry {
        name: "drama",
        definition: "How far eventual winners are behind: the mean over decided games of the greatest deficit of the winner's expected score, from 0 to 1.",
        source: "Browne 2008",
    },
    MeasureEntry {
        name: "lead-changes",
        definition: "How often the leader, by expected score, changes in a game of equal searches.",
        source: "Browne 2008",
    },
    MeasureEntry {
        name: "decisiveness",
        definition: "The share of a decided game that remains once the winner's expected score stays above 0.8.",
        source: "Browne 2008",
    },
    MeasureEntry {
        name: "clarity",
        definition: "The share of searches of the stronger player that the weaker player's search of the same state would have answered with the same move.",
        source: "Thompson 2000 (clarity)",
    },
    MeasureEntry {
        name: "coverage",
        definition: "The share of changing facts (those that changed in some game) that change in a game of equal searches.",
        source: "Ludii (board coverage)",
    },
    MeasureEntry {
        name: "skill-depth",
        definition: "The number of strengths, of random play, a search and ten times the search, that each score at least 0.6 against the one below.",
        source: "Ai Ai (skill trace)",
    },
    MeasureEntry {
        name: "opening-variety",
        definition: "The probability that two games of equal searches differ in their first two turns.",
        source: "Ai Ai (opening moves)",
    },
    MeasureEntry {
        name: "puzzle-difficulty",
        definition: "For one player, -log10 of the share of random games that reach the best goal value; half a game is added to their number.",
        source: "Ludii (puzzle concepts)",
    },
];

/// A measure of a game.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct QualityMeasure {
    /// The name.
    pub name: &'static str,
    /// The value.
    pub value: f64,
    /// Lower end of its 95 % interval; null if it has none.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The number of games that it rests on.
    pub games: u64,
}

/// What the measures are computed from.
pub(super) struct QualitySources<'a> {
    pub(super) machine: &'a dyn Machine,
    pub(super) teams: &'a [Vec<usize>],
    pub(super) random_play: &'a Statistics,
    /// Games of the weaker player against itself, the most numerous ones.
    pub(super) games: &'a [&'a PlayedGame],
    pub(super) more_search: Option<&'a Duel>,
    pub(super) against_random: Option<&'a Duel>,
    pub(super) best_play: Option<&'a BestPlay>,
    /// The share of equal answers of the two searches, and the number of states in which they were compared.
    pub(super) agreement: Option<(f64, u64)>,
}

/// All measures that the game allows, in the order of [`MEASURES`].
pub(super) fn quality(sources: &QualitySources<'_>) -> Vec<QualityMeasure> {
    MEASURES.iter().filter_map(|entry| sources.measure(entry.name)).collect()
}

impl QualitySources<'_> {
    fn measure(&self, name: &'static str) -> Option<QualityMeasure> {
        match name {
            "balance" => {
                let (score, games) = self.first_player_score()?;
                let [low, high] = wilson_of(score, games);
                let of = |score: f64| 1.0 - (2.0 * score - 1.0).abs();
                let best = if low <= 0.5 && high >= 0.5 { 1.0 } else { of(low).max(of(high)) };
                Some(interval(name, of(score), of(low).min(of(high)), best, games))
            }
            "first-player-advantage" => {
                let (score, games) = self.first_player_score()?;
                let [low, high] = wilson_of(score, games);
                Some(interval(name, score - 0.5, low - 0.5, high - 0.5, games))
            }
            "drawishness" => {
                let results = self.results();
                if self.teams.len() < 2 || results.is_empty() {
                    return None;
                }
                let level = |goals: &&Vec<i32>| goals.windows(2).all(|pair| pair[0] == pair[1]);
                Some(share(name, results.iter().filter(level).count(), results.len()))
            }
            "completion" => match self.games.len() {
                0 => None,
                games => Some(share(name, self.results().len(), games)),
            },
            "length" => mean(name, self.games.iter().map(|game| game.moves.len() as f64)),
            "branching" => {
                let means: Vec<f64> =
                    self.random_play.roles.iter().filter_map(|role| role.branching.turn_mean).collect();
                let value = means.iter().sum::<f64>() / means.len().max(1) as f64;
                let games = self.random_play.playouts;
                (!means.is_empty()).then_some(QualityMeasure { name, value, low: None, high: None, games })
            }
            "decision-moves" => {
                let chosen = |estimates: &&Vec<Option<f64>>| estimates.iter().any(Option::is_some);
                let played = self.games.iter().filter(|game| !game.moves.is_empty());
                mean(
                    name,
                    played.map(|game| {
                        game.estimates.iter().filter(chosen).count() as f64 / game.moves.len() as f64
                    }),
                )
            }
            "drama" | "lead-changes" | "decisiveness" => self.course(name),
            "clarity" => {
                let (value, states) = self.agreement?;
                let [low, high] = wilson_of(value, states);
                Some(interval(name, value, low, high, states))
            }
            "coverage" => self.coverage(name),
            "skill-depth" => {
                let steps = [self.against_random?, self.more_search?];
                let value = steps.iter().take_while(|duel| duel.score >= 0.6).count() as f64;
                let sure = |of: &dyn Fn(&Duel) -> f64| {
                    steps.iter().take_while(|duel| of(duel) >= 0.6).count() as f64
                };
                let games = steps.iter().map(|duel| duel.games).sum();
                Some(interval(name, value, sure(&|duel| duel.low), sure(&|duel| duel.high), games))
            }
            "opening-variety" => self.opening_variety(name),
            "puzzle-difficulty" => {
                let [only] = &self.random_play.roles[..] else { return None };
                let best = self.best_play.and_then(|best| best.values[0]);
                let best =
                    best.unwrap_or_else(|| f64::from(only.goals.last().map_or(100, |goal| goal.value)));
                let reached: u64 = only
                    .goals
                    .iter()
                    .filter(|goal| f64::from(goal.value) >= best)
                    .map(|goal| goal.share.count)
                    .sum();
                let games = self.random_play.playouts;
                let value = -((reached as f64 + 0.5) / (games as f64 + 1.0)).log10();
                Some(QualityMeasure { name, value, low: None, high: None, games })
            }
            _ => None,
        }
    }

    /// The measures of how the lead changes in decided games.
    fn course(&self, name: &'static str) -> Option<QualityMeasure> {
        match name {
            "drama" => mean(
                name,
                self.decided().map(|(leads, winner)| {
                    let behind = |lead: &Vec<f64>| (best_of_others(lead, winner) - lead[winner]).max(0.0);
                    leads.iter().map(behind).fold(0.0, f64::max)
                }),
            ),
            "lead-changes" => mean(
                name,
                self.decided().map(|(leads, _)| {
                    let leaders: Vec<usize> = leads.iter().filter_map(|lead| leader(lead)).collect();
                    leaders.windows(2).filter(|pair| pair[0] != pair[1]).count() as f64
                }),
            ),
            "decisiveness" => mean(
                name,
                self.decided().filter(|(leads, _)| !leads.is_empty()).map(|(leads, winner)| {
                    let certain = leads.iter().rev().take_while(|lead| lead[winner] >= 0.8).count();
                    certain as f64 / leads.len() as f64
                }),
            ),
            _ => None,
        }
    }

    /// The goal values of the teams in the games with a result.
    fn results(&self) -> Vec<Vec<i32>> {
        self.games.iter().filter_map(|game| game.team_goals(self.teams)).collect()
    }

    /// The score of the team that begins, and the number of games; none if no single team begins.
    fn first_player_score(&self) -> Option<(f64, u64)> {
        let cursor = self.machine.cursor();
        let begins = |team: &Vec<usize>| team.iter().any(|&role| cursor.legal(role).len() > 1);
        let first: Vec<usize> = (0..self.teams.len()).filter(|&team| begins(&self.teams[team])).collect();
        let ([first], true) = (&first[..], self.teams.len() == 2) else { return None };
        let results = self.results();
        let score = |goals: &Vec<i32>| match goals[*first].cmp(&goals[1 - *first]) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        };
        let games = results.len() as u64;
        (games > 0).then(|| (results.iter().map(score).sum::<f64>() / games as f64, games))
    }

    /// For each game that one team won: the expected score of each team, from 0 to 1, at each step at which it is known, and
    /// the winning team. Only for two teams.
    fn decided(&self) -> impl Iterator<Item = (Vec<Vec<f64>>, usize)> + '_ {
        let teams = self.teams;
        self.games.iter().filter_map(move |game| {
            let [one, other] = teams else { return None };
            let goals = game.team_goals(teams)?;
            let winner = match goals[0].cmp(&goals[1]) {
                std::cmp::Ordering::Greater => 0,
                std::cmp::Ordering::Less => 1,
                std::cmp::Ordering::Equal => return None,
            };
            let lead = |estimates: &Vec<Option<f64>>| {
                let of = |team: &Vec<usize>| {
                    team.iter().find_map(|&role| estimates[role]).map(|value| (value / 100.0).clamp(0.0, 1.0))
                };
                match (of(one), of(other)) {
                    (Some(one), Some(other)) => Some(vec![one, other]),
                    (Some(one), None) => Some(vec![one, 1.0 - one]),
                    (None, Some(other)) => Some(vec![1.0 - other, other]),
                    (None, None) => None,
                }
            };
            Some((game.estimates.iter().filter_map(lead).collect(), winner))
        })
    }

    fn coverage(&self, name: &'static str) -> Option<QualityMeasure> {
        let changed: Vec<BTreeSet<FluentId>> =
            self.games.iter().map(|game| changed_facts(self.machine, game)).collect();
        let all: BTreeSet<FluentId> = changed.iter().flatten().copied().collect();
        if all.is_empty() {
            return None;
        }
        mean(name, changed.iter().map(|facts| facts.len() as f64 / all.len() as f64))
    }

    fn opening_variety(&self, name: &'static str) -> Option<QualityMeasure> {
        let roles = self.random_play.roles.len();
        let depth = if roles == 1 { 2 } else { 2 * roles };
        let mut openings: BTreeMap<Vec<&[MoveId]>, u64> = BTreeMap::new();
        for game in self.games {
            let opening: Vec<&[MoveId]> = game.moves.iter().take(depth).map(Vec::as_slice).collect();
            *openings.entry(opening).or_default() += 1;
        }
        let games = self.games.len() as f64;
        let same: f64 = openings.values().map(|&count| count as f64 * (count as f64 - 1.0)).sum();
        let value = 1.0 - same / (games * (games - 1.0));
        (games > 1.0).then_some(QualityMeasure { name, value, low: None, high: None, games: games as u64 })
    }
}

/// The facts that appear or disappear in a game.
fn changed_facts(machine: &dyn Machine, game: &PlayedGame) -> BTreeSet<FluentId> {
    let mut changed = BTreeSet::new();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for pair in game.states.windows(2) {
        before.clear();
        after.clear();
        machine.fluents(&pair[0], &mut before);
        machine.fluents(&pair[1], &mut after);
        let [one, other]: [BTreeSet<FluentId>; 2] =
            [before.iter().copied().collect(), after.iter().copied().collect()];
        changed.extend(one.symmetric_difference(&other).copied());
    }
    changed
}

/// The team with the greatest expected score; none if two share it.
fn leader(lead: &[f64]) -> Option<usize> {
    let best = lead.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut leaders = (0..lead.len()).filter(|&team| lead[team] >= best);
    let first = leaders.next()?;
    leaders.next().is_none().then_some(first)
}

fn best_of_others(lead: &[f64], winner: usize) -> f64 {
    let others = lead.iter().enumerate().filter(|(team, _)| *team != winner);
    others.map(|(_, &score)| score).fold(0.0, f64::max)
}

fn interval(name: &'static str, value: f64, low: f64, high: f64, games: u64) -> QualityMeasure {
    QualityMeasure { name, value, low: Some(low), high: Some(high), games }
}

fn share(name: &'static str, count: usize, games: usize) -> QualityMeasure {
    let value = count as f64 / games.max(1) as f64;
    let [low, high] = wilson_of(value, games as u64);
    interval(name, value, low, high, games as u64)
}

/// A mean over games with Student's interval; none without games.
fn mean(name: &'static str, values: impl Iterator<Item = f64>) -> Option<QualityMeasure> {
    let values: Vec<f64> = values.collect();
    let games = values.len() as u64;
    let value = values.iter().sum::<f64>() / games.max(1) as f64;
    let interval = student(&values);
    let [low, high] = [interval.and_then(|of| of.low), interval.and_then(|of| of.high)];
    (games > 0).then_some(QualityMeasure { name, value, low, high, games })
}

//! Tables of ratings, and of scores by opponent and by game.

use crate::arena::tournament::{PlanGame, Score, Standing};
use crate::statistics::Rating;
use crate::statistics::interval::wilson_of;

use super::super::super::layout::grouped;
use super::super::super::tournament::share;
use super::super::charts::{IntervalRow, intervals};
use super::super::functions::Figure;
use super::super::results::SectionPart;
use super::super::tables::{Column, Field, Table, columns};
use super::TournamentResults;

/// The text of a rating and its sort key.
fn rating(rating: &Rating) -> Field {
    let figures = |elo: f64| format!("{:+.0}", elo.round() + 0.0);
    match *rating {
        Rating::Estimate { elo, .. } => Field::number(Some(elo), figures),
        Rating::Above { low } => Field::number(Some(low), |low| format!("above {}", figures(low))),
        Rating::Below { high } => Field::number(Some(high), |high| format!("below {}", figures(high))),
        Rating::NotEstimable => Field::text("not estimable"),
    }
}

pub(super) fn ratings(results: &TournamentResults<'_>, id: String) -> Vec<SectionPart> {
    let standings = &results.summary.standings;
    let rows: Vec<IntervalRow> = (standings.iter().enumerate())
        .filter_map(|(series, standing)| match standing.rating {
            Rating::Estimate { elo, low, high } => Some(IntervalRow {
                name: standing.player.clone(),
                series,
                value: elo,
                ends: Some([low, high]),
            }),
            _ => None,
        })
        .collect();
    let most = rows
        .iter()
        .flat_map(|row| row.ends.into_iter().flatten())
        .fold(50.0, |most: f64, end| most.max(end.abs()));
    let most = (most / 50.0).ceil() * 50.0;
    let row = |standing: &Standing| {
        let Standing { player, score, side, .. } = standing;
        let interval = match standing.rating {
            Rating::Estimate { low, high, .. } => format!("{low:+.0} to {high:+.0}"),
            _ => String::new(),
        };
        let count = |number: u64| Field::number(Some(number as f64), |_| grouped(number));
        let played = Some(score.score).filter(|_| score.matches > 0);
        vec![
            Field::text(player),
            rating(&standing.rating),
            Field::text(interval),
            Field::number(played, share),
            Field::text(
                played.map_or(String::new(), |_| format!("{} to {}", share(score.low), share(score.high))),
            ),
            count(score.matches),
            count(score.wins),
            count(score.draws),
            count(score.losses),
            Field::number(side.goal.map(|goal| goal.mean), |mean| format!("{mean:.1}")),
            count(side.late),
            count(side.illegal),
        ]
    };
    let table = Table {
        id: id.into(),
        caption: "A win counts 1 and a draw 0.5; games of more than two roles count the mean rank of a player's roles. \
                  Intervals are at 95 %."
            .to_owned(),
        columns: columns(&[
            "player", "#Elo", "95 %", "#score %", "95 %", "#matches", "#won", "#drawn", "#lost", "#goal", "#late",
            "#illegal",
        ]),
        rows: standings.iter().map(row).collect(),
        left_out: String::new(),
    };
    let mut parts = Vec::new();
    if !rows.is_empty() {
        parts.push(SectionPart::Figures(vec![Figure {
            title: "Ratings".to_owned(),
            drawing: intervals(&rows, "Elo", [-most, most]),
            caption: "Maximum-likelihood ratings (Bradley and Terry) with their 95 % intervals; the mean of all rated players \
                      is 0."
                .to_owned(),
        }]));
    }
    parts.push(SectionPart::Sortable(table));
    parts
}

/// A score as a coloured field; bold if its interval does not contain one half.
pub(super) fn score_field(score: &Score) -> Field {
    if score.matches == 0 {
        return Field::default();
    }
    Field {
        more: format!("{} to {}", share(score.low), share(score.high)),
        heat: Some((score.score - 0.5) * 2.0),
        strong: score.low > 0.5 || score.high < 0.5,
        ..Field::number(Some(score.score), share)
    }
}

/// The opponent's score.
fn mirror(score: &Score) -> Score {
    Score {
        wins: score.losses,
        losses: score.wins,
        points: score.matches as f64 - score.points,
        score: 1.0 - score.score,
        low: 1.0 - score.high,
        high: 1.0 - score.low,
        ..*score
    }
}

/// The scores of each player against each opponent.
pub(super) fn cross(results: &TournamentResults<'_>) -> Table {
    let summary = results.summary;
    let order: Vec<&str> = summary.standings.iter().map(|standing| standing.player.as_str()).collect();
    let is =
        |side: usize, player: &str| summary.pairings.iter().any(|pairing| pairing.players[side] == player);
    // If two groups play only against each other, one group has rows and the other columns.
    let apart = !order.iter().any(|player| is(0, player) && is(1, player)) && order.len() > 2;
    let rows: Vec<&str> = order.iter().copied().filter(|player| !apart || is(0, player)).collect();
    let columns: Vec<&str> = order.iter().copied().filter(|player| !apart || is(1, player)).collect();
    let score = |one: &str, other: &str| {
        summary.pairings.iter().find_map(|pairing| {
            let [first, second] = pairing.players.each_ref().map(String::as_str);
            match (first, second) {
                _ if [first, second] == [one, other] => Some(score_field(&pairing.score)),
                _ if [second, first] == [one, other] => Some(score_field(&mirror(&pairing.score))),
                _ => None,
            }
        })
    };
    let row = |one: &&str| {
        let fields = columns.iter().map(|other| match one == other {
            true => Field::text("·"),
            false => score(one, other).unwrap_or_default(),
        });
        [Field::text(*one)].into_iter().chain(fields).collect()
    };
    Table {
        id: "".into(),
        caption: "The score in per cent of the player of a row against that of a column over all games, with its 95 % \
                  interval; bold if it does not contain 50."
            .to_owned(),
        columns: player_columns("player", &columns),
        rows: rows.iter().map(row).collect(),
        left_out: String::new(),
    }
}

fn player_columns(first: &'static str, names: &[&str]) -> Vec<Column> {
    let name = |name: &&str| Column { title: (*name).to_owned().into(), number: true };
    [Column { title: first.into(), number: false }].into_iter().chain(names.iter().map(name)).collect()
}

/// The score of each player in each game, over all opponents.
pub(super) fn heat(results: &TournamentResults<'_>) -> Table {
    let summary = results.summary;
    let players: Vec<&str> = summary.standings.iter().map(|standing| standing.player.as_str()).collect();
    let score = |game: &str, player: &str| {
        let of_game = summary.games.iter().filter(|pairing| pairing.game.as_deref() == Some(game));
        let mut all = Score::default();
        for pairing in of_game {
            let own = match pairing.players.iter().position(|line| line == player) {
                Some(0) => pairing.score,
                Some(_) => mirror(&pairing.score),
                None => continue,
            };
            all.matches += own.matches;
            all.points += own.points;
        }
        all.score = if all.matches == 0 { 0.0 } else { all.points / all.matches as f64 };
        [all.low, all.high] = wilson_of(all.score, all.matches);
        score_field(&all)
    };
    let games = results.plan.games.iter().filter(|game| game.seats() > 1);
    let row = |game: &PlanGame| {
        let fields = players.iter().map(|player| score(&game.name, player));
        [Field::text(&game.name)].into_iter().chain(fields).collect()
    };
    Table {
        id: "".into(),
        caption: "The score in per cent of each player in each game over all its opponents, with its 95 % interval: blue \
                  above 50, orange below, bold if the interval does not contain 50."
            .to_owned(),
        columns: player_columns("game", &players),
        rows: games.map(row).collect(),
        left_out: String::new(),
    }
}

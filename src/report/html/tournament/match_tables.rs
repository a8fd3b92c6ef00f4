//! The tables of pairings and matches.

use crate::arena::tournament::{Outcome, Pairing, PlayedMatch, RoleResult, SoloResult};
use crate::statistics::SprtVerdict;

use super::super::super::layout::{counted, grouped};
use super::super::super::tournament::{elo, share};
use super::super::results::SectionPart;
use super::super::tables::{Badge, Field, Table, columns};
use super::TournamentResults;
use super::scores::score_field;

/// The most matches and pairings on a page; the CSV files next to it have all.
const ROWS: usize = 2_000;

pub(super) fn pairings(results: &TournamentResults<'_>, id: String) -> Table {
    let all: Vec<&Pairing> = results.summary.pairings.iter().chain(&results.summary.games).collect();
    let row = |pairing: &&Pairing| {
        let count = |number: u64| Field::number(Some(number as f64), |_| grouped(number));
        let [one, other] = &pairing.players;
        let score = &pairing.score;
        let test = pairing.sprt.map(|test| match test.verdict {
            SprtVerdict::Better => Badge::new("good", "better"),
            SprtVerdict::Worse => Badge::new("bad", "worse"),
            SprtVerdict::Alike => Badge::new("seen", "alike"),
            SprtVerdict::Open => Badge::new("open", "open"),
        });
        vec![
            Field::text(pairing.game.as_deref().unwrap_or("all games")),
            Field::text(one),
            Field::text(other),
            count(score.matches),
            count(score.wins),
            count(score.draws),
            count(score.losses),
            Field::number(Some(score.score).filter(|_| score.matches > 0), share),
            Field { text: elo(&pairing.elo), sort: pairing.elo.elo, ..Field::default() },
            Field { badges: test.into_iter().collect(), ..Field::default() },
        ]
    };
    let left = all.len().saturating_sub(ROWS);
    Table {
        id: id.into(),
        caption: "From the point of view of the first player.".to_owned(),
        columns: columns(&[
            "game",
            "player",
            "against",
            "#matches",
            "#won",
            "#drawn",
            "#lost",
            "#score %",
            "#Elo (95 %)",
            "test",
        ]),
        rows: all.iter().take(ROWS).map(row).collect(),
        left_out: more(left, "pairings.csv", &results.folder),
    }
}

/// The results of each role, for all players and for each.
pub(super) fn roles(results: &TournamentResults<'_>, id: String) -> Table {
    let row = |result: &RoleResult| {
        let count = |number: u64| Field::number(Some(number as f64), |_| grouped(number));
        let score = &result.score;
        vec![
            Field::text(&result.game),
            Field::text(&result.role),
            Field::text(result.player.as_deref().unwrap_or("all players")),
            count(score.matches),
            count(score.wins),
            count(score.draws),
            count(score.losses),
            score_field(score),
            Field::number(result.goal.map(|goal| goal.mean), |mean| format!("{mean:.1}")),
        ]
    };
    let all = &results.summary.roles;
    Table {
        id: id.into(),
        caption: "The score in per cent of each role against the other roles, with its 95 % interval; bold if it does not \
                  contain 50. Goal: the mean goal value."
            .to_owned(),
        columns: columns(&[
            "game", "role", "player", "#matches", "#won", "#drawn", "#lost", "#score %", "#goal",
        ]),
        rows: all.iter().take(ROWS).map(row).collect(),
        left_out: more(all.len().saturating_sub(ROWS), "roles.csv", &results.folder),
    }
}

pub(super) fn alone(results: &TournamentResults<'_>) -> Table {
    let row = |alone: &SoloResult| {
        vec![
            Field::text(&alone.game),
            Field::text(&alone.player),
            Field::number(Some(alone.matches as f64), |_| grouped(alone.matches)),
            Field::number(alone.side.goal.map(|goal| goal.mean), |mean| format!("{mean:.1}")),
            Field::number(alone.steps, |steps| format!("{steps:.1}")),
        ]
    };
    Table {
        id: "".into(),
        caption: "Every player plays these games alone. Goal: its mean goal value. Moves: the mean number of moves to the best \
                  goal value that it reached."
            .to_owned(),
        columns: columns(&["game", "player", "#matches", "#goal", "#moves to the best goal"]),
        rows: results.summary.alone.iter().map(row).collect(),
        left_out: String::new(),
    }
}

pub(super) fn matches(results: &TournamentResults<'_>, id: String) -> Vec<SectionPart> {
    let row = |played: &&PlayedMatch| {
        let (goals, why) = match &played.outcome {
            Outcome::Ended(goals) => (goals.iter().map(i32::to_string).collect::<Vec<_>>().join(" – "), ""),
            Outcome::Unfinished(why) => (String::new(), why.as_str()),
        };
        let link = results.records.as_ref().map(|folder| format!("{folder}{:06}.json", played.number));
        let faults = |of: &[u32]| {
            let sum = of.iter().map(|&moves| f64::from(moves)).sum::<f64>();
            Field::number(Some(sum), |sum| format!("{sum}"))
        };
        vec![
            Field {
                link: link.unwrap_or_default(),
                ..Field::number(Some(played.number as f64), |_| played.number.to_string())
            },
            Field::text(&played.game),
            Field::number(Some(f64::from(played.round)), |_| (played.round + 1).to_string()),
            Field::text(played.players.join(" – ")),
            Field { more: why.to_owned(), ..Field::text(goals) },
            Field::number(Some(f64::from(played.steps)), |_| played.steps.to_string()),
            faults(&played.late),
            faults(&played.illegal),
        ]
    };
    let words = match &results.records {
        Some(folder) => format!(
            "Each number links to the record of the match in {folder}. `ggp show GAME RECORD --out page.html` turns a record \
             into a page to step through."
        ),
        None => "No records were kept; `ggp tournament --records` keeps them.".to_owned(),
    };
    let left = results.played.len().saturating_sub(ROWS);
    let table = Table {
        id: id.into(),
        caption: "Players and goal values in the order of the roles.".to_owned(),
        columns: columns(&["#match", "game", "#round", "players", "goals", "#moves", "#late", "#illegal"]),
        rows: results.played.iter().take(ROWS).map(row).collect(),
        left_out: more(left, "results.csv", &results.folder),
    };
    vec![SectionPart::Text(words), SectionPart::Sortable(table)]
}

/// The sentence on rows that are left out.
fn more(left: usize, file: &str, folder: &str) -> String {
    match left {
        0 => String::new(),
        _ => format!("{} in {folder}{file}.", counted(left as u64, "more row is", "more rows are")),
    }
}

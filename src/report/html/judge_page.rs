//! The page of a study of evaluation functions.

use crate::study::{Entry, JudgeStudy, Study};

use super::super::layout::{counted, percent};
use super::super::study::{BrokenGame, Circumstances, broken_games, budget, gain};
use super::super::study_tables::{
    Construction, GameRole, MIN_PLAYOUTS, constructions, game_roles, judged_games,
};
use super::charts::{IntervalRow, intervals};
use super::document::PageError;
use super::functions::Figure;
use super::results::{ResultsPage, Section, SectionPart};
use super::tables::{Column, Field, Table, columns};
use super::warnings::Warning;

/// The most constructions in the chart, and in the table of games.
const DRAWN: usize = 15;

/// The gain in goal points at which a field has the strongest colour.
const STRONG: f64 = 50.0;

/// Renders the page; `hashes` are those of the games' files, in the order of the study.
///
/// # Errors
/// Rendering fails; no known input causes this.
pub fn judged_page(
    study: &Study,
    judged: &JudgeStudy,
    entries: &[Entry],
    hashes: &[String],
    about: &Circumstances,
) -> Result<String, PageError> {
    let (kinds, games) = (constructions(entries), game_roles(entries));
    let bad = |BrokenGame { path, reason }| Warning {
        class: "bad",
        title: format!("Broken: {path}"),
        text: reason.to_owned(),
    };
    let mut warnings: Vec<Warning> = broken_games(entries).into_iter().map(bad).collect();
    let left = study.games.len() - entries.len();
    if left > 0 {
        let text = format!("{} still to be judged.", counted(left as u64, "game is", "games are"));
        warnings.push(Warning { class: "open", title: "Not finished".to_owned(), text });
    }
    let page = ResultsPage {
        kind: "Study",
        title: study.name.clone(),
        lead: format!(
            "The quality of evaluation functions in {}.",
            counted(judged_games(entries).count() as u64, "game", "games")
        ),
        warnings,
        run_last: false,
        command: about.command.clone(),
        facts: vec![
            ("Program", format!("ggp {}", env!("CARGO_PKG_VERSION"))),
            ("Seed", judged.limits.seed.to_string()),
            ("Judged", budget(judged)),
        ],
        games: Table {
            id: "".into(),
            caption: String::new(),
            columns: columns(&["file", "SHA-256"]),
            rows: (study.games.iter().zip(hashes))
                .map(|(path, hash)| vec![Field::text(path.display().to_string()), Field::text(hash)])
                .collect(),
            left_out: String::new(),
        },
        sections: sections(&kinds, &games),
        made: about.made(),
    };
    page.render()
}

fn sections(kinds: &[Construction], games: &[GameRole<'_>]) -> Vec<Section> {
    let mut out = Vec::new();
    if !kinds.is_empty() {
        let text = format!(
            "Each game and role counts with the function that correlates best with random results. The gain is the mean goal \
             value against random play minus that of “ends”, a player that only sees moves that end the game. Games and \
             roles count if at least {MIN_PLAYOUTS} playouts ended."
        );
        let mut parts = vec![SectionPart::Text(text)];
        parts.extend(chart(kinds).map(|figure| SectionPart::Figures(vec![figure])));
        parts.push(SectionPart::Sortable(by_construction(kinds)));
        out.push(Section { id: "constructions".to_owned(), title: "By construction".to_owned(), parts });
    }
    if games.iter().any(|role| !role.gains.is_empty()) {
        let parts = vec![SectionPart::Table(heat(kinds, games))];
        out.push(Section { id: "gains".to_owned(), title: "Gains, game by game".to_owned(), parts });
    }
    let parts = vec![SectionPart::Sortable(by_game(games))];
    out.push(Section { id: "games".to_owned(), title: "Best functions, game by game".to_owned(), parts });
    out
}

fn chart(kinds: &[Construction]) -> Option<Figure> {
    let rows: Vec<IntervalRow> = (kinds.iter())
        .filter_map(|found| {
            let gain = found.gain?;
            Some(IntervalRow {
                name: found.name.clone(),
                series: 0,
                value: gain.value,
                ends: Some([gain.low?, gain.high?]),
            })
        })
        .take(DRAWN)
        .collect();
    let most = rows
        .iter()
        .flat_map(|row| row.ends.into_iter().flatten())
        .fold(5.0, |most: f64, end| most.max(end.abs()));
    let most = (most / 5.0).ceil() * 5.0;
    (!rows.is_empty()).then(|| Figure {
        title: "Gains".to_owned(),
        drawing: intervals(&rows, "gain, in goal points", [-most, most]),
        caption: "The mean gain of each construction with its 95 % interval; at 0, a function plays no better than “ends”."
            .to_owned(),
    })
}

fn by_construction(kinds: &[Construction]) -> Table {
    let row = |found: &Construction| {
        let count = |number: u64| Field::number(Some(number as f64), |_| number.to_string());
        let number = |value: Option<f64>| Field::number(value, |value| format!("{value:.2}"));
        let value = found.gain.map(|estimate| estimate.value);
        vec![
            Field::text(&found.name),
            count(found.cases as u64),
            Field { text: gain(found.gain), sort: value, ..Field::default() },
            count(found.apart[0]),
            count(found.apart[1]),
            Field::number(found.moves, |share| format!("{:+.1} %", share * 100.0)),
            number(found.correlations[0]),
            number(found.correlations[1]),
            Field::number(found.error, |error| format!("{error:.1}")),
        ]
    };
    Table {
        id: "constructions-table".into(),
        caption: "Better, worse: the number of cases with disjoint intervals. Best moves: the share of exactly best moves \
                  minus that of “ends”. r: the mean of Pearson's correlation with results. Error: the mean calibration \
                  error, in goal points."
            .to_owned(),
        columns: columns(&[
            "construction", "#cases", "#gain (95 %)", "#better", "#worse", "#best moves", "#r random", "#r guided",
            "#error",
        ]),
        rows: kinds.iter().map(row).collect(),
        left_out: String::new(),
    }
}

fn heat(kinds: &[Construction], games: &[GameRole<'_>]) -> Table {
    let shown: Vec<&Construction> = kinds.iter().filter(|found| found.cases > 0).take(DRAWN).collect();
    let row = |role: &GameRole<'_>| {
        let field = |found: &&Construction| match role.gains.get(&found.name) {
            Some(&(gain, apart)) => Field {
                heat: Some(gain / STRONG),
                strong: apart,
                ..Field::number(Some(gain), |gain| format!("{gain:+.0}"))
            },
            None => Field::default(),
        };
        [Field { more: role.role.to_owned(), ..Field::text(role.game) }]
            .into_iter()
            .chain(shown.iter().map(field))
            .collect()
    };
    let left = kinds.iter().filter(|found| found.cases > 0).count() - shown.len();
    let name = |found: &&Construction| Column { title: found.name.clone().into(), number: true };
    Table {
        id: "".into(),
        caption: "The gain of the function of each construction, in goal points: blue if it plays better than “ends”, orange \
                  if worse, bold if the intervals are disjoint."
            .to_owned(),
        columns: [Column { title: "game and role".into(), number: false }]
            .into_iter()
            .chain(shown.iter().map(name))
            .collect(),
        rows: games.iter().filter(|role| !role.gains.is_empty()).map(row).collect(),
        left_out: match left {
            0 => String::new(),
            _ => format!("{} in functions.csv.", counted(left as u64, "more construction is", "more constructions are")),
        },
    }
}

fn by_game(games: &[GameRole<'_>]) -> Table {
    let row = |role: &GameRole<'_>| {
        let mean = |value: Option<f64>| Field::number(value, |value| format!("{value:.1}"));
        let best = role.best.map(|(_, goal)| goal);
        let interval = best.and_then(|goal| Some(format!("{:.1} to {:.1}", goal.low?, goal.high?)));
        let [solved, states] = role.solved;
        vec![
            Field::text(role.game),
            Field::text(role.role),
            mean(role.random),
            mean(role.ends),
            mean(best.map(|goal| goal.mean)),
            Field::text(interval.unwrap_or_default()),
            Field::text(role.best.map_or("", |(id, _)| id)),
            Field::number(Some(solved as f64), |_| format!("{solved} of {states}")),
            Field::number(role.moves[0], percent),
            Field::number(role.moves[1], percent),
        ]
    };
    Table {
        id: "games-table".into(),
        caption: "Mean goal value against random play: of random play, of “ends”, and of the function that plays best; selection \
                  makes the best of many look better than it is. Solved: sampled states with an exact value. The last two \
                  columns are the shares of exactly best moves of a random choice and of that function."
            .to_owned(),
        columns: columns(&[
            "game", "role", "#random", "#ends", "#best", "95 %", "its function", "#solved", "#random choice", "#function",
        ]),
        rows: games.iter().map(row).collect(),
        left_out: String::new(),
    }
}

//! The page of a sweep: games ranked by measures of quality, and the outcome of each description. It has no times, so that equal
//! seeds give equal bytes.

use crate::verdict::MEASURES;

use super::super::layout::{counted, grouped};
use super::super::sweep::{RANKED, RankedGame, Sweep, SweepRow, SweepVerdict, measure_text};
use super::document::PageError;
use super::results::{ResultsPage, Section, SectionPart};
use super::tables::{Badge, Column, Field, Table, columns};
use super::warnings::Warning;

/// The measures in the table of the ranking.
const SHOWN: [&str; 8] = [
    "balance",
    "drawishness",
    "completion",
    "length",
    "decisiveness",
    "drama",
    "lead-changes",
    "skill-depth",
];

/// The page of a sweep that this command reproduces.
///
/// # Errors
/// Rendering fails; no known input causes this.
pub fn sweep_page(sweep: &Sweep, command: &str) -> Result<String, PageError> {
    let ranking = sweep.ranked();
    let mut sections = Vec::new();
    if !ranking.is_empty() {
        sections.push(ranking_section(&ranking));
    }
    sections.push(Section {
        id: "descriptions".to_owned(),
        title: "All descriptions".to_owned(),
        parts: vec![SectionPart::Sortable(descriptions(sweep))],
    });
    if !ranking.is_empty() {
        sections.push(Section {
            id: "measures".to_owned(),
            title: "What the measures mean".to_owned(),
            parts: vec![SectionPart::Table(definitions())],
        });
    }
    let page = ResultsPage {
        kind: "Sweep",
        title: match ranking.len() {
            0 | 1 => "Descriptions".to_owned(),
            _ => "Games ranked by quality".to_owned(),
        },
        lead: sweep.summary(),
        warnings: warnings(sweep),
        run_last: true,
        command: command.to_owned(),
        facts: vec![("Times, memory and speeds", "timing.csv".to_owned())],
        games: hashes(sweep),
        sections,
        made: Vec::new(),
    };
    page.render()
}

/// Crashes, which are faults of this program.
fn warnings(sweep: &Sweep) -> Vec<Warning> {
    let crashed = sweep.count(SweepVerdict::Crashed);
    let text = match crashed {
        0 => return Vec::new(),
        1 => "on 1 description. This is a bug, please report it.".to_owned(),
        _ => format!("on {crashed} descriptions. This is a bug, please report it."),
    };
    vec![Warning { class: "bad", title: "The program crashed".to_owned(), text }]
}

fn ranking_section(ranking: &[RankedGame<'_>]) -> Section {
    let text = "The mean rank orders the games: the mean of a game's ranks in balance, completion, decisiveness, drama and skill \
                depth (more is better) and drawishness (less is better). A darker field is better among these games. Length and \
                lead changes don't count.";
    Section {
        id: "ranking".to_owned(),
        title: "Ranking".to_owned(),
        parts: vec![SectionPart::Text(text.to_owned()), SectionPart::Sortable(ranking_table(ranking))],
    }
}

fn ranking_table(ranking: &[RankedGame<'_>]) -> Table {
    let number = |title: String| Column { title: title.into(), number: true };
    let mut titles = columns(&["game", "#rank", "#mean rank"]);
    titles.extend(SHOWN.map(|name| number(name.replace('-', " "))));
    let heat = |name: &str, value: f64| {
        let (_, sign) = RANKED.iter().find(|(ranked, _)| *ranked == name)?;
        let values = ranking.iter().filter_map(|game| game.value(name)).map(|value| sign * value);
        let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| {
            (least.min(value), most.max(value))
        });
        (most > least).then(|| (sign * value - least) / (most - least))
    };
    let row = |(number, game): (usize, &RankedGame<'_>)| {
        let mut fields = vec![
            Field::text(&game.row.path),
            Field::number(Some((number + 1) as f64), |rank| format!("{rank}")),
            Field::number(Some(game.mean_rank), |rank| format!("{rank:.1}")),
        ];
        fields.extend(SHOWN.map(|name| {
            let value = game.value(name);
            let mut field = Field::number(value, measure_text);
            field.heat = value.and_then(|value| heat(name, value));
            field
        }));
        fields
    };
    Table {
        id: "ranked".into(),
        caption: String::new(),
        columns: titles,
        rows: ranking.iter().enumerate().map(row).collect(),
        left_out: String::new(),
    }
}

fn descriptions(sweep: &Sweep) -> Table {
    let row = |row: &SweepRow| {
        let found = row.found.as_ref();
        let count = |number: Option<u64>| {
            Field::number(number.map(|number| number as f64), |number| grouped(number as u64))
        };
        let class = match row.verdict {
            SweepVerdict::Ok => "good",
            SweepVerdict::Failed | SweepVerdict::Crashed => "bad",
            _ => "open",
        };
        let why = match (found, row.codes.is_empty()) {
            (Some(found), _) if !found.incomplete.is_empty() => {
                format!("cut short: {}", found.incomplete.join(", "))
            }
            (_, false) => row.codes.join(" "),
            _ => row.reason.clone(),
        };
        vec![
            Field::text(&row.path),
            Field { badges: vec![Badge::new(class, row.verdict.name())], ..Field::default() },
            count(found.map(|found| found.roles)),
            count(found.map(|found| found.playouts)),
            count(found.map(|found| found.findings.values().sum())),
            count(found.map(|found| found.features)),
            count(found.map(|found| found.functions.values().sum())),
            Field::text(found.map_or("", |found| &found.machine)),
            Field::text(why),
        ]
    };
    Table {
        id: "analysed".into(),
        caption: String::new(),
        columns: columns(&[
            "game",
            "verdict",
            "#roles",
            "#playouts",
            "#findings",
            "#features",
            "#functions",
            "machine",
            "remark",
        ]),
        rows: sweep.rows.iter().map(row).collect(),
        left_out: String::new(),
    }
}

fn definitions() -> Table {
    let row = |name: &&str| {
        let entry = MEASURES.iter().find(|entry| entry.name == *name)?;
        Some(vec![
            Field::text(name.replace('-', " ")),
            Field::text(entry.definition),
            Field::text(entry.source),
        ])
    };
    Table {
        id: "".into(),
        caption: String::new(),
        columns: columns(&["measure", "definition", "source"]),
        rows: SHOWN.iter().filter_map(row).collect(),
        left_out: String::new(),
    }
}

fn hashes(sweep: &Sweep) -> Table {
    let row = |row: &SweepRow| vec![Field::text(&row.path), Field::text(&row.sha256)];
    Table {
        id: "".into(),
        caption: counted(sweep.rows.len() as u64, "description", "descriptions"),
        columns: columns(&["game", "SHA-256 of the file"]),
        rows: sweep.rows.iter().map(row).collect(),
        left_out: String::new(),
    }
}

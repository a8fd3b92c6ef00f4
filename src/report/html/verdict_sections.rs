//! The folded sections that rest on the verdict: how good players play, first moves, ends by cause, unfired rules, quality.

use crate::verdict::{EndingCause, Endings};

use super::super::analysis::Analysis;
use super::super::layout::{counted, grouped, percent, significant};
use super::super::quality::quality_rows;
use super::super::verdict::{InitialBoard, answers, cause_text, help_texts};
use super::glossary::code;
use super::markup::Markup;
use super::overview::Overview;
use super::tables::{Field, Table, columns};

/// How good players play.
pub(super) struct GoodPlaySection {
    /// Pairs of a label and a text.
    pub(super) answers: Vec<(&'static str, Markup)>,
    /// The joint moves after which games were compared.
    pub(super) step: u32,
    /// Features that help: the id of the feature's row, or an empty text, and a sentence.
    pub(super) helps: Vec<(String, Markup)>,
}

/// The section on good play, without the answers of the `first` screen; its lists are empty without a verdict.
pub(super) fn good_play(
    analysis: &Analysis,
    board: &InitialBoard,
    first: &Overview,
    helps: Vec<(String, String)>,
) -> GoodPlaySection {
    let labels: &[&str] =
        if first.heat_map.is_some() { &["First player"] } else { &["First player", "First move"] };
    let rows = answers(analysis, board).into_iter().filter(|row| labels.contains(&row.label));
    GoodPlaySection {
        answers: rows.map(|row| (row.label, code(&row.text))).collect(),
        step: help_texts(analysis).first().map_or(0, |help| help.step),
        helps: helps.into_iter().map(|(id, text)| (id, code(&board.as_drawn(text)))).collect(),
    }
}

fn plain_table(titles: &[&'static str], rows: Vec<Vec<Field>>) -> Table {
    let (id, caption) = ("".into(), String::new());
    Table { id, caption, columns: columns(titles), rows, left_out: String::new() }
}

/// The first moves with their values, the best first.
pub(super) fn first_moves(analysis: &Analysis) -> Option<Table> {
    let first = analysis.verdict.as_ref()?.first_moves.as_ref()?;
    // Without a solution, the values of a puzzle's first moves say little.
    if !first.proved && analysis.game.roles.len() == 1 {
        return None;
    }
    let row = |of: &crate::verdict::FirstMove| {
        vec![Field::text(&of.action), Field::number(Some(of.value), |value| format!("{value:.1}"))]
    };
    let caption = match first.proved {
        true => format!("The goal value that {} can reach with best play after each move.", first.role),
        false => format!(
            "The goal value that {} expects after each move, by a search of {}.",
            first.role,
            counted(first.states, "state", "states")
        ),
    };
    let table = plain_table(&["first move", "#value"], first.moves.iter().map(row).collect());
    Some(Table { caption, ..table })
}

/// How games end, by cause: those between searches, and random ones.
pub(super) fn endings(analysis: &Analysis) -> Option<Table> {
    let of = &analysis.verdict.as_ref()?.endings;
    let rows = |name: &'static str, endings: &Endings| {
        let row = |cause: &EndingCause| {
            let lines: Vec<String> = cause.rules.iter().map(|rule| rule.line.to_string()).collect();
            vec![
                Field::text(name),
                Field::text(cause_text(analysis, cause)),
                Field::number(Some(cause.share), percent),
                Field::number(Some(cause.games as f64), |games| grouped(games as u64)),
                Field::text(lines.join(", ")),
            ]
        };
        endings.causes.iter().map(row).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<Field>> =
        rows("search", &of.good).into_iter().chain(rows("random play", &of.random)).collect();
    (!rows.is_empty()).then(|| plain_table(&["played by", "end", "#share", "#games", "line"], rows))
}

/// The rules that never fired in random play.
pub(super) fn unfired(analysis: &Analysis) -> Option<Table> {
    let never = |text: &String| vec![Field::text(""), Field::text(text), Field::text("")];
    let unfired = analysis.verdict.as_ref().and_then(|verdict| verdict.endings.unfired.as_ref());
    let rows: Vec<Vec<Field>> = match unfired {
        Some(unfired) => (unfired.rules.iter())
            .map(|rule| {
                let line = (rule.line > 0).then_some(rule.line as f64);
                let good = match (unfired.games, rule.in_good_play) {
                    (0, _) => "",
                    (_, true) => "fired",
                    (_, false) => "never fired",
                };
                vec![
                    Field::number(line, |line| format!("{line}")),
                    Field::text(&rule.text),
                    Field::text(good),
                ]
            })
            .collect(),
        None => {
            let coverage = analysis.structures.rule_coverage.as_ref()?;
            coverage.never.iter().map(never).collect()
        }
    };
    (!rows.is_empty())
        .then(|| plain_table(&["#line", "rule", "between searches"], rows).without_empty_numbers())
}

/// The measures of quality.
pub(super) fn quality(analysis: &Analysis) -> Option<Table> {
    let short = |number: f64| significant((number * 1000.0).round() / 1000.0);
    let rows: Vec<Vec<Field>> = quality_rows(analysis)
        .into_iter()
        .map(|row| {
            let interval = row.low.zip(row.high);
            let interval = interval.map(|(low, high)| format!("{} to {}", short(low), short(high)));
            vec![
                Field::text(row.measure),
                Field::number(Some(row.value), short),
                Field::text(interval.unwrap_or_default()),
                Field::number(Some(row.games as f64), |games| grouped(games as u64)),
                Field::text(row.definition),
            ]
        })
        .collect();
    let titles = ["measure", "#value", "95 % interval", "#games", "definition"];
    (!rows.is_empty()).then(|| plain_table(&titles, rows))
}

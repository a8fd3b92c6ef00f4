//! The results of a study as CSV, JSON and Markdown, and the errors of a study file.

use std::fmt::Write as _;

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report};
use serde::Serialize;

use crate::statistics::Estimate;
use crate::study::{Entry, FileError, JudgeStudy, Outcome, Study};

use super::judge::{JudgementRow, rows};
use super::layout::{counted, grouped, percent, plural};
use super::study_tables::{MIN_PLAYOUTS, constructions, game_roles, judged_games};

/// The name and version of the document.
pub const SCHEMA: &str = "ggp.study/1";

/// Formats the error of a study file, with its lines.
pub fn fault(name: &str, text: &str, error: &FileError, colour: bool) -> String {
    let mut diagnostic = MietteDiagnostic::new(error.message.clone());
    if let Some(help) = &error.help {
        diagnostic = diagnostic.with_help(help.clone());
    }
    if let Some(place) = &error.place {
        diagnostic = diagnostic.with_label(LabeledSpan::at(place.clone(), "here"));
    }
    let report = Report::new(diagnostic).with_source_code(NamedSource::new(name, text.to_owned()));
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let mut out = String::new();
    // Writing to a string can't fail.
    let _ = GraphicalReportHandler::new_themed(theme).render_report(&mut out, report.as_ref());
    out
}

/// The results, without times.
#[derive(Serialize)]
struct StudyDocument<'a> {
    schema: &'static str,
    study: &'a str,
    seed: u64,
    version: &'static str,
    broken: Vec<BrokenGame<'a>>,
    games: [(); 0],
}

#[derive(Serialize)]
pub(super) struct BrokenGame<'a> {
    pub(super) path: &'a str,
    pub(super) reason: &'a str,
}

pub(super) fn broken_games(entries: &[Entry]) -> Vec<BrokenGame<'_>> {
    let broken = entries.iter().filter_map(|entry| match &entry.outcome {
        Outcome::Broken(reason) => Some(BrokenGame { path: &entry.path, reason }),
        Outcome::Judged(_) => None,
    });
    broken.collect()
}

/// The results as one JSON document, broken games first, one game per line. Functions that were compared only with outcomes
/// are left out; there are many, and the CSV rows have them.
///
/// # Errors
/// A number is not finite.
pub fn json(study: &Study, judged: &JudgeStudy, entries: &[Entry]) -> Result<String, serde_json::Error> {
    let document = StudyDocument {
        schema: SCHEMA,
        study: &study.name,
        seed: judged.limits.seed,
        version: env!("CARGO_PKG_VERSION"),
        broken: broken_games(entries),
        games: [],
    };
    let head = serde_json::to_string(&document)?;
    let mut out = head.strip_suffix("]}").unwrap_or(&head).to_owned();
    for (number, found) in judged_games(entries).enumerate() {
        out.push_str(if number > 0 { ",\n" } else { "\n" });
        let mut found = found.clone();
        found.verdict.functions.retain(|judgement| judgement.play.is_some() || judged.limits.play == 0);
        out.push_str(&serde_json::to_string(&found)?);
    }
    out.push_str("\n]}\n");
    Ok(out)
}

/// The rows of all games, one per function.
pub fn all_rows(entries: &[Entry]) -> Vec<JudgementRow> {
    judged_games(entries).flat_map(|found| rows(&found.game.name, &found.verdict)).collect()
}

/// The circumstances of the run.
pub struct Circumstances {
    /// The command line.
    pub command: String,
    /// The computer.
    pub machine: String,
    /// The time, in words; empty if unknown.
    pub time: String,
}

impl Circumstances {
    /// The facts that depend on the computer, by name.
    pub fn made(&self) -> Vec<(&'static str, String)> {
        let facts = [("Made on", &self.machine), ("Time", &self.time)];
        facts
            .into_iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(name, text)| (name, text.clone()))
            .collect()
    }
}

/// A result file without the parts that depend on the computer, the time and the command line.
pub fn without_circumstances(text: &str) -> String {
    let mut text = text.to_owned();
    let parts = [
        ("# Study `", "```text\n", "```\n"),
        ("# Study `", "## Made on\n", ""),
        // Style and scripts are not results.
        ("<!DOCTYPE html>", "<style>", "</style>"),
        ("<!DOCTYPE html>", "<script>", "</script>"),
        ("<!DOCTYPE html>", "<pre class=\"command\"", "</pre>"),
        ("<!DOCTYPE html>", "id=\"made-on\"", "</footer>"),
    ];
    for (beginning, from, to) in parts {
        if let Some(start) = text.find(from).filter(|_| text.starts_with(beginning)) {
            let rest = &text[start + from.len()..];
            let end = if to.is_empty() { rest.len() } else { rest.find(to).unwrap_or(rest.len()) };
            text.replace_range(start + from.len()..start + from.len() + end, "");
        }
    }
    text
}

/// The budget of the study, in words.
pub(super) fn budget(judged: &JudgeStudy) -> String {
    let limits = &judged.limits;
    let best = match limits.best {
        0 => "all functions".to_owned(),
        1 => "the function of each kind and role that correlates best with random results".to_owned(),
        best => {
            format!("the {best} functions of each kind and role that correlate best with random results")
        }
    };
    format!(
        "{} states per game; {} random and {} guided playouts from each state; {} playouts against random play by {best}; up \
         to {} states listed for exact values",
        grouped(limits.states),
        grouped(limits.playouts),
        limits.guided,
        grouped(limits.play),
        grouped(limits.exact.states as u64),
    )
}

/// The page: the settings, broken games, then the quality of the functions by kind and by game.
pub fn page(study: &Study, judged: &JudgeStudy, entries: &[Entry], about: &Circumstances) -> String {
    let mut out = format!("# Study `{}`\n\n", study.name);
    let _ = write!(
        out,
        "```text\n{}\n```\n\n{}; seed {}. ggp {}.\n\n",
        about.command,
        budget(judged),
        judged.limits.seed,
        env!("CARGO_PKG_VERSION"),
    );
    let broken = broken_games(entries);
    if !broken.is_empty() {
        out.push_str("## Broken games\n\n| game | why |\n|---|---|\n");
        for BrokenGame { path, reason } in &broken {
            let _ = writeln!(out, "| {path} | {} |", escape_cell(reason));
        }
        out.push('\n');
    }
    let left = study.games.len() - entries.len();
    if left > 0 {
        let _ = writeln!(
            out,
            "{left} of {} {} still to be judged.\n",
            counted(study.games.len() as u64, "game", "games"),
            plural(left as u64, "is", "are")
        );
    }
    by_construction(&mut out, entries);
    by_game(&mut out, entries);
    let _ = write!(out, "## Made on\n\n{}; {}.\n", about.machine, about.time);
    out
}

/// Escapes a text for a cell of a Markdown table.
pub(super) fn escape_cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn by_construction(out: &mut String, entries: &[Entry]) {
    let list = constructions(entries);
    if list.is_empty() {
        return;
    }
    let _ = write!(
        out,
        "## By construction\n\nEach game and role counts with the function that correlates best with random results. *Gain*: \
         mean goal value against random play minus that of `ends`, with Student's interval. `ends` is a player that only \
         sees moves that end the game. Games and roles count if at least {MIN_PLAYOUTS} playouts ended. *Better*, *worse*: number \
         of cases with disjoint intervals. *Best moves*: share of exactly best moves minus that of `ends`. *r*: mean of \
         Pearson's correlation with results of random and guided playouts. *Error*: mean calibration error, in goal points.\n\n\
         | construction | cases | gain | better | worse | best moves | r random | r guided | error |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for found in &list {
        let number = |value: Option<f64>, digits: usize| {
            value.map_or_else(|| "–".to_owned(), |value| format!("{value:.digits$}"))
        };
        let moves = found.moves.map_or_else(|| "–".to_owned(), |mean| format!("{:+.1} %", mean * 100.0));
        let ([better, worse], [random, guided]) = (found.apart, found.correlations);
        let _ = writeln!(
            out,
            "| {} | {} | {} | {better} | {worse} | {moves} | {} | {} | {} |",
            found.name,
            found.cases,
            gain(found.gain),
            number(random, 2),
            number(guided, 2),
            number(found.error, 1),
        );
    }
    out.push('\n');
}

pub(super) fn gain(estimate: Option<Estimate>) -> String {
    match estimate {
        None => "–".to_owned(),
        Some(Estimate { value, low: Some(low), high: Some(high) }) => {
            format!("{value:+.1} ({low:+.1} to {high:+.1})")
        }
        Some(Estimate { value, .. }) => format!("{value:+.1}"),
    }
}

fn by_game(out: &mut String, entries: &[Entry]) {
    out.push_str(
        "## By game\n\nMean goal value against random play. *Random*: of random play. *Ends*: of a player that only sees moves that \
         end the game. *Best*: of the function that plays best, with its interval; selection makes the best of many look \
         better than it is. Means of few playouts are left out. *Solved*: sampled states with an exact value. *Chance*, \
         *found*: share of exactly best moves of a random choice, and of that function.\n\n\
         | game | role | random | ends | best | its function | solved | chance | found |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for role in game_roles(entries) {
        let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"));
        let share = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), percent);
        let shown = role.best.map(|(_, goal)| match (goal.low, goal.high) {
            (Some(low), Some(high)) => format!("{:.1} ({low:.1} to {high:.1})", goal.mean),
            _ => format!("{:.1}", goal.mean),
        });
        let ([solved, states], [chance, found]) = (role.solved, role.moves);
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {solved} of {states} | {} | {} |",
            role.game,
            role.role,
            number(role.random),
            number(role.ends),
            shown.unwrap_or_else(|| "–".to_owned()),
            role.best.map_or("–".to_owned(), |(id, _)| format!("`{id}`")),
            share(chance),
            share(found),
        );
    }
    out.push('\n');
}

//! A study's results as CSV, JSON and a page to read, and what is wrong with a study file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report};
use serde::Serialize;

use crate::judge::{ENDS, Judgement, RoleVerdict, Verdict};
use crate::statistics::Mean;
use crate::statistics::interval::{Estimate, student};
use crate::study::{Entry, FileError, Found, JudgeStudy, Outcome, Study};

use super::judge::{Row, rows};
use super::layout::{counted, grouped, percent, plural};

/// The name and version of the document.
pub const SCHEMA: &str = "ggp.study/1";

/// What is wrong with a study file, with its lines.
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
    // Writing to a string does not fail.
    let _ = GraphicalReportHandler::new_themed(theme).render_report(&mut out, report.as_ref());
    out
}

/// The results, without what depends on the computer.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    study: &'a str,
    seed: u64,
    version: &'static str,
    broken: Vec<Broken<'a>>,
    games: [(); 0],
}

#[derive(Serialize)]
struct Broken<'a> {
    path: &'a str,
    reason: &'a str,
}

fn broken(entries: &[Entry]) -> Vec<Broken<'_>> {
    let broken = entries.iter().filter_map(|entry| match &entry.outcome {
        Outcome::Broken(reason) => Some(Broken { path: &entry.path, reason }),
        Outcome::Judged(_) => None,
    });
    broken.collect()
}

fn found(entries: &[Entry]) -> impl Iterator<Item = &Found> {
    entries.iter().filter_map(|entry| match &entry.outcome {
        Outcome::Judged(found) => Some(&**found),
        Outcome::Broken(_) => None,
    })
}

/// The results as one JSON document: broken games first; a game a line. Of functions that are only compared with
/// outcomes because others of their kind are played in their stead there are many; they stand in the rows alone.
///
/// # Errors
/// A number is not finite.
pub fn json(study: &Study, judged: &JudgeStudy, entries: &[Entry]) -> Result<String, serde_json::Error> {
    let document = Document {
        schema: SCHEMA,
        study: &study.name,
        seed: judged.limits.seed,
        version: env!("CARGO_PKG_VERSION"),
        broken: broken(entries),
        games: [],
    };
    let head = serde_json::to_string(&document)?;
    let mut out = head.strip_suffix("]}").unwrap_or(&head).to_owned();
    for (number, found) in found(entries).enumerate() {
        out.push_str(if number > 0 { ",\n" } else { "\n" });
        let mut found = found.clone();
        found.verdict.functions.retain(|judgement| judgement.play.is_some() || judged.limits.play == 0);
        out.push_str(&serde_json::to_string(&found)?);
    }
    out.push_str("\n]}\n");
    Ok(out)
}

/// A row for each function of each game.
pub fn all_rows(entries: &[Entry]) -> Vec<Row> {
    found(entries).flat_map(|found| rows(&found.game.name, &found.verdict)).collect()
}

/// What the page says of the run besides its results.
pub struct Circumstances {
    /// The command.
    pub command: String,
    /// The computer.
    pub machine: String,
}

/// The page: what was run, broken games first, then what the functions are worth, by kind and by game.
pub fn page(study: &Study, judged: &JudgeStudy, entries: &[Entry], about: &Circumstances) -> String {
    let mut out = format!("# Study `{}`\n\n", study.name);
    let limits = &judged.limits;
    let best = match limits.best {
        0 => "all functions".to_owned(),
        1 => "the function of each kind and role that goes best with random outcomes".to_owned(),
        best => {
            format!("the {best} functions of each kind and role that correlate best with random outcomes")
        }
    };
    let _ = write!(
        out,
        "```text\n{}\n```\n\n{} states a game, {} random and {} guided playouts from each; {} playouts against random \
         play by {best}; up to {} states listed for exact values; seed {}. ggp {}.\n\n",
        about.command,
        grouped(limits.states),
        grouped(limits.playouts),
        limits.guided,
        grouped(limits.play),
        grouped(limits.exact.states as u64),
        limits.seed,
        env!("CARGO_PKG_VERSION"),
    );
    let broken = broken(entries);
    if !broken.is_empty() {
        out.push_str("## Broken games\n\n| game | why |\n|---|---|\n");
        for Broken { path, reason } in &broken {
            let _ = writeln!(out, "| {path} | {} |", cell(reason));
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
    let seconds: f64 = entries.iter().map(|entry| entry.seconds).sum();
    let _ = write!(out, "## Made on\n\n{}; {seconds:.0} s in all.\n", about.machine);
    out
}

/// A text in a cell of a table.
pub(super) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// What a function is an instance of: its kind, with its settings where it has some.
fn construction(judgement: &Judgement) -> String {
    match judgement.id.find(" (") {
        Some(start) => format!("{}{}", judgement.kind, &judgement.id[start..]),
        None => judgement.kind.clone(),
    }
}

/// Of a role's functions the one of each construction that goes best with random outcomes: chosen by one sample of
/// playouts and measured in play by another, so that the choice does not flatter it there.
fn chosen<'v>(verdict: &'v Verdict, role: &RoleVerdict) -> BTreeMap<String, &'v Judgement> {
    let mut chosen: BTreeMap<String, &Judgement> = BTreeMap::new();
    let of_role = verdict.functions.iter().filter(|judgement| judgement.role == role.role);
    for judgement in of_role.filter(|judgement| judgement.id != ENDS && judgement.play.is_some()) {
        let worth = |judgement: &Judgement| judgement.correlation().unwrap_or(f64::NEG_INFINITY);
        let known = chosen.entry(construction(judgement)).or_insert(judgement);
        if worth(judgement) > worth(known) {
            *known = judgement;
        }
    }
    chosen
}

fn ends<'v>(verdict: &'v Verdict, role: &RoleVerdict) -> Option<&'v Judgement> {
    verdict.functions.iter().find(|judgement| judgement.role == role.role && judgement.id == ENDS)
}

/// Playouts against random play from which on their mean is shown. Where the work was spent before, those that came to
/// an end are the short ones, and say little of the others.
const PLAYED: u64 = 30;

/// The mean goal against random play, where it rests on enough playouts.
fn goal(judgement: &Judgement) -> Option<Mean> {
    judgement.play.as_ref().filter(|play| play.playouts >= PLAYED)?.goal
}

/// Numbers of a construction over games and roles.
#[derive(Default)]
struct Summary {
    /// Mean goal in play, less that of the player that only sees ends.
    gains: Vec<f64>,
    better: u64,
    worse: u64,
    /// Share of best moves found, less that of the same player.
    moves: Vec<f64>,
    random: Vec<f64>,
    guided: Vec<f64>,
    error: Vec<f64>,
}

fn by_construction(out: &mut String, entries: &[Entry]) {
    let mut summaries: BTreeMap<String, Summary> = BTreeMap::new();
    for Found { verdict, .. } in found(entries) {
        for role in &verdict.roles {
            let Some(ends) = ends(verdict, role) else { continue };
            for (construction, judgement) in chosen(verdict, role) {
                summaries.entry(construction).or_default().add(judgement, ends, role);
            }
        }
    }
    if summaries.is_empty() {
        return;
    }
    let _ = write!(
        out,
        "## By construction\n\nOver games and roles, of each the function that goes best with random outcomes. *Gain*: \
         mean goal against random play less that of the player who only sees ends one move ahead, with Student's \
         interval, over games and roles where {PLAYED} playouts and more came to an end; *better*, *worse*: in how many \
         cases the two intervals lie apart. *Best moves*: share of exactly \
         best moves found, less that of the same player. *r*: mean of Pearson's correlation with outcomes at random \
         and guided. *Error*: mean calibration error, in goal points.\n\n\
         | construction | cases | gain | better | worse | best moves | r random | r guided | error |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    let mean = |values: &[f64]| student(values).map(|estimate| estimate.value);
    let mut list: Vec<(String, Summary)> = summaries.into_iter().collect();
    list.sort_by(|a, b| mean(&b.1.gains).unwrap_or(0.0).total_cmp(&mean(&a.1.gains).unwrap_or(0.0)));
    for (construction, summary) in &list {
        let number = |values: &[f64], digits: usize| {
            mean(values).map_or_else(|| "–".to_owned(), |mean| format!("{mean:.digits$}"))
        };
        let moves =
            mean(&summary.moves).map_or_else(|| "–".to_owned(), |mean| format!("{:+.1} %", mean * 100.0));
        let _ = writeln!(
            out,
            "| {construction} | {} | {} | {} | {} | {moves} | {} | {} | {} |",
            summary.gains.len(),
            gain(student(&summary.gains)),
            summary.better,
            summary.worse,
            number(&summary.random, 2),
            number(&summary.guided, 2),
            number(&summary.error, 1),
        );
    }
    out.push('\n');
}

fn gain(estimate: Option<Estimate>) -> String {
    match estimate {
        None => "–".to_owned(),
        Some(Estimate { value, low: Some(low), high: Some(high) }) => {
            format!("{value:+.1} ({low:+.1} to {high:+.1})")
        }
        Some(Estimate { value, .. }) => format!("{value:+.1}"),
    }
}

impl Summary {
    fn add(&mut self, judgement: &Judgement, ends: &Judgement, role: &RoleVerdict) {
        if let (Some(own), Some(other)) = (goal(judgement), goal(ends)) {
            self.gains.push(own.mean - other.mean);
            let apart = |below: Option<f64>, above: Option<f64>| below.zip(above).is_some_and(|(a, b)| a < b);
            self.better += u64::from(apart(other.high, own.low));
            self.worse += u64::from(apart(own.high, other.low));
        }
        if let (Some(own), Some(other), true) = (&judgement.exact, &ends.exact, role.choices > 0) {
            self.moves.push(own.best.share - other.best.share);
        }
        self.random.extend(judgement.correlation());
        self.guided.extend(judgement.guided.first().and_then(|all| all.pearson).map(|found| found.value));
        self.error.extend(judgement.calibration.as_ref().map(|calibration| calibration.error));
    }
}

fn by_game(out: &mut String, entries: &[Entry]) {
    out.push_str(
        "## By game\n\nMean goal against random play: *random* of a player at random, *ends* of one who only sees ends, \
         *best* of the function that is best in play (the best of many looks better than it is), with its interval; of few \
         playouts none is given. \
         *Solved*: sampled states with an exact value; *chance*: exactly best moves by lot; *found*: by that function.\n\n\
         | game | role | random | ends | best | its function | solved | chance | found |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for Found { game, verdict } in found(entries) {
        for role in &verdict.roles {
            let number =
                |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"));
            let share = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), percent);
            let of_role = verdict.functions.iter().filter(|judgement| judgement.role == role.role);
            let worth = |judgement: &Judgement| goal(judgement).map(|goal| goal.mean);
            let played = of_role.filter(|judgement| judgement.id != ENDS && goal(judgement).is_some());
            let best = played.reduce(|a, b| if worth(b) > worth(a) { b } else { a });
            let shown = best.and_then(goal).map(|goal| match (goal.low, goal.high) {
                (Some(low), Some(high)) => format!("{:.1} ({low:.1} to {high:.1})", goal.mean),
                _ => format!("{:.1}", goal.mean),
            });
            let found = best.and_then(|best| best.exact.as_ref()).map(|exact| exact.best.share);
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} | {} of {} | {} | {} |",
                game.name,
                role.role,
                number(role.random.map(|random| random.value)),
                number(ends(verdict, role).and_then(worth)),
                shown.unwrap_or_else(|| "–".to_owned()),
                best.map_or("–".to_owned(), |best| format!("`{}`", best.id)),
                role.solved,
                verdict.states,
                share(role.chance),
                share(found.filter(|_| role.choices > 0)),
            );
        }
    }
    out.push('\n');
}

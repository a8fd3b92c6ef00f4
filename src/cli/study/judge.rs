//! A study that judges evaluation functions.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::Context as _;

use super::super::circumstances::circumstances;
use super::super::progress::bar;
use super::super::{Exit, game, interrupt, print_note};
use super::{Arguments, StudyResult, command, parts};
use crate::arena::Log;
use crate::gdl::identity::sha256;
use crate::judge::JudgeContext;
use crate::report::csv_text::to_csv;
use crate::report::files::write_whole;
use crate::report::html::judged_page;
use crate::report::layout::counted;
use crate::report::study::{all_rows, json, page};
use crate::study::{Entry, JudgeStudy, Outcome, Study, judge_game};

/// Judges the functions of all games. `text` is the text of the study file.
pub(super) fn run(
    study: &Study,
    judged: &JudgeStudy,
    text: &str,
    arguments: &Arguments,
) -> anyhow::Result<StudyResult> {
    let mut judged = judged.clone();
    judged.limits.threads = arguments.threads;
    let mut log = parts::log(study, text, arguments)?;
    if !log.entries.is_empty() {
        print_note(&format!(
            "{} of {} done already\n",
            log.entries.len(),
            counted(study.games.len() as u64, "game is", "games are")
        ))?;
    }
    let games = parts::games(study, arguments);
    if arguments.cluster.is_asked() && log.entries.len() < games.len() {
        #[cfg(feature = "cluster")]
        study_on_cluster(study, text, arguments, &mut log)?;
    } else {
        study_games(&games, &judged, &mut log)?;
    }
    if let Some(result) = parts::part_result(arguments, log.entries.len(), games.len()) {
        return result;
    }

    write_files(study, &judged, &log, &arguments.file)
        .with_context(|| format!("{} can't be written", study.out.display()))?;
    let broken = log.entries.iter().filter(|entry| matches!(entry.outcome, Outcome::Broken(_))).count();
    let mut message = String::new();
    for entry in &log.entries {
        if let Outcome::Broken(reason) = &entry.outcome {
            message.push_str(&format!("broken: {}: {reason}\n", entry.path));
        }
    }
    let done = log.entries.len() - broken;
    let done = counted(done as u64, "game", "games");
    message
        .push_str(&format!("{done} studied, {broken} broken; {}\n", study.out.join("README.md").display()));
    if interrupt::asked() {
        return parts::interrupted(study.games.len() - log.entries.len(), message);
    }
    Ok(StudyResult { message, exit: if broken > 0 { Exit::Findings } else { Exit::Ok } })
}

/// Studies the games that are not in the log yet, in the order of the study.
fn study_games(games: &[&PathBuf], judged: &JudgeStudy, log: &mut Log<Entry>) -> anyhow::Result<()> {
    let bar = bar(games.len() as u64, "games");
    // Games from an earlier run must not affect the estimate of the remaining time.
    let bar = bar.with_position(log.entries.len() as u64);
    bar.reset_eta();
    for &path in games.iter().skip(log.entries.len()) {
        bar.set_message(path.display().to_string());
        let entry = entry_of_game(path, judged, interrupt::flag());
        if interrupt::asked() {
            // An incomplete result would depend on the time of the interrupt.
            break;
        }
        log.add(entry)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}

/// Judges the functions of a game, and makes its log entry.
pub(in crate::cli) fn entry_of_game(path: &Path, judged: &JudgeStudy, interrupt: &Arc<AtomicBool>) -> Entry {
    let context = JudgeContext { interrupt: Some(interrupt), ..JudgeContext::default() };
    let clock = Instant::now();
    let result = game::source(path)
        .map_err(|error| format!("the file can't be read: {error}"))
        .and_then(|source| judge_game(judged, &source, &context));
    let outcome = match result {
        Ok(result) => Outcome::Judged(Box::new(result)),
        Err(reason) => Outcome::Broken(reason),
    };
    Entry { path: path.display().to_string(), outcome, seconds: clock.elapsed().as_secs_f64() }
}

/// Judges the functions of the remaining games on a cluster. A game that failed on every attempt is logged as broken.
#[cfg(feature = "cluster")]
fn study_on_cluster(
    study: &Study,
    text: &str,
    arguments: &Arguments,
    log: &mut Log<Entry>,
) -> anyhow::Result<()> {
    let done = log.entries.len();
    let mut log_result = |game: u64, result: Result<Entry, String>| {
        let path = study.games[game as usize].display().to_string();
        let given_up = |why| Entry { path: path.clone(), outcome: Outcome::Broken(why), seconds: 0.0 };
        Ok(log.add(result.unwrap_or_else(given_up))?)
    };
    super::super::cluster::study(&arguments.cluster, study, text, done, arguments.fresh, &mut log_result)?;
    Ok(())
}

fn write_files(study: &Study, judged: &JudgeStudy, log: &Log<Entry>, path: &Path) -> anyhow::Result<()> {
    write_whole(&study.out.join("functions.csv"), &to_csv(&all_rows(&log.entries))?)?;
    write_whole(&study.out.join("study.json"), &json(study, judged, &log.entries)?)?;
    let seconds: f64 = log.entries.iter().map(|entry| entry.seconds).sum();
    let about = circumstances(command(path), format!("{seconds:.0} s in all"));
    write_whole(&study.out.join("README.md"), &page(study, judged, &log.entries, &about))?;
    let hash = |path: &PathBuf| std::fs::read(path).map_or_else(|_| String::new(), |bytes| sha256(&bytes));
    let hashes: Vec<String> = study.games.iter().map(hash).collect();
    write_whole(&study.out.join("report.html"), &judged_page(study, judged, &log.entries, &hashes, &about)?)?;
    Ok(())
}

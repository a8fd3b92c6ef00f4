//! A study that judges evaluation functions.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, ensure};

use super::super::circumstances::circumstances;
use super::super::playouts::bar;
use super::super::{Exit, game, interrupt, note};
use super::{Arguments, LOG, Made, command};
use crate::arena::Log;
use crate::gdl::identity::sha256;
use crate::judge::JudgeContext;
use crate::report::files::write_whole;
use crate::report::html::judged_page;
use crate::report::layout::counted;
use crate::report::rows::to_csv;
use crate::report::study::{all_rows, json, page};
use crate::study::{Entry, JudgeStudy, Outcome, Study, judge_game, open_log};

/// Judges the functions of all games; `text` is the study file's.
pub(super) fn run(
    study: &Study,
    judged: &JudgeStudy,
    text: &str,
    arguments: &Arguments,
) -> anyhow::Result<Made> {
    let mut judged = judged.clone();
    judged.limits.threads = arguments.threads;
    let place = arguments.part.map_or_else(|| LOG.into(), |part| part.log());
    let mut log = open_log(&study.out.join(place), text, &study.games, arguments.fresh)?;
    if !arguments.merge.is_empty() {
        merge(study, &mut log, text, &arguments.merge)?;
    }
    if !log.entries.is_empty() {
        note(&format!(
            "{} of {} done already\n",
            log.entries.len(),
            counted(study.games.len() as u64, "game is", "games are")
        ))?;
    }
    let has = |game: u64| arguments.part.is_none_or(|part| part.has(game));
    let games = study.games.iter().enumerate().filter(|(number, _)| has(*number as u64));
    let games: Vec<&PathBuf> = games.map(|(_, path)| path).collect();
    if arguments.merge.is_empty() {
        study_games(&games, &judged, &mut log)?;
    }
    if let Some(part) = arguments.part {
        let done = counted(log.entries.len() as u64, "game", "games");
        let said = format!("part {part}: {done}\n");
        return match interrupt::asked() {
            true => left(games.len() - log.entries.len(), said),
            false => Ok(Made { said, exit: Exit::Ok }),
        };
    }

    write_files(study, &judged, &log, &arguments.file)
        .with_context(|| format!("{} can't be written", study.out.display()))?;
    let broken = log.entries.iter().filter(|entry| matches!(entry.outcome, Outcome::Broken(_))).count();
    let mut said = String::new();
    for entry in &log.entries {
        if let Outcome::Broken(reason) = &entry.outcome {
            said.push_str(&format!("broken: {}: {reason}\n", entry.path));
        }
    }
    let done = log.entries.len() - broken;
    let done = counted(done as u64, "game", "games");
    said.push_str(&format!("{done} studied, {broken} broken; {}\n", study.out.join("README.md").display()));
    if interrupt::asked() {
        return left(games.len() - log.entries.len(), said);
    }
    Ok(Made { said, exit: if broken > 0 { Exit::Findings } else { Exit::Ok } })
}

/// Says that the end was asked for while some games were left.
fn left(games: usize, said: String) -> anyhow::Result<Made> {
    let left = counted(games as u64, "game is", "games are");
    note(&format!("interrupted: {left} left; the same command resumes\n"))?;
    Ok(Made { said, exit: Exit::Interrupted })
}

/// Adds what the logs of parts have, in the order of the study, as far as no game is missing.
fn merge(study: &Study, log: &mut Log<Entry>, text: &str, parts: &[PathBuf]) -> anyhow::Result<()> {
    let mut found = Vec::new();
    for path in parts {
        ensure!(path.is_file(), "{} is not there", path.display());
        found.extend(open_log(path, text, &study.games, false)?.entries);
    }
    let before = log.entries.len();
    for game in study.games.iter().skip(before) {
        let shown = game.display().to_string();
        let Some(entry) = found.iter().find(|entry| entry.path == shown) else { break };
        log.add(entry.clone())?;
    }
    let (added, left) = (log.entries.len() - before, study.games.len() - log.entries.len());
    let added = counted(added as u64, "game", "games");
    let missing = if left > 0 {
        format!("; {left} left: the command without --merge does them")
    } else {
        String::new()
    };
    note(&format!("{added} added{missing}\n"))
}

/// Studies the games that are not in the log, in their order.
fn study_games(games: &[&PathBuf], judged: &JudgeStudy, log: &mut Log<Entry>) -> anyhow::Result<()> {
    let bar = bar(games.len() as u64, "games");
    // What was done before takes no time and must not make the rest look quick.
    let bar = bar.with_position(log.entries.len() as u64);
    bar.reset_eta();
    let context = JudgeContext { interrupt: Some(interrupt::flag()), progress: None };
    for &path in games.iter().skip(log.entries.len()) {
        bar.set_message(path.display().to_string());
        let clock = Instant::now();
        let found = game::source(path)
            .map_err(|error| format!("the file can't be read: {error}"))
            .and_then(|source| judge_game(judged, &source, &context));
        if interrupt::asked() {
            // What was found in part would depend on the clock.
            break;
        }
        let outcome = match found {
            Ok(found) => Outcome::Judged(Box::new(found)),
            Err(reason) => Outcome::Broken(reason),
        };
        let seconds = clock.elapsed().as_secs_f64();
        log.add(Entry { path: path.display().to_string(), outcome, seconds })?;
        bar.inc(1);
    }
    bar.finish_and_clear();
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

//! A study that judges evaluation functions.

use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;

use super::super::playouts::bar;
use super::super::{Exit, game, interrupt, note, print};
use super::{Arguments, LOG, circumstances};
use crate::arena::Log;
use crate::judge::JudgeContext;
use crate::report::files::write_whole;
use crate::report::layout::counted;
use crate::report::rows::to_csv;
use crate::report::study::{all_rows, json, page};
use crate::study::{Entry, JudgeStudy, Outcome, Study, judge_game, open_log};

/// Judges the functions of all games; `text` is the study file's.
pub(super) fn run(
    study: &Study,
    mut judged: JudgeStudy,
    text: &str,
    arguments: &Arguments,
) -> anyhow::Result<Exit> {
    judged.limits.threads = arguments.threads;
    let mut log = open_log(&study.out.join(LOG), text, &study.games, arguments.fresh)?;
    if !log.entries.is_empty() {
        note(&format!(
            "{} of {} done already\n",
            log.entries.len(),
            counted(study.games.len() as u64, "game is", "games are")
        ))?;
    }
    study_games(study, &judged, &mut log)?;

    write_files(study, &judged, &log, &arguments.file)
        .with_context(|| format!("{} can't be written", study.out.display()))?;
    let broken = log.entries.iter().filter(|entry| matches!(entry.outcome, Outcome::Broken(_))).count();
    for entry in &log.entries {
        if let Outcome::Broken(reason) = &entry.outcome {
            print(&format!("broken: {}: {reason}\n", entry.path))?;
        }
    }
    let done = log.entries.len() - broken;
    let done = counted(done as u64, "game", "games");
    print(&format!("{done} studied, {broken} broken; {}\n", study.out.join("README.md").display()))?;
    if interrupt::asked() {
        let left = study.games.len() - log.entries.len();
        let left = counted(left as u64, "game is", "games are");
        note(&format!("interrupted: {left} left; the same command resumes\n"))?;
        return Ok(Exit::Interrupted);
    }
    Ok(if broken > 0 { Exit::Findings } else { Exit::Ok })
}

/// Studies the games that are not in the log, in the order of the study.
fn study_games(study: &Study, judged: &JudgeStudy, log: &mut Log<Entry>) -> anyhow::Result<()> {
    let bar = bar(study.games.len() as u64, "games");
    // What was done before takes no time and must not make the rest look quick.
    let bar = bar.with_position(log.entries.len() as u64);
    bar.reset_eta();
    let context = JudgeContext { interrupt: Some(interrupt::flag()), progress: None };
    for path in study.games.iter().skip(log.entries.len()) {
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
    let about = circumstances(path);
    write_whole(&study.out.join("README.md"), &page(study, judged, &log.entries, &about))?;
    Ok(())
}

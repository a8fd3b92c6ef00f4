//! `ggp study`: runs a study file over its games, and goes on where an earlier run ended.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, bail};
use clap::Args;

use crate::judge::JudgeContext;
use crate::report::files::write_whole;
use crate::report::rows::to_csv;
use crate::report::study::{Circumstances, all_rows, fault, json, page};
use crate::study::{Entry, Log, Outcome, Study, judge_game};

use super::play::bar;
use super::{Exit, interrupt, note, print};

/// The log's name in the folder of results.
const LOG: &str = "log.jsonl";

/// Run a study: one analysis over many games, as a file in TOML says
///
/// What is found goes into log.jsonl in the study's folder, game by game. The same command goes on where the last run
/// ended, however it ended. From the log come functions.csv, study.json and README.md.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The study file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Drop what an earlier run found
    #[arg(long)]
    fresh: bool,
    /// Folder of the results [default: as the file says, else reports/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Threads [default: one for each processor]
    #[arg(long, value_name = "T", default_value_t = 0, hide_default_value = true)]
    threads: usize,
}

const EXAMPLES: &str = "\
A study file:
  kind = \"judge\"
  games = [\"../games/*.kif\"]    # relative to the file
  functions = [\"fuzzy\"]         # kinds or ids; all where it is missing
  seed = 1
  [budget]
  states = 200                  # as the options of ggp judge
  play = 100

Exit status: 0 all games studied, 1 a game is broken or the file can't be used, 2 wrong usage, 130
interrupted (the same command goes on).";

/// Runs a study.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    let path = &arguments.file;
    let text = std::fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))?;
    let mut study = match Study::read(path, &text) {
        Ok(study) => study,
        Err(error) => {
            let shown = path.display().to_string();
            note(&fault(&shown, &text, &error, std::io::stderr().is_terminal()))?;
            bail!("{shown} is no study file");
        }
    };
    study.limits.threads = arguments.threads;
    if let Some(out) = &arguments.out {
        study.out.clone_from(out);
    }
    let mut log = Log::open(&study.out.join(LOG), &text, &study.games, arguments.fresh)?;
    if !log.entries.is_empty() {
        note(&format!("{} of {} games are done already\n", log.entries.len(), study.games.len()))?;
    }
    study_games(&study, &mut log)?;

    write_files(&study, &log, path).with_context(|| format!("{} can't be written", study.out.display()))?;
    let broken = log.entries.iter().filter(|entry| matches!(entry.outcome, Outcome::Broken(_))).count();
    for entry in &log.entries {
        if let Outcome::Broken(reason) = &entry.outcome {
            print(&format!("broken: {}: {reason}\n", entry.path))?;
        }
    }
    let done = log.entries.len() - broken;
    print(&format!("{done} games studied, {broken} broken; {}\n", study.out.join("README.md").display()))?;
    if interrupt::asked() {
        let left = study.games.len() - log.entries.len();
        note(&format!("interrupted: {left} games are left; the same command goes on\n"))?;
        return Ok(Exit::Interrupted);
    }
    Ok(if broken > 0 { Exit::Findings } else { Exit::Ok })
}

/// Studies the games that are not in the log, in the order of the study.
fn study_games(study: &Study, log: &mut Log) -> anyhow::Result<()> {
    let bar = bar(study.games.len() as u64, "games");
    // What was done before takes no time and must not make the rest look quick.
    let bar = bar.with_position(log.entries.len() as u64);
    bar.reset_eta();
    let context = JudgeContext { interrupt: Some(interrupt::flag()), progress: None };
    for path in study.games.iter().skip(log.entries.len()) {
        bar.set_message(path.display().to_string());
        let clock = Instant::now();
        let found = judge_game(study, path, &context);
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

fn write_files(study: &Study, log: &Log, path: &Path) -> anyhow::Result<()> {
    write_whole(&study.out.join("functions.csv"), &to_csv(&all_rows(&log.entries))?)?;
    write_whole(&study.out.join("study.json"), &json(study, &log.entries)?)?;
    let about = Circumstances { command: format!("ggp study {}", path.display()), machine: computer() };
    write_whole(&study.out.join("README.md"), &page(study, &log.entries, &about))?;
    Ok(())
}

/// The computer in a few words: processors and their name, where the system tells it.
fn computer() -> String {
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = told.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    match name {
        Some((_, name)) => format!("{count} processors, {name}, {system}"),
        None => format!("{count} processors, {system}"),
    }
}

//! `ggp study --check`: checks whether the program would produce the results in a study's folder again.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use super::super::cluster::ClusterArguments;
use super::super::tournament::{LOG, planned, tables};
use super::super::{Exit, game, interrupt, print, print_detail};
use super::{Arguments, StudyResult, make, matches};
use crate::arena::tournament::{Tournament, TournamentError};
use crate::report::layout::counted;
use crate::report::study::without_circumstances;
use crate::study::{GameEntry, MatchStudy, Measurement, Study, folder, open_log};

/// Compares the results; the exit status reports whether they differ.
pub(super) fn run(mut study: Study, text: &str, arguments: &Arguments) -> anyhow::Result<Exit> {
    let results = study.out.clone();
    if !results.is_dir() {
        bail!("{} is no folder of results; `ggp study` without --check makes it", results.display());
    }
    let scratch = tempfile::tempdir().context("no temporary folder can be made")?;
    let mut found = CheckResult::default();
    let by_clock = study.by_clock();
    if let (true, Measurement::Matches(matches)) = (by_clock, &study.work) {
        compare_plans(&study, matches, scratch.path(), &mut found)?;
    } else if by_clock && !copy_log(&study, text, scratch.path(), &mut found)? {
        // The log is incomplete or belongs to other games. `copy_log` has recorded the difference.
    } else {
        study.out = scratch.path().to_owned();
        let again = Arguments {
            fresh: !by_clock,
            file: arguments.file.clone(),
            out: None,
            merge: Vec::new(),
            cluster: ClusterArguments::default(),
            ..*arguments
        };
        let StudyResult { exit, .. } = make(&study, text, &again)?;
        if interrupt::asked() {
            return Ok(Exit::Interrupted);
        }
        if exit == Exit::Usage {
            return Ok(exit);
        }
        let mut files = Vec::new();
        gather(scratch.path(), &mut files)?;
        for file in files {
            let inside = file.strip_prefix(scratch.path()).unwrap_or(&file);
            // Logs contain the start times of matches, which always differ.
            if inside.file_name().is_some_and(|name| name != LOG) {
                let now = std::fs::read_to_string(&file)?;
                found.compare(&results.join(inside), &without_circumstances(&now));
            }
        }
    }
    print_detail(&format!("compared: {}\n", found.compared.join(", ")))?;
    let files = counted(found.compared.len() as u64, "file", "files");
    let out = results.display();
    Ok(if found.differences.is_empty() {
        print(&format!("{out}: {files} compared, no differences\n"))?;
        Exit::Ok
    } else {
        let differ = found.differences.len();
        let lines: String = found.differences.iter().map(|line| format!("differs: {line}\n")).collect();
        print(&format!("{lines}{out}: {differ} of {files} differ\n"))?;
        Exit::Different
    })
}

/// The compared files and their differences.
#[derive(Default)]
struct CheckResult {
    compared: Vec<String>,
    /// A line for each file that differs.
    differences: Vec<String>,
}

impl CheckResult {
    /// Compares a file with its expected text.
    fn compare(&mut self, file: &Path, now: &str) {
        let shown = file.display().to_string();
        self.compared.push(shown.clone());
        match std::fs::read_to_string(file).map(|text| without_circumstances(&text)) {
            Ok(then) if then == now => {}
            Ok(then) => {
                let same = then.lines().zip(now.lines()).take_while(|(then, now)| then == now).count();
                let line = |text: &str| {
                    let line = text.lines().nth(same).unwrap_or("nothing");
                    line.chars().take(MAX_LINE).collect::<String>()
                };
                let (then, now) = (line(&then), line(now));
                self.differences.push(format!("{shown}, line {}: {then}\n  today: {now}", same + 1));
            }
            Err(error) => self.differences.push(format!("{shown}: {error}")),
        }
    }
}

/// Maximum number of characters shown of a line.
const MAX_LINE: usize = 160;

/// Collects all files of a folder and its subfolders, sorted by path.
fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut entries = entries.collect::<std::io::Result<Vec<PathBuf>>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            gather(&entry, files)?;
        } else {
            files.push(entry);
        }
    }
    Ok(())
}

/// Copies the log of a study that depends on the clock, so that its files can be made from it again. Returns false if
/// the log is incomplete or belongs to another study.
fn copy_log(study: &Study, text: &str, scratch: &Path, result: &mut CheckResult) -> anyhow::Result<bool> {
    let (log, copy) = (study.out.join(LOG), scratch.join(LOG));
    let shown = log.display().to_string();
    result.compared.push(shown.clone());
    let opened = match std::fs::copy(&log, &copy) {
        Ok(_) => open_log::<GameEntry<serde_json::Value>>(&copy, text, &study.games, game::negation(), false),
        Err(error) => {
            result.differences.push(format!("{shown}: {error}"));
            return Ok(false);
        }
    };
    let left = match opened {
        Ok(log) => study.games.len() - log.entries.len(),
        Err(error) => {
            result.differences.push(error.to_string().replace(&copy.display().to_string(), &shown));
            return Ok(false);
        }
    };
    if left > 0 {
        result.differences.push(format!("{shown}: {} left", counted(left as u64, "game is", "games are")));
    }
    Ok(left == 0)
}

/// Checks a study of tournaments that depend on the clock. Compares the logged plans with the current plans, and the
/// tables with those made from the logs.
fn compare_plans(
    study: &Study,
    matches: &MatchStudy,
    scratch: &Path,
    result: &mut CheckResult,
) -> anyhow::Result<()> {
    let games = matches::games(study)?;
    for &thinking in &matches.thinking {
        let results = study.out.join(folder(&thinking));
        let log = results.join(LOG);
        // `Tournament::open` may write to the log, so it gets a copy.
        let copy = scratch.join(folder(&thinking)).join(LOG);
        std::fs::create_dir_all(copy.parent().unwrap_or(scratch))?;
        if let Err(error) = std::fs::copy(&log, &copy) {
            result.compared.push(log.display().to_string());
            result.differences.push(format!("{}: {error}", log.display()));
            continue;
        }
        let plan = matches.plan(thinking, games.iter().map(planned).collect());
        let tournament = match Tournament::open(plan, &copy, false) {
            Ok(tournament) => tournament,
            Err(TournamentError::Log(error)) => {
                result.compared.push(log.display().to_string());
                result
                    .differences
                    .push(error.to_string().replace(&copy.display().to_string(), &log.display().to_string()));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        for (name, text) in tables(&tournament, &tournament.summary())? {
            result.compare(&results.join(name), &text);
        }
    }
    Ok(())
}

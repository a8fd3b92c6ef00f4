//! Runs studies that have one result for each game.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::circumstances::circumstances;
use super::super::progress::bar;
use super::super::{Exit, interrupt};
use super::{Arguments, StudyResult, command, parts};
#[cfg(feature = "cluster")]
use crate::arena::Log;
use crate::gdl::identity::sha256;
use crate::report::files::write_whole;
use crate::report::layout::counted;
use crate::report::study::Circumstances;
use crate::study::{GameEntry, Study};

/// The results from which the files of a study are written.
pub(super) struct Results<'a, T> {
    pub(super) study: &'a Study,
    pub(super) entries: &'a [GameEntry<T>],
    /// SHA-256 of the games' files, in the order of the study.
    pub(super) hashes: &'a [String],
    pub(super) about: &'a Circumstances,
}

/// Studies the games that are not in the log yet, then writes the result files. `files` returns their names and contents.
pub(super) fn run<T: Clone + Serialize + DeserializeOwned>(
    study: &Study,
    text: &str,
    arguments: &Arguments,
    of_game: impl Fn(&Path) -> anyhow::Result<T>,
    files: impl Fn(&Results<'_, T>) -> anyhow::Result<Vec<(&'static str, String)>>,
) -> anyhow::Result<StudyResult> {
    let mut log = parts::log::<GameEntry<T>>(study, text, arguments)?;
    let games = parts::games(study, arguments);
    if arguments.cluster.is_asked() && log.entries.len() < games.len() {
        #[cfg(feature = "cluster")]
        study_on_cluster(study, text, arguments, &mut log)?;
    } else {
        let bar = bar(games.len() as u64, "games").with_position(log.entries.len() as u64);
        bar.reset_eta();
        for &path in games.iter().skip(log.entries.len()) {
            bar.set_message(path.display().to_string());
            let entry = entry(path, &of_game);
            if interrupt::asked() {
                // An incomplete result would depend on the time of the interrupt.
                break;
            }
            log.add(entry)?;
            bar.inc(1);
        }
        bar.finish_and_clear();
    }
    if let Some(result) = parts::part_result(arguments, log.entries.len(), games.len()) {
        return result;
    }
    let seconds: f64 = log.entries.iter().map(|entry| entry.seconds).sum();
    let about = circumstances(command(&arguments.file), format!("{seconds:.0} s in all"));
    let hash = |path: &PathBuf| std::fs::read(path).map_or_else(|_| String::new(), |bytes| sha256(&bytes));
    let hashes: Vec<String> = study.games.iter().map(hash).collect();
    let results = Results { study, entries: &log.entries, hashes: &hashes, about: &about };
    for (name, text) in files(&results)? {
        let file = study.out.join(name);
        write_whole(&file, &text).with_context(|| format!("{} can't be written", file.display()))?;
    }
    let broken: Vec<&GameEntry<T>> = log.entries.iter().filter(|entry| entry.broken.is_some()).collect();
    let mut message: String = broken
        .iter()
        .map(|entry| format!("broken: {}: {}\n", entry.path, entry.broken.as_deref().unwrap_or_default()))
        .collect();
    let done = counted((log.entries.len() - broken.len()) as u64, "game", "games");
    let shown = study.out.join("README.md");
    message.push_str(&format!("{done} studied, {} broken; {}\n", broken.len(), shown.display()));
    if interrupt::asked() {
        return parts::interrupted(study.games.len() - log.entries.len(), message);
    }
    Ok(StudyResult { message, exit: if broken.is_empty() { Exit::Ok } else { Exit::Findings } })
}

/// Studies a game, and makes its log entry.
pub(super) fn entry<T>(path: &Path, of_game: impl Fn(&Path) -> anyhow::Result<T>) -> GameEntry<T> {
    let clock = Instant::now();
    let (found, broken) = match of_game(path) {
        Ok(found) => (Some(found), None),
        Err(error) => (None, Some(format!("{error:#}"))),
    };
    let seconds = (clock.elapsed().as_secs_f64() * 1e3).round() / 1e3;
    GameEntry { path: path.display().to_string(), found, broken, seconds }
}

/// Studies the remaining games on a cluster. A game that failed on every attempt is logged as broken.
#[cfg(feature = "cluster")]
fn study_on_cluster<T: Clone + Serialize + DeserializeOwned>(
    study: &Study,
    text: &str,
    arguments: &Arguments,
    log: &mut Log<GameEntry<T>>,
) -> anyhow::Result<()> {
    let done = log.entries.len();
    let mut keep = |game: u64, found: Result<GameEntry<T>, String>| {
        let path = study.games[game as usize].display().to_string();
        let given_up = |why| GameEntry { path: path.clone(), found: None, broken: Some(why), seconds: 0.0 };
        Ok(log.add(found.unwrap_or_else(given_up))?)
    };
    super::super::cluster::study(&arguments.cluster, study, text, done, arguments.fresh, &mut keep)?;
    Ok(())
}

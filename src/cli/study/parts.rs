//! Parts of a study with one result per game: the games and the log of a part, and the merging of logs.

use std::path::PathBuf;

use anyhow::ensure;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::{Exit, game, interrupt, print_note};
use super::{Arguments, LOG, StudyResult};
use crate::arena::Log;
use crate::report::layout::counted;
use crate::study::{GameResult, Study, open_log};

/// Opens the log of the study, or of the part given by `--part`. With `--merge`, adds the entries of those logs.
pub(super) fn log<E: GameResult + Clone + Serialize + DeserializeOwned>(
    study: &Study,
    text: &str,
    arguments: &Arguments,
) -> anyhow::Result<Log<E>> {
    let place = arguments.part.map_or_else(|| LOG.into(), |part| part.log());
    let mut log =
        open_log::<E>(&study.out.join(place), text, &study.games, game::negation(), arguments.fresh)?;
    if !arguments.merge.is_empty() {
        merge(study, &mut log, text, &arguments.merge)?;
    }
    Ok(log)
}

/// The games of a run, in the order of the study; empty if it only merges logs.
pub(super) fn games<'s>(study: &'s Study, arguments: &Arguments) -> Vec<&'s PathBuf> {
    if !arguments.merge.is_empty() {
        return Vec::new();
    }
    let has = |game: u64| arguments.part.is_none_or(|part| part.has(game));
    let games = study.games.iter().enumerate().filter(|(number, _)| has(*number as u64));
    games.map(|(_, path)| path).collect()
}

/// The result of a run with `--part`, complete or interrupted; `None` without `--part`.
pub(super) fn part_result(
    arguments: &Arguments,
    done: usize,
    games: usize,
) -> Option<anyhow::Result<StudyResult>> {
    let part = arguments.part?;
    let message = format!("part {part}: {}\n", counted(done as u64, "game", "games"));
    Some(match interrupt::asked() {
        true => interrupted(games - done, message),
        false => Ok(StudyResult { message, exit: Exit::Ok }),
    })
}

/// Prints the number of games that an interrupt left over.
pub(super) fn interrupted(games: usize, message: String) -> anyhow::Result<StudyResult> {
    let left = counted(games as u64, "game is", "games are");
    print_note(&format!("interrupted: {left} left; the same command resumes\n"))?;
    Ok(StudyResult { message, exit: Exit::Interrupted })
}

/// Adds the entries of the logs of parts, in the order of the study. Stops at the first missing game.
fn merge<E: GameResult + Clone + Serialize + DeserializeOwned>(
    study: &Study,
    log: &mut Log<E>,
    text: &str,
    parts: &[PathBuf],
) -> anyhow::Result<()> {
    let mut found: Vec<E> = Vec::new();
    for path in parts {
        ensure!(path.is_file(), "{} does not exist", path.display());
        found.extend(open_log::<E>(path, text, &study.games, game::negation(), false)?.entries);
    }
    let before = log.entries.len();
    for game in study.games.iter().skip(before) {
        let shown = game.display().to_string();
        let Some(entry) = found.iter().find(|entry| entry.path() == shown) else { break };
        log.add(entry.clone())?;
    }
    let (added, left) = (log.entries.len() - before, study.games.len() - log.entries.len());
    let added = counted(added as u64, "game", "games");
    let missing = if left > 0 {
        format!("; {left} left: the command without --merge does them")
    } else {
        String::new()
    };
    print_note(&format!("{added} added{missing}\n"))
}

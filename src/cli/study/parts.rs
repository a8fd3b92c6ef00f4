//! Parts of a study that goes game by game: which games a run does, into which log, and logs of parts put together.

use std::path::PathBuf;

use anyhow::ensure;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::{Exit, game, interrupt, print_note};
use super::{Arguments, LOG, StudyResult};
use crate::arena::Log;
use crate::report::layout::counted;
use crate::study::{GameResult, Study, open_log};

/// The log of a run: of the whole, with what the logs of parts have where these are put together, or of a part.
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

/// What is said of a part that has come to its end, or was interrupted; nothing of a whole.
pub(super) fn ended(arguments: &Arguments, done: usize, games: usize) -> Option<anyhow::Result<StudyResult>> {
    let part = arguments.part?;
    let said = format!("part {part}: {}\n", counted(done as u64, "game", "games"));
    Some(match interrupt::asked() {
        true => left(games - done, said),
        false => Ok(StudyResult { said, exit: Exit::Ok }),
    })
}

/// Says that the end was asked for while some games were left.
pub(super) fn left(games: usize, said: String) -> anyhow::Result<StudyResult> {
    let left = counted(games as u64, "game is", "games are");
    print_note(&format!("interrupted: {left} left; the same command resumes\n"))?;
    Ok(StudyResult { said, exit: Exit::Interrupted })
}

/// Adds what the logs of parts have, in the order of the study, as far as no game is missing.
fn merge<E: GameResult + Clone + Serialize + DeserializeOwned>(
    study: &Study,
    log: &mut Log<E>,
    text: &str,
    parts: &[PathBuf],
) -> anyhow::Result<()> {
    let mut found: Vec<E> = Vec::new();
    for path in parts {
        ensure!(path.is_file(), "{} is not there", path.display());
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

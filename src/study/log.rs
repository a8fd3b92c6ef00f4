//! The log of a study: one line of JSON for what the study is, then one for each game, in the order of the study. It is
//! the only place where results are kept while a study runs; everything else is made from it. A line is written whole
//! and only added to the end; where the program was killed while it wrote, the part of a line is dropped.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::gdl::identity::sha256;

use super::game::Found;

/// The name and version of the log.
const SCHEMA: &str = "ggp.study-log/1";

/// What was found about a game of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The file, as the study names it.
    pub path: String,
    /// What was found, or why the game is broken.
    pub outcome: Outcome,
    /// Seconds it took; all that depends on the computer.
    pub seconds: f64,
}

/// What came of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is broken, for this reason.
    Broken(String),
    /// What its functions are worth.
    Judged(Box<Found>),
}

/// What a study is made of: where any of it changes, its results are others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    schema: String,
    /// Of the program.
    version: String,
    /// SHA-256 of the study file.
    study: String,
    /// The games with the SHA-256 of their files; none where a file can't be read.
    games: Vec<(String, Option<String>)>,
}

/// Why a log can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The operating system's.
    #[error("{path} can't be written: {error}")]
    Io {
        /// The log.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// Something of the study changed since the log was begun.
    #[error("{path} has results of another study: {what} changed since; --fresh begins anew and drops them")]
    Changed {
        /// The log.
        path: String,
        /// What changed.
        what: String,
    },
    /// It is no log.
    #[error("{path}:{line}: no line of a study's log ({reason}); --fresh begins anew")]
    Damaged {
        /// The log.
        path: String,
        /// The line, from 1.
        line: usize,
        /// Why.
        reason: String,
    },
    /// Another run writes it.
    #[error("{path} is being written by another run")]
    Locked {
        /// The log.
        path: String,
    },
}

/// The log of a study, open for writing.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    /// What it holds.
    pub entries: Vec<Entry>,
}

impl Log {
    /// Opens the log at `path`, or begins it; `fresh` drops what it has. `study` is the text of the study file.
    ///
    /// # Errors
    /// It can't be used, with the reason.
    pub fn open(path: &Path, study: &str, games: &[PathBuf], fresh: bool) -> Result<Log, LogError> {
        let shown = path.display().to_string();
        let failed = |error: io::Error| LogError::Io { path: shown.clone(), error };
        let hash = |path: &PathBuf| std::fs::read(path).ok().map(|bytes| sha256(&bytes));
        let header = Header {
            schema: SCHEMA.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            study: sha256(study.as_bytes()),
            games: games.iter().map(|path| (path.display().to_string(), hash(path))).collect(),
        };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = options.map_err(failed)?;
        if file.try_lock().is_err() {
            return Err(LogError::Locked { path: shown });
        }
        if fresh {
            file.set_len(0).map_err(failed)?;
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        bytes.truncate(whole);
        file.set_len(whole as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let mut log = Log { path: path.to_owned(), file, entries: Vec::new() };
        if whole == 0 {
            log.write(&header)?;
            return Ok(log);
        }
        let damaged = |line: usize, error: &dyn std::fmt::Display| LogError::Damaged {
            path: shown.clone(),
            line,
            reason: error.to_string(),
        };
        let text = String::from_utf8(bytes).map_err(|error| damaged(1, &error))?;
        for (number, line) in text.lines().enumerate() {
            if number == 0 {
                let known: Header = serde_json::from_str(line).map_err(|error| damaged(1, &error))?;
                if let Some(what) = known.change(&header) {
                    return Err(LogError::Changed { path: shown, what });
                }
            } else {
                let entry = serde_json::from_str(line).map_err(|error| damaged(number + 1, &error))?;
                log.entries.push(entry);
            }
        }
        Ok(log)
    }

    /// Adds what was found about a game.
    ///
    /// # Errors
    /// It can't be written.
    pub fn add(&mut self, entry: Entry) -> Result<(), LogError> {
        self.write(&entry)?;
        self.entries.push(entry);
        Ok(())
    }

    fn write(&mut self, value: &impl Serialize) -> Result<(), LogError> {
        let line = serde_json::to_vec(value).map_err(io::Error::from);
        let written = line.and_then(|mut line| {
            line.push(b'\n');
            self.file.write_all(&line)?;
            self.file.sync_data()
        });
        written.map_err(|error| LogError::Io { path: self.path.display().to_string(), error })
    }
}

impl Header {
    /// What is different in another one.
    fn change(&self, other: &Header) -> Option<String> {
        if self.schema != other.schema || self.version != other.version {
            return Some(format!("the program (it was version {})", self.version));
        }
        if self.study != other.study {
            return Some("the study file".to_owned());
        }
        let of = |game: &(String, Option<String>)| game.0.clone();
        let added = other.games.iter().find(|game| !self.games.contains(game)).map(of);
        let gone = self.games.iter().find(|game| !other.games.contains(game)).map(of);
        added.or(gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str) -> Entry {
        Entry { path: path.to_owned(), outcome: Outcome::Broken("why".to_owned()), seconds: 0.5 }
    }

    #[test]
    fn what_was_written_is_there_again_but_for_part_of_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/log.jsonl");
        let mut log = Log::open(&path, "study", &[], false).unwrap();
        log.add(entry("a")).unwrap();
        log.add(entry("b")).unwrap();
        drop(log);
        let whole = std::fs::read(&path).unwrap();
        let first = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let mut log = Log::open(&path, "study", &[], false).unwrap();
            let lines = whole[..cut].iter().filter(|&&byte| byte == b'\n').count();
            assert_eq!(log.entries.len(), lines.saturating_sub(1), "cut at {cut}");
            for missing in ["a", "b"].iter().skip(log.entries.len()).copied().collect::<Vec<_>>() {
                log.add(entry(missing)).unwrap();
            }
            assert_eq!(std::fs::read(&path).unwrap(), whole, "cut at {cut} of {first}");
        }
    }

    #[test]
    fn a_changed_study_or_game_and_a_damaged_log_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (path, game) = (folder.path().join("log.jsonl"), folder.path().join("game.kif"));
        std::fs::write(&game, "(role a)").unwrap();
        let games = [game.clone()];
        let open = |study: &str, fresh: bool| Log::open(&path, study, &games, fresh);
        drop(open("study", false).unwrap());
        assert!(open("other", false).unwrap_err().to_string().contains("the study file changed"));
        std::fs::write(&game, "(role b)").unwrap();
        assert!(open("study", false).unwrap_err().to_string().contains("game.kif changed"));
        let log = open("study", true).unwrap();
        assert!(matches!(open("study", false), Err(LogError::Locked { .. })));
        drop(log);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text + "nonsense\n").unwrap();
        let error = open("study", false).unwrap_err().to_string();
        assert!(error.contains("log.jsonl:2: no line"), "{error}");
    }
}

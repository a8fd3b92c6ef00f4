//! The log of a study that judges game by game: a header, then a line for each game, in the order of the study.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::arena::{Log, LogError, LogHeader};
use crate::gdl::Negation;
use crate::gdl::identity::sha256;

use super::game::JudgedGame;

/// The name and version of the log.
const SCHEMA: &str = "ggp.study-log/1";

/// The result for a game of a judging study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The file, as the study names it.
    pub path: String,
    /// The result, or why the game can't be judged.
    pub outcome: Outcome,
    /// The duration in seconds; the only value that depends on the computer.
    pub seconds: f64,
}

impl Entry {
    /// The same entry for a file with another name; `words` renames it in texts.
    pub fn renamed(self, path: String, words: &dyn Fn(String) -> String) -> Entry {
        let outcome = match self.outcome {
            Outcome::Broken(reason) => Outcome::Broken(words(reason)),
            judged => judged,
        };
        Entry { path, outcome, ..self }
    }
}

/// The result for a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It can't be judged, for this reason.
    Broken(String),
    /// The judgement of its functions.
    Judged(Box<JudgedGame>),
}

/// The result for a game of a study with one kind of result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameEntry<T> {
    /// The file, as the study names it.
    pub path: String,
    /// The result; none if the game is broken.
    pub found: Option<T>,
    /// Why it is broken.
    pub broken: Option<String>,
    /// The duration in seconds; usually the only value that depends on the computer.
    pub seconds: f64,
}

/// A result for one game of a study.
pub trait GameResult {
    /// The file, as the study names it.
    fn path(&self) -> &str;
}

impl GameResult for Entry {
    fn path(&self) -> &str {
        &self.path
    }
}

impl<T> GameResult for GameEntry<T> {
    fn path(&self) -> &str {
        &self.path
    }
}

/// The input of a study; other input gives other results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    schema: String,
    /// Version of the program.
    version: String,
    /// SHA-256 of the study file.
    study: String,
    /// When negated literals are read.
    #[serde(default)]
    negation: Negation,
    /// The games with the SHA-256 of their files; none if a file can't be read.
    games: Vec<(String, Option<String>)>,
}

/// Opens the log of a study at `path`, or begins a new one; `fresh` drops its results. `study` is the text of the study
/// file; `negation` determines when negated literals are read.
///
/// # Errors
/// The log can't be used.
pub fn open_log<E: Serialize + DeserializeOwned>(
    path: &Path,
    study: &str,
    games: &[PathBuf],
    negation: Negation,
    fresh: bool,
) -> Result<Log<E>, LogError> {
    let hash = |path: &PathBuf| std::fs::read(path).ok().map(|bytes| sha256(&bytes));
    let header = Header {
        schema: SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        study: sha256(study.as_bytes()),
        negation,
        games: games.iter().map(|path| (path.display().to_string(), hash(path))).collect(),
    };
    Log::open(path, header, fresh).map(|(log, _)| log)
}

impl LogHeader for Header {
    const KIND: &'static str = "study";

    fn change(&self, wanted: &Header) -> Option<String> {
        if self.schema != wanted.schema || self.version != wanted.version {
            return Some(format!("the program (it was version {}) changed since", self.version));
        }
        if self.study != wanted.study {
            return Some("the study file changed since".to_owned());
        }
        if self.negation != wanted.negation {
            return Some(format!("the rules were read with --negation {}", self.negation.name()));
        }
        let of = |game: &(String, Option<String>)| format!("{} changed since", game.0);
        let added = wanted.games.iter().find(|game| !self.games.contains(game)).map(of);
        let gone = self.games.iter().find(|game| !wanted.games.contains(game)).map(of);
        added.or(gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_studies_and_games_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let (path, game) = (folder.path().join("log.jsonl"), folder.path().join("game.kif"));
        std::fs::write(&game, "(role a)").unwrap();
        let games = [game.clone()];
        let open =
            |study: &str, fresh: bool| open_log::<Entry>(&path, study, &games, Negation::default(), fresh);
        let broken = Outcome::Broken("why".to_owned());
        let entry = Entry { path: "game.kif".to_owned(), outcome: broken, seconds: 0.5 };
        open("study", false).unwrap().add(entry.clone()).unwrap();
        assert_eq!(open("study", false).unwrap().entries, [entry]);
        assert!(open("other", false).unwrap_err().to_string().contains("the study file changed"));
        std::fs::write(&game, "(role b)").unwrap();
        assert!(open("study", false).unwrap_err().to_string().contains("game.kif changed"));
        drop(open("study", true).unwrap());
    }
}

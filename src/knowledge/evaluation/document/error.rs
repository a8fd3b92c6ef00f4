//! Why a document can't be used: what is wrong, where, and how to mend it.

use std::fmt;
use std::path::PathBuf;

use super::super::function::FunctionError;
use super::{GameIdentity, MAX_BYTES, SCHEMA};

/// A place in a text, both counted from 1; columns count bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line.
    pub line: usize,
    /// Column.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// What is wrong with a document.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The file can't be read.
    #[error("it can't be read: {0}")]
    Unreadable(String),
    /// There is nothing in it.
    #[error("it is empty; expected a document of schema {SCHEMA}, as `ggp analyze GAME --out DIR` writes")]
    Empty,
    /// It is too large.
    #[error("it has more than {} MB; evaluation functions are smaller", MAX_BYTES >> 20)]
    TooLarge,
    /// It is no text.
    #[error("this byte is no UTF-8; JSON documents are UTF-8 text")]
    NotText(Place),
    /// It is no JSON.
    #[error("this is no JSON: {what}")]
    NotJson {
        /// Where.
        place: Place,
        /// What is wrong.
        what: String,
    },
    /// It is JSON of another kind.
    #[error(
        "it has no key `schema`; expected a document of schema {SCHEMA}, as `ggp analyze GAME --out DIR` writes"
    )]
    NoDocument,
    /// It is of another schema, or of another version.
    #[error(
        "its schema is `{found}`; this program reads {SCHEMA}: write it anew with `ggp analyze GAME --out DIR`"
    )]
    Schema {
        /// What it says.
        found: String,
    },
    /// A key is missing or unknown, or its value is none.
    #[error("{}{what}", at(.path))]
    Part {
        /// Where.
        place: Place,
        /// The keys that lead there, `function.feature.rewards[0]`.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// A part says another thing than the function.
    #[error("`{part}` is {found}, but by `function` it is {expected}: change one of them")]
    Contradiction {
        /// The part.
        part: &'static str,
        /// What it says.
        found: String,
        /// What the function says.
        expected: String,
    },
    /// Two ends stand the wrong way round.
    #[error("`{part}` goes from {low} to {high}; the smaller number comes first")]
    Range {
        /// The part.
        part: &'static str,
        /// The first.
        low: f64,
        /// The second.
        high: f64,
    },
    /// It is for another game.
    #[error("{}", other_game(.of, .game))]
    OtherGame {
        /// The one that it is for.
        of: Box<GameIdentity>,
        /// The one that it was to be used with.
        game: Box<GameIdentity>,
    },
    /// A part of the function can belong to none, or does not fit the game.
    #[error("in `function`: {0}")]
    Function(#[from] FunctionError),
}

fn at(path: &str) -> String {
    if path.is_empty() || path == "." { String::new() } else { format!("at `{path}`: ") }
}

fn other_game(of: &GameIdentity, game: &GameIdentity) -> String {
    let short = |identity: &GameIdentity| identity.rules.chars().take(12).collect::<String>();
    let version = match of.name == game.name {
        _ if of.sha256 == game.sha256 => ", whose negated literals are read at another time (--negation)",
        true => ", which has other rules under the same name",
        false => "",
    };
    format!(
        "it is a function for the game `{}` (rules {}), not for `{}` (rules {}){version}: give the rules it was made \
         for, or make one for this game with `ggp analyze GAME --out DIR`",
        of.name,
        short(of),
        game.name,
        short(game)
    )
}

impl DocumentError {
    /// Where it is, if it is in one place.
    pub fn place(&self) -> Option<Place> {
        match self {
            DocumentError::NotText(place)
            | DocumentError::NotJson { place, .. }
            | DocumentError::Part { place, .. } => Some(*place),
            _ => None,
        }
    }
}

/// What is wrong with a document in a file: `FILE:LINE:COLUMN: what`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{}: {error}", .path.display(), .error.place().map_or(String::new(), |place| format!(":{place}")))]
pub struct LoadError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub error: DocumentError,
}

//! Errors of documents: what is wrong, where, and what to do.

use std::fmt;
use std::path::PathBuf;

use super::super::function::FunctionError;
use super::{GameIdentity, MAX_BYTES, SCHEMA};

/// A position in a text, counted from 1; columns count bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPosition {
    /// Line.
    pub line: usize,
    /// Column.
    pub column: usize,
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// The reason why a document can't be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The file can't be read.
    #[error("it can't be read: {0}")]
    Unreadable(String),
    /// The file is empty.
    #[error("it is empty; expected a document of schema {SCHEMA}, as `ggp analyze GAME --out DIR` writes")]
    Empty,
    /// The file is too large.
    #[error("it has more than {} MB; use a document of an evaluation function, which is smaller", MAX_BYTES >> 20)]
    TooLarge,
    /// The file is not UTF-8 text.
    #[error("this byte is not valid UTF-8; save the document as UTF-8 text")]
    NotText(TextPosition),
    /// The text is not JSON.
    #[error("this is not valid JSON: {what}")]
    NotJson {
        /// The position of the fault.
        place: TextPosition,
        /// The message of the parser.
        what: String,
    },
    /// The JSON has no key `schema`.
    #[error(
        "it has no key `schema`; expected a document of schema {SCHEMA}, as `ggp analyze GAME --out DIR` writes"
    )]
    NoDocument,
    /// The document has another schema, or another version of it.
    #[error(
        "its schema is `{found}`; this program reads {SCHEMA}: write it again with `ggp analyze GAME --out DIR`"
    )]
    Schema {
        /// The schema of the document.
        found: String,
    },
    /// A key is missing or unknown, or has a value of the wrong type.
    #[error("{}{what}", at(.path))]
    Part {
        /// The position of the fault.
        place: TextPosition,
        /// The path of keys, such as `function.feature.rewards[0]`.
        path: String,
        /// The message of the parser.
        what: String,
    },
    /// A part contradicts the function.
    #[error("`{part}` is {found}, but `function` has {expected}: change one of them")]
    Contradiction {
        /// The name of the part.
        part: &'static str,
        /// Its value.
        found: String,
        /// The value that follows from the function.
        expected: String,
    },
    /// The ends of a range are in the wrong order.
    #[error("`{part}` goes from {low} to {high}: write the smaller number first")]
    Range {
        /// The name of the part.
        part: &'static str,
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// The document is for another game.
    #[error("{}", other_game(.of, .game))]
    OtherGame {
        /// The game of the document.
        of: Box<GameIdentity>,
        /// The game that it was used with.
        game: Box<GameIdentity>,
    },
    /// A part of the function is invalid, or does not fit the game.
    #[error("in `function`: {0}")]
    Function(#[from] FunctionError),
}

fn at(path: &str) -> String {
    if path.is_empty() || path == "." { String::new() } else { format!("at `{path}`: ") }
}

fn other_game(own: &GameIdentity, game: &GameIdentity) -> String {
    let short = |identity: &GameIdentity| identity.rules.chars().take(12).collect::<String>();
    let version = match own.name == game.name {
        _ if own.sha256 == game.sha256 => ", whose negated literals are read at another time (--negation)",
        true => ", which has other rules under the same name",
        false => "",
    };
    format!(
        "it is a function for the game `{}` (rules {}), not for `{}` (rules {}){version}: give the rules it was made \
         for, or make one for this game with `ggp analyze GAME --out DIR`",
        own.name,
        short(own),
        game.name,
        short(game)
    )
}

impl DocumentError {
    /// The position of the fault, if there is one.
    pub fn place(&self) -> Option<TextPosition> {
        match self {
            DocumentError::NotText(place)
            | DocumentError::NotJson { place, .. }
            | DocumentError::Part { place, .. } => Some(*place),
            _ => None,
        }
    }
}

/// A fault of a document in a file, shown as `FILE:LINE:COLUMN: fault`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{}: {error}", .path.display(), .error.place().map_or(String::new(), |place| format!(":{place}")))]
pub struct LoadError {
    /// The file.
    pub path: PathBuf,
    /// The fault.
    pub error: DocumentError,
}

//! Errors in a study file, with their positions.

/// A range of bytes in a file.
pub type Place = std::ops::Range<usize>;

/// An error in a study file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct FileError {
    /// The error.
    pub message: String,
    /// Its position.
    pub place: Option<Place>,
    /// The expected text.
    pub help: Option<String>,
}

impl FileError {
    /// An error at a place, with the expected text.
    pub(super) fn at(place: Place, message: impl Into<String>, help: impl Into<String>) -> FileError {
        FileError { message: message.into(), place: Some(place), help: Some(help.into()) }
    }
}

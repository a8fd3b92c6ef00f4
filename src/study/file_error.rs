//! What is wrong with a study file, and where.

/// A place in a file, in bytes.
pub type Place = std::ops::Range<usize>;

/// What is wrong with a study file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct FileError {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub place: Option<Place>,
    /// What would be right.
    pub help: Option<String>,
}

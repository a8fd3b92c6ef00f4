//! Argument positions.

use std::fmt;

/// The position of an argument of a relation or fluent. Documents and sentences count from 1, lists from 0: this is
/// neither number but the position itself, so that the two are not taken for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArgumentPosition {
    index: usize,
}

impl ArgumentPosition {
    /// The position that stands at an index of the list of arguments.
    pub fn at(index: usize) -> ArgumentPosition {
        ArgumentPosition { index }
    }

    /// Its index in the list of arguments, from 0.
    pub fn index(self) -> usize {
        self.index
    }

    /// Its number in documents and sentences, from 1.
    pub fn number(self) -> usize {
        self.index + 1
    }
}

/// The number, from 1.
impl fmt::Display for ArgumentPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

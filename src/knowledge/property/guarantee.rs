//! The goal values that roles can force.

use super::reason::SearchEnd;

/// The goal values that roles can force, as a search from the initial state proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guarantee {
    /// For every role, the goal value that it can force; none if that is not proved.
    pub values: Vec<Option<i32>>,
    /// For every role, whether it can force 100; none if that is not proved.
    pub forces: Vec<Option<bool>>,
    /// States that the search visited.
    pub nodes: u64,
    /// The limit that ended the search, if something is not proved.
    pub end: SearchEnd,
}

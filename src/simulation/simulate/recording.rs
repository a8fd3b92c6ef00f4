//! What was played elsewhere: traces and records of real matches, both as one kind of recording.

/// A playout or match that was played elsewhere. Texts are in their one spelling, lists sorted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// Where it comes from: the name of a match, or of a file.
    pub source: String,
    /// Number of the playout in its trace; 0 for a match.
    pub playout: u64,
    /// The roles in the recording's order; empty where they are not told.
    pub roles: Vec<String>,
    /// The positions, the first one the initial state.
    pub positions: Vec<RecordedPosition>,
}

/// What was recorded of a position; what was not is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedPosition {
    /// The fluents that hold.
    pub state: Option<Vec<String>>,
    /// The legal moves of every role.
    pub legal: Option<Vec<Vec<String>>>,
    /// Whether it is terminal.
    pub terminal: Option<bool>,
    /// The goal values of every role that hold.
    pub goals: Option<Vec<Vec<i32>>>,
    /// The joint move played; none in the last position.
    pub joint: Option<Vec<String>>,
}

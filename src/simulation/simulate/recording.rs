//! Playouts and matches that were played elsewhere: the common form of traces and match records.

/// A playout or match that was played elsewhere. Atoms are in canonical spelling, lists are sorted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// The origin: the name of a match or of a file.
    pub source: String,
    /// Number of the playout in its trace; 0 for a match.
    pub playout: u64,
    /// The roles in the order of the recording; empty if the recording does not name them.
    pub roles: Vec<String>,
    /// The positions; the first one is the initial state.
    pub positions: Vec<RecordedPosition>,
}

/// A recorded position. Fields that were not recorded are none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedPosition {
    /// The fluents that hold.
    pub state: Option<Vec<String>>,
    /// The legal moves of every role.
    pub legal: Option<Vec<Vec<String>>>,
    /// Whether the state is terminal.
    pub terminal: Option<bool>,
    /// The goal values of every role.
    pub goals: Option<Vec<Vec<i32>>>,
    /// The joint move played; none in the last position.
    pub joint: Option<Vec<String>>,
}

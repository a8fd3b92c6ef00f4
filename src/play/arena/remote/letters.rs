//! What master and worker write to each other.

use serde::{Deserialize, Serialize};

/// What a worker has to know before it is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::arena) struct Setup {
    /// The rules, in KIF.
    pub(in crate::arena) rules: String,
    /// Whether names that differ in case only are different names.
    pub(in crate::arena) case_sensitive: bool,
    /// The role that is searched for, from 0.
    pub(in crate::arena) role: usize,
    /// Who plays with whom.
    pub(in crate::arena) teams: Vec<Vec<usize>>,
    /// The document of the function; none for a search that looks at ends alone.
    pub(in crate::arena) document: Option<String>,
    /// Bytes of the transposition table.
    pub(in crate::arena) table: usize,
    /// Breaks ties; 0 for the order of the rules.
    pub(in crate::arena) ties: u64,
}

/// A question.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Question {
    /// Its number, which answers carry.
    pub(super) turn: u64,
    /// What holds in the state.
    pub(super) state: Vec<String>,
    /// Seconds that there are.
    pub(super) seconds: Option<f64>,
    pub(super) depth: Option<u32>,
    pub(super) nodes: Option<u64>,
}

/// What is known of the answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Answer {
    pub(super) turn: u64,
    /// The best move, as text.
    pub(super) action: Option<String>,
    pub(super) value: Option<f64>,
    pub(super) proved: bool,
    pub(super) depth: u32,
    pub(super) nodes: u64,
    /// Whether there will be no more.
    pub(super) last: bool,
}

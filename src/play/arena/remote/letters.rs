//! The messages between master and worker.

use serde::{Deserialize, Serialize};

/// The setup of a worker, sent before the first state.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::arena) struct Setup {
    /// The rules, in KIF.
    pub(in crate::arena) rules: String,
    /// Whether names that differ only in case are different.
    pub(in crate::arena) case_sensitive: bool,
    /// The index of the role that the worker searches for.
    pub(in crate::arena) role: usize,
    /// The teams, each as indices of roles.
    pub(in crate::arena) teams: Vec<Vec<usize>>,
    /// The document of the function; none for a search without a function.
    pub(in crate::arena) document: Option<String>,
    /// Bytes of the transposition table.
    pub(in crate::arena) table: usize,
    /// The seed for the choice among equally good moves; 0 takes the first in the order of the rules.
    pub(in crate::arena) ties: u64,
}

/// A state to be searched.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Question {
    /// The number of the question; its answers repeat it.
    pub(super) turn: u64,
    /// The facts of the state.
    pub(super) state: Vec<String>,
    /// Seconds for the search.
    pub(super) seconds: Option<f64>,
    pub(super) depth: Option<u32>,
    pub(super) nodes: Option<u64>,
}

/// The best result of a worker so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Answer {
    pub(super) turn: u64,
    /// The best move as text.
    pub(super) action: Option<String>,
    pub(super) value: Option<f64>,
    pub(super) proved: bool,
    pub(super) depth: u32,
    pub(super) nodes: u64,
    /// Whether this is the last answer.
    pub(super) last: bool,
}

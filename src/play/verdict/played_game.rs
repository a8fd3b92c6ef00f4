//! A game that was played, with all its states.

use crate::machine::{MoveId, State};

/// A game from the initial state to its end or to the step limit.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame {
    /// The joint moves.
    pub moves: Vec<Vec<MoveId>>,
    /// The states, from the initial to the last: one more than moves.
    pub states: Vec<State>,
    /// For each joint move and role the value, in goal points, that the role's search expected; none without a search or a
    /// choice.
    pub estimates: Vec<Vec<Option<f64>>>,
    /// Whether the last state is terminal.
    pub ended: bool,
    /// Whether a role has no legal move in the last state, which is not terminal.
    pub stuck: bool,
    /// The goal value of each role in the last state; none if it is not terminal, or the role has no or several values.
    pub goals: Vec<Option<i32>>,
}

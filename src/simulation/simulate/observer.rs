//! The observer of playouts.

use crate::machine::{FluentId, MoveId, State};

/// A position of a playout.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// Number of the playout.
    pub playout: u64,
    /// Joint moves before it.
    pub step: u32,
    /// The state.
    pub state: &'a State,
    /// Its fluents, in structural order of their terms.
    pub fluents: &'a [FluentId],
    /// Legal moves of every role, in structural order of their terms; empty lists if the position is terminal.
    pub legal: &'a [Vec<MoveId>],
    /// Whether it is terminal.
    pub terminal: bool,
    /// Goal values of every role, ascending: none, one or several. Present in every position.
    pub goals: &'a [Vec<i32>],
}

/// How a playout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// In a terminal state.
    Terminal,
    /// Cut off at [`Budget::max_steps`](super::Budget::max_steps).
    Cap,
    /// In a nonterminal state in which a role has no legal move.
    NoLegalMove {
        /// The first such role.
        role: usize,
    },
    /// The machine could not evaluate the successor of the last position.
    Failed,
    /// The limits of the run or the caller ended it during the playout.
    Stopped,
}

/// Observes playouts. One observer sees some whole playouts in ascending order of their numbers. The observers of a run are
/// merged in that order too, so the result does not depend on the number of threads.
pub trait Observer: Send + Sized {
    /// Whether the observer needs positions. If false, only `merge` is called and nothing is copied.
    const WATCHES: bool = true;

    /// Called for every position of a playout, including the first and the last.
    fn position(&mut self, _position: &Position<'_>) {}

    /// Called for every joint move, after `position` for `after`.
    fn moved(&mut self, _before: &Position<'_>, _joint: &[MoveId], _after: &Position<'_>) {}

    /// Called once per playout, with its last position.
    fn ended(&mut self, _last: &Position<'_>, _end: End) {}

    /// Merges an observer of later playouts.
    fn merge(&mut self, later: Self);
}

/// Observes nothing.
impl Observer for () {
    const WATCHES: bool = false;

    fn merge(&mut self, _later: ()) {}
}

/// Two observers of the same playouts.
impl<A: Observer, B: Observer> Observer for (A, B) {
    const WATCHES: bool = A::WATCHES || B::WATCHES;

    fn position(&mut self, position: &Position<'_>) {
        self.0.position(position);
        self.1.position(position);
    }

    fn moved(&mut self, before: &Position<'_>, joint: &[MoveId], after: &Position<'_>) {
        self.0.moved(before, joint, after);
        self.1.moved(before, joint, after);
    }

    fn ended(&mut self, last: &Position<'_>, end: End) {
        self.0.ended(last, end);
        self.1.ended(last, end);
    }

    fn merge(&mut self, later: Self) {
        self.0.merge(later.0);
        self.1.merge(later.1);
    }
}

//! What a room that wants to look at states implements.

use crate::machine::{FluentId, MoveId, State};

/// A position of a playout.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// Number of the playout.
    pub playout: u64,
    /// Joint moves played before it.
    pub step: u32,
    /// The state.
    pub state: &'a State,
    /// Its fluents, in structural order of their terms.
    pub fluents: &'a [FluentId],
    /// Legal moves of every role, in structural order of their terms; empty lists in a terminal position.
    pub legal: &'a [Vec<MoveId>],
    /// Whether it is terminal.
    pub terminal: bool,
    /// Goal values of every role, ascending: none, one or several. Given in every position.
    pub goals: &'a [Vec<i32>],
}

/// How a playout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// In a terminal state.
    Terminal,
    /// Cut off at [`Budget::max_steps`](super::Budget::max_steps).
    Cap,
    /// In a state that is not terminal and where a role has no legal move.
    NoLegalMove {
        /// The first such role.
        role: usize,
    },
    /// The machine could not evaluate the successor of the last position.
    Failed,
    /// The run was stopped while the playout was under way: by its work, its seconds or the caller.
    Stopped,
}

/// Looks at playouts. One observer sees some playouts, whole and in ascending order of their numbers; the
/// observers of a run are merged in that order too, so the outcome does not depend on the number of threads.
pub trait Observer: Send + Sized {
    /// Whether anything is to be looked at. Where not, no method but `merge` is called and nothing is copied.
    const WATCHES: bool = true;

    /// Called for every position of a playout, the first and the last included.
    fn position(&mut self, _position: &Position<'_>) {}

    /// Called for every joint move, after `position` was called for `after`.
    fn moved(&mut self, _before: &Position<'_>, _joint: &[MoveId], _after: &Position<'_>) {}

    /// Called once a playout, with its last position.
    fn ended(&mut self, _last: &Position<'_>, _end: End) {}

    /// Takes over what `later` saw; its playouts come after those of `self`.
    fn merge(&mut self, later: Self);
}

/// Looks at nothing.
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

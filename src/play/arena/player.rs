//! The players of a match.
//!
//! [`Player`] is the trait. A search implements it in `search_player.rs`, a person in `cli/human.rs`, and a
//! remote player in `protocol/remote_player.rs`.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::machine::{MachineError, MoveId, State};
use crate::search::{SearchError, SearchResult};

/// The input for a player's move.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turn<'a> {
    /// The time by which the move is due.
    pub deadline: Option<Instant>,
    /// Limit of visited states, unless the player has its own.
    pub nodes: Option<u64>,
    /// Once true, the player answers with its best move so far.
    pub interrupt: Option<&'a AtomicBool>,
}

/// Why a player gave no move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TurnError {
    /// Its search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// It left the match, with the reason.
    #[error("the player left the match: {0}")]
    Left(String),
}

impl From<MachineError> for TurnError {
    fn from(error: MachineError) -> TurnError {
        TurnError::Search(error.into())
    }
}

/// A player of one role, from the beginning of a match to its end. Your own player needs a name and
/// [`choose`](Player::choose); `examples/serve_own_player.rs` has one.
pub trait Player {
    /// Its name in records and tables.
    fn name(&self) -> &str;

    /// The line of the player that chooses its moves; differs from the name if it delegates to another player.
    fn line(&self) -> &str {
        self.name()
    }

    /// A remark for the user, as a sentence without a full stop.
    fn note(&self) -> Option<&str> {
        None
    }

    /// Whether it answers without a limit of time or nodes. False by default: a match without limits is then refused.
    fn is_limited(&self) -> bool {
        false
    }

    /// Whether the clock applies to it; not to a person at the terminal.
    fn is_timed(&self) -> bool {
        true
    }

    /// Whether `choose` is called at each step, even with a single legal move: a remote player follows the match by these
    /// calls.
    fn follows(&self) -> bool {
        false
    }

    /// Begins a match in a state, with the time before the first move and for each move, if there are clocks.
    fn begin(&mut self, _state: &State, _clocks: Option<[Duration; 2]>, _interrupt: Option<&AtomicBool>) {}

    /// Chooses a move in a state.
    ///
    /// # Errors
    /// A state can't be evaluated, or the player left.
    fn choose(&mut self, state: &State, turn: &Turn<'_>) -> Result<SearchResult, TurnError>;

    /// Like [`choose`](Player::choose); calls `on_progress` with every better move, so that the caller has one in time.
    /// By default it is never called.
    ///
    /// # Errors
    /// The errors of [`choose`](Player::choose).
    fn choose_and_report(
        &mut self,
        state: &State,
        turn: &Turn<'_>,
        _on_progress: &mut dyn FnMut(&SearchResult),
    ) -> Result<SearchResult, TurnError> {
        self.choose(state, turn)
    }

    /// Whether a call before its turn improves the move of that turn. A served player then searches the initial state
    /// while the start clock runs.
    fn thinks_ahead(&self) -> bool {
        false
    }

    /// Receives the joint move of a step.
    fn played(&mut self, _joint: &[MoveId]) {}

    /// Receives the end of the match: a terminal state, or an abort.
    fn over(&mut self, _at_its_end: bool) {}
}

//! Who plays a role in a match.
//!
//! [`Player`] is the trait. A search implements it in `search_player.rs`, a person in `cli/human.rs`, and a
//! remote player in `protocol/remote_player.rs`.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::machine::{MachineError, MoveId, State};
use crate::search::{SearchError, SearchResult};

/// What a player is told when a move is due.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turn<'a> {
    /// When the move has to be there.
    pub deadline: Option<Instant>,
    /// States that are visited for it at most, where the player says nothing else itself.
    pub nodes: Option<u64>,
    /// Once true, the player answers with what it has.
    pub interrupt: Option<&'a AtomicBool>,
}

/// Why a player gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TurnError {
    /// Its search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// It is gone and will not answer again; says why.
    #[error("the player plays no more: {0}")]
    Left(String),
}

impl From<MachineError> for TurnError {
    fn from(error: MachineError) -> TurnError {
        TurnError::Search(error.into())
    }
}

/// A player of one role, from the beginning of a match to its end. A player of your own needs a name and
/// [`choose`](Player::choose); `examples/serve_own_player.rs` has one.
pub trait Player {
    /// What it was asked for as.
    fn name(&self) -> &str;

    /// The player that it plays as, as a line: another than its name where one was chosen.
    fn line(&self) -> &str {
        self.name()
    }

    /// What there is to say of it, as a sentence without a stop.
    fn note(&self) -> Option<&str> {
        None
    }

    /// Whether it answers without a limit of time or nodes. By default it does not, and a match without limits is refused.
    fn is_limited(&self) -> bool {
        false
    }

    /// Whether the clock counts for it; it does not for a person at the terminal.
    fn is_timed(&self) -> bool {
        true
    }

    /// Whether it is asked for a move at every step, also where it has one only: somebody elsewhere follows the match by
    /// what is asked.
    fn follows(&self) -> bool {
        false
    }

    /// A match begins in a state, with so much time before the first move and for each move, where time limits them.
    fn begin(&mut self, _state: &State, _clocks: Option<[Duration; 2]>, _interrupt: Option<&AtomicBool>) {}

    /// Chooses a move in a state.
    ///
    /// # Errors
    /// A state can't be evaluated, or the player is gone.
    fn choose(&mut self, state: &State, turn: &Turn<'_>) -> Result<SearchResult, TurnError>;

    /// Like [`choose`](Player::choose); calls `on_progress` with every better answer, so that a caller has one in time.
    /// By default it is never called.
    ///
    /// # Errors
    /// Those of [`choose`](Player::choose).
    fn choose_and_report(
        &mut self,
        state: &State,
        turn: &Turn<'_>,
        _on_progress: &mut dyn FnMut(&SearchResult),
    ) -> Result<SearchResult, TurnError> {
        self.choose(state, turn)
    }

    /// Whether choosing in a state before its turn makes the choice of that turn better. A served player then chooses
    /// in the initial state while the start clock runs.
    fn thinks_ahead(&self) -> bool {
        false
    }

    /// What all roles played.
    fn played(&mut self, _joint: &[MoveId]) {}

    /// The match is over: at its end, or aborted.
    fn over(&mut self, _at_its_end: bool) {}
}

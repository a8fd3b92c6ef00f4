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

/// A player of one role, from the beginning of a match to its end.
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

    /// Whether its answer comes by itself, so that neither a clock nor a number of nodes need limit it.
    fn is_limited(&self) -> bool;

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

    /// What all roles played.
    fn played(&mut self, _joint: &[MoveId]) {}

    /// The match is over: at its end, or aborted.
    fn over(&mut self, _at_its_end: bool) {}
}

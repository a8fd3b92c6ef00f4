//! The trait of the searches for one player: best-first, iterative deepening, and from both ends.

use crate::machine::State;
use crate::search::limits::{Halt, Meter};

use super::path_search::PathSearch;

/// A single-player search for paths to terminal states.
pub(super) trait Finder {
    /// Searches for paths from a state; returns the greatest search depth in plies. It ends when no better path is
    /// possible, when all states were visited, or at a limit. `better` receives each better path, with the nodes so
    /// far.
    fn find(
        &mut self,
        paths: &mut PathSearch<'_>,
        root: &State,
        meter: &mut Meter<'_>,
        better: &mut dyn FnMut(&PathSearch<'_>, u64),
    ) -> Result<u32, Halt>;
}

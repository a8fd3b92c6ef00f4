//! The trait of the searches for one player: best-first, iterative deepening, and from both ends.

use crate::machine::State;
use crate::search::limits::{Halt, Meter};

use super::path_search::PathSearch;

/// A way of looking for ends.
pub(super) trait Finder {
    /// Looks for ways from a state; gives the most plies of search depth. It ends when nothing better can come, when all
    /// was tried, or by a halt. `better` hears of every better way, with the nodes so far.
    fn find(
        &mut self,
        paths: &mut PathSearch<'_>,
        root: &State,
        meter: &mut Meter<'_>,
        better: &mut dyn FnMut(&PathSearch<'_>, u64),
    ) -> Result<u32, Halt>;
}

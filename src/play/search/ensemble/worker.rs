//! [`Worker`] is what the master needs of a search. Here it runs on a thread; `arena/remote/master.rs` has one
//! on another computer.

use crate::machine::State;
use crate::search::limits::Limits;
use crate::search::result::{Search, SearchError, SearchResult};

/// Who looks for the best move and tells what it finds. Here they are threads ([`Searcher`]); who hands the question on
/// to another computer and reads its answers is one, too.
pub trait Worker: Send {
    /// What it is called.
    fn name(&self) -> &str;

    /// Whether it looks at nothing but terminal states: then its move means nothing until it is proved.
    fn looks_at_ends_alone(&self) -> bool {
        false
    }

    /// Looks for the best move in a state and answers within the limits; `on_progress` is called with what is known so far.
    ///
    /// # Errors
    /// A state can't be evaluated.
    fn search(
        &mut self,
        state: &State,
        limits: &Limits<'_>,
        on_progress: &mut dyn FnMut(&SearchResult),
    ) -> Result<SearchResult, SearchError>;
}

/// A search in this process.
pub struct Searcher<'m> {
    name: String,
    search: Box<dyn Search + Send + 'm>,
    ends_alone: bool,
}

impl<'m> Searcher<'m> {
    /// A worker that searches with an evaluation function, whose name it has.
    pub fn new(name: String, search: Box<dyn Search + Send + 'm>) -> Searcher<'m> {
        Searcher { name, search, ends_alone: false }
    }

    /// A worker that searches without an evaluation function.
    pub fn exhaustive(search: Box<dyn Search + Send + 'm>) -> Searcher<'m> {
        Searcher { name: "exhaustive search".to_owned(), search, ends_alone: true }
    }
}

impl Worker for Searcher<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn looks_at_ends_alone(&self) -> bool {
        self.ends_alone
    }

    fn search(
        &mut self,
        state: &State,
        limits: &Limits<'_>,
        on_progress: &mut dyn FnMut(&SearchResult),
    ) -> Result<SearchResult, SearchError> {
        self.search.search(state, limits, on_progress)
    }
}

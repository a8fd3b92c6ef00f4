//! Searches of an ensemble on other computers (feature `cluster`): the master hands a worker the rules, a function and ways to break
//! ties once, and then states; the worker answers with its best move, what it is worth and how deep it looked, as it
//! deepens. What does not come is not waited for.

mod letters;
mod master;
mod session;

pub(super) use letters::Setup;
pub(super) use master::{RemoteSearch, reach};
pub use session::RemoteSearches;

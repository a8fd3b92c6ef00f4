//! Searches of an ensemble on other computers (feature `cluster`). The master sends a worker the rules, a function and a
//! tie-breaker once, and then states. The worker answers with its best move, value and depth after each depth. The master
//! does not wait for missing answers.

mod letters;
mod master;
mod session;

pub(super) use letters::Setup;
pub(super) use master::{RemoteSearch, reach};
pub use session::RemoteSearches;

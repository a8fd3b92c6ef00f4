//! Search for one player: finds a path to the best end, stores it and follows it.
//!
//! `finder.rs` is the trait of the three searches and `path_search.rs` what they share. `bestfirst.rs` keeps
//! its states in `memory.rs` and `exhausted.rs`; `bidirectional.rs` gets its ends from
//! `machine/goal_states.rs`. `search.rs` is the player, which follows the path in `plan.rs`.
//! `tests/search/single_player.rs` tests all.

mod bestfirst;
mod bidirectional;
mod exhausted;
mod finder;
mod ida;
mod memory;
mod path_search;
mod plan;
mod relaxation;
mod search;

pub use bestfirst::BestFirstOptions;
pub use bidirectional::BackwardSearchError;
pub use ida::IdaOptions;
pub use search::SingleAgentSearch;

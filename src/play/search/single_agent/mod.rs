//! Search for one player: a way to the best end, which is kept and followed.

mod bestfirst;
mod bidirectional;
mod exhausted;
mod finder;
mod ida;
mod memory;
mod path_search;
mod plan;
mod search;

pub use bestfirst::BestFirstOptions;
pub use bidirectional::BackwardSearchError;
pub use ida::IdaOptions;
pub use search::SingleAgentSearch;

//! Search for one player: a way to the best end, which is kept and followed.

mod bestfirst;
mod bidirectional;
mod exhausted;
mod ida;
mod journey;
mod memory;
mod plan;
mod puzzle;

pub use bestfirst::BestFirstOptions;
pub use bidirectional::OneEnd;
pub use ida::IdaOptions;
pub use puzzle::Puzzle;

//! From text (KIF) to a checked [`Description`]. Knows nothing of states or simulation.

mod description;
pub mod rule;
pub mod source;
pub mod symbol;
pub mod term;

pub use description::Description;

//! Evaluation functions: from a state and a role to a value. Knows nothing of search.

mod construct;
mod function;
pub mod fuzzy;
pub mod kuhlmann;

pub use construct::{Functions, Material, Parameters, functions};
pub use function::{Function, FunctionError, Kind};

//! Evaluation functions: from a state and a role to a value. Knows nothing of search.

pub mod fuzzy;
pub mod kuhlmann;

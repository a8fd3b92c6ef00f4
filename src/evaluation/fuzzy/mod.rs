//! Fuzzy goal functions (Schiffel and Thielscher 2007): how far a state fulfils the conditions of a role's goals.

mod candidates;
mod formula;
mod graph;
mod instances;
mod kif;
mod leaf;
mod limits;
mod norm;
mod parameters;
mod rewrite;
mod unroll;

pub use formula::{Compare, Comparison, Family, Formula, Mention, Node, Scale};
pub use limits::UnrollLimits;
pub use norm::Norm;
pub use parameters::{FuzzyParameters, ParameterError};
pub use unroll::{Conditions, Lifted, unroll};

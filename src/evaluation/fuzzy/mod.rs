//! Fuzzy goal functions (Schiffel and Thielscher 2007): how far a state fulfils the conditions of a role's goals.

mod bind;
mod candidates;
mod evaluate;
mod explain;
mod formula;
mod graph;
mod instances;
mod kif;
mod leaf;
mod lifted;
mod limits;
mod movement;
mod norm;
mod parameters;
mod rewrite;
mod unroll;
mod value;

pub use bind::BindError;
pub use evaluate::Evaluator;
pub use explain::{Explained, ExplainedKind};
pub use formula::{Compare, Comparison, Family, Formula, Mention, Node, Scale};
pub use limits::UnrollLimits;
pub use norm::Norm;
pub use parameters::{FuzzyParameters, ParameterError};
pub use unroll::{Conditions, Lifted, unroll};
pub use value::{BoundFuzzy, Explanation, FuzzyError, FuzzyFunction, Goal, GoalExplanation};

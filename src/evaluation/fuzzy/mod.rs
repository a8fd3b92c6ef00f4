//! Fuzzy goal functions (Schiffel and Thielscher 2007): how far a state fulfils the conditions of a role's goals.
//! `docs/fuzzy.md` has the formulas, the parameters, and what was settled where only words about them are known.

mod bind;
mod bind_error;
mod build;
mod candidates;
mod compare;
mod conjunction;
mod count_tables;
mod distances;
mod evaluate;
mod explain;
mod fluent_dependents;
mod fluents;
mod formula;
mod goal_locations;
mod graph;
mod instances;
mod kif;
mod leaf;
mod lifted;
mod limits;
mod loop_work;
mod loops;
mod movement;
mod norm;
mod parameters;
mod rewrite;
mod shape;
mod terms;
mod unroll;
mod unroller;
mod value;
mod wiring;

pub use bind_error::BindError;
pub use evaluate::Evaluator;
pub use explain::{Explained, ExplainedKind};
pub use formula::{Compare, Comparison, Family, Formula, Mention, Node, Scale};
pub use limits::UnrollLimits;
pub use norm::Norm;
pub use parameters::{FuzzyParameters, ParameterError};
pub use unroll::{Conditions, Lifted, unroll};
pub use value::{BoundFuzzy, Explanation, FuzzyError, FuzzyFunction, Goal, GoalExplanation};

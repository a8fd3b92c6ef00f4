//! Fuzzy goal functions (Schiffel and Thielscher 2007): how far a state fulfils the conditions of a role's goals.
//! `docs/fuzzy.md` has the formulas, the parameters, and what was settled where only words about them are known.
//!
//! # Files
//! From rules to a graph, one pass after the other:
//! - `candidates.rs`, `rewrite.rs` and `instances.rs` instantiate the rules of goals and the end.
//! - `shape.rs` decides what becomes of an atom, `leaf.rs` and `goal_locations.rs` which leaves are measured.
//! - `build.rs` makes the nodes, `graph.rs` simplifies them; `unroller.rs` is what the passes share.
//! - `regression.rs`, `capture.rs` and `wanted_by.rs` look back through the rules of moves; `forms.rs` decides whether that is needed.
//! - `unroll.rs` runs the passes. `FuzzyMaker` instantiates rules once for all roles.
//!
//! What a graph is made of: `kinds/` has a file for each kind of node, `formula.rs` the document form of a graph.
//!
//! From a graph to a value:
//! - `bind.rs` and `fluents.rs` check a graph against a machine, `lifted.rs` derives what is not unrolled.
//! - `norm/` (with `breadth.rs`) values conjunctions.
//! - `evaluator/` plans a graph and computes its values in one state or many; `value.rs` has the function, `explain.rs` its
//!   explanation.
//!
//! Files import each other in one direction: `tests/documents/rooms.rs` counts cycles.
//!
//! In `tests/analysis/`, `fuzzy.rs`, `fuzzy_formulas.rs`, `captures.rs` and `kinds_of_goals.rs` compare values
//! with the machine's goals and ends.

mod bind;
mod bind_error;
mod breadth;
mod build;
mod candidates;
mod capture;
mod comparison;
mod evaluator;
mod explain;
mod fluents;
mod forms;
mod formula;
mod goal_locations;
mod graph;
mod instances;
mod kif;
mod kinds;
mod leaf;
mod lifted;
mod limits;
mod mention;
mod movement;
mod norm;
mod parameters;
mod pieces;
mod random_walk;
mod regression;
mod rewrite;
mod shape;
mod unroll;
mod unroller;
mod value;
mod wanted_by;

pub use bind_error::BindError;
pub use comparison::Comparison;
pub use evaluator::{ERROR, Evaluator};
pub use explain::Explained;
pub use formula::{Family, Formula, Goal, Scale};
pub(in crate::evaluation) use kinds::Prefix;
pub use kinds::{Compare, ExplainedKind, Node, Soon, Toward};
pub use limits::UnrollLimits;
pub use mention::Mention;
pub use norm::Norm;
pub use parameters::{FuzzyParameters, ParameterError};
pub use unroll::{Conditions, FuzzyMaker, Lifted, unroll};
pub use value::{BoundFuzzy, Explanation, FuzzyError, FuzzyFunction, GoalExplanation};

//! Fuzzy goal functions (Schiffel and Thielscher 2007): how far a state fulfils the conditions of a role's goals.
//! `docs/fuzzy.md` has the formulas, the parameters and the decisions.
//!
//! # Files
//! From rules to a graph, in this order:
//! - `candidates.rs`, `rewrite.rs` and `instances.rs` instantiate the rules of goals and the terminal condition;
//!   `condition_atoms.rs` finds the atoms from which unrolling starts.
//! - `shape.rs` classifies atoms, `leaf.rs`, `movement.rs` and `goal_locations.rs` select the leaves that are measured.
//! - `build.rs` makes the nodes of a `draft.rs`, `graph.rs` simplifies them. These passes read `unroll_context.rs`.
//! - `regression.rs`, `capture.rs` and `beneficiaries.rs` look back through the rules of moves; `step_choice.rs`
//!   chooses how far.
//! - `unroll.rs` runs the passes. `FuzzyMaker` instantiates the rules once for all roles.
//!
//! `kinds/` has a file for each kind of node, `formula.rs` the document form of a graph.
//!
//! From a graph to a value:
//! - `bind.rs` and `fluents.rs` check a graph against a machine, `lifted.rs` derives atoms that are not unrolled.
//! - `norm/` and `half_saturation.rs` evaluate conjunctions.
//! - `evaluator/` plans a graph and computes its values in one state or many; `value.rs` has the function, `explain.rs`
//!   its explanation.
//!
//! In `tests/analysis/`, `fuzzy.rs`, `fuzzy_formulas.rs`, `captures.rs` and `kinds_of_goals.rs` compare values
//! with the machine's goals and ends.

mod beneficiaries;
mod bind;
mod bind_error;
mod build;
mod candidates;
mod capture;
mod comparison;
mod condition_atoms;
mod draft;
mod evaluator;
mod explain;
mod fluents;
mod formula;
mod goal_locations;
mod graph;
mod half_saturation;
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
mod step_choice;
mod unroll;
mod unroll_context;
mod value;

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
pub use step_choice::{distinguishes_states, make_distinguishing, with_fewer_steps};
pub use unroll::{Conditions, FuzzyMaker, Lifted, unroll};
pub use value::{BoundFuzzy, Explanation, FuzzyError, FuzzyFunction, GoalExplanation};

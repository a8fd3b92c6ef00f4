//! Fuzzy goal functions (Schiffel and Thielscher 2007): how far a state fulfils the conditions of a role's goals.
//! `docs/fuzzy.md` has the formulas, the parameters, and what was settled where only words about them are known.
//!
//! # Files
//! From rules to a graph:
//! - `rewrite.rs` and `instances.rs` instantiate the rules of goals and the end; `unroll.rs` makes formulas of
//!   them.
//! - `shape.rs` decides what becomes of an atom, `leaf.rs` and `goal_locations.rs` which leaves are measured.
//! - `build.rs` and `graph.rs` make the nodes; `unroller.rs` is what they share. `FuzzyMaker` instantiates
//!   rules once for all roles.
//! - `forms.rs` replaces functions that are constant in play, with `regression.rs`, `capture.rs` and
//!   `wanted_by.rs`.
//!
//! From a graph to a value:
//! - `bind.rs` and `fluents.rs` check a graph against a machine.
//! - `strict.rs` (the default, with `breadth.rs`), `norm.rs` and `terms.rs` value conjunctions.
//! - `evaluate.rs`, `count_tables.rs` and `loops.rs` update values incrementally; `value.rs` combines the goal
//!   values.
//! - `block/` values many states at once.
//!
//! In `tests/analysis/`, `fuzzy.rs`, `fuzzy_formulas.rs`, `captures.rs` and `kinds_of_goals.rs` compare values
//! with the machine's goals and ends.

mod bind;
mod bind_error;
mod block;
mod breadth;
mod build;
mod candidates;
mod capture;
mod compare;
mod conjunction;
mod count_tables;
mod distances;
mod evaluate;
mod explain;
mod fluent_dependents;
mod fluents;
mod forms;
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
mod random_walk;
mod regression;
mod rewrite;
mod shape;
mod strict;
mod terms;
mod unroll;
mod unroller;
mod value;
mod wanted_by;
mod wiring;

pub use bind_error::BindError;
pub use evaluate::Evaluator;
pub use explain::{Explained, ExplainedKind};
pub use formula::{Compare, Comparison, Family, Formula, Mention, Node, Scale};
pub use limits::UnrollLimits;
pub use norm::Norm;
pub use parameters::{FuzzyParameters, ParameterError};
pub use unroll::{Conditions, FuzzyMaker, Lifted, unroll};
pub use value::{BoundFuzzy, Explanation, FuzzyError, FuzzyFunction, Goal, GoalExplanation};

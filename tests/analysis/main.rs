//! Analysis of games: structures, features and evaluation functions, which must not depend on names. Each module tests one
//! property.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests may panic and print their results")]

#[path = "../shared/lines.rs"]
mod lines;
#[path = "../shared/listed.rs"]
mod listed;
#[path = "../shared/sampled.rs"]
mod sampled;

mod captures;
mod distinguishing;
mod evaluation_invariance;
mod evaluations;
mod features;
mod fuzzy;
mod fuzzy_bounds;
mod fuzzy_formulas;
mod games;
mod invariance;
mod kinds_of_goals;
mod kuhlmann;
mod lane_values;
mod learned;
mod orders_and_cells;
mod proofs;
mod records;
mod renaming;
mod reordered;
mod rules_used;
mod scramble;
mod statistical;
mod structures;
mod sums;
mod value_cost;
mod verdict_endings;
mod verdict_moves;
mod weighted_sums;
mod winning;

//! Evaluation functions: from a state and a role to a value. This room does not depend on search.
//!
//! Each kind of function is a file or folder here, and `kinds/` is the registry. `document/` reads and checks
//! functions as JSON (`report/evaluation_files.rs` writes them), and `function_statistics.rs` measures functions on
//! random playouts. `move_values.rs` and `explanation.rs` evaluate moves and explain values for `ggp eval`.

mod attainable_goals;
mod build_context;
mod calibration;
mod construct;
pub mod document;
mod explanation;
mod formula;
mod function;
mod function_statistics;
pub mod fuzzy;
pub mod goal_values;
mod kind;
pub mod kinds;
pub mod learned;
mod move_values;
mod novelty;
mod one_ply_games;
pub mod scaled_feature;
pub mod statistical;
mod tuning;
mod value_cost;

pub use attainable_goals::{GoalEvidence, RewardSource};
pub use build_context::{BuildContext, Functions, Parameters};
pub use calibration::{Calibration, CalibrationError, affordable_states, valued_ends};
pub use construct::{functions, functions_of};
pub use document::{Document, DocumentError, GameIdentity};
pub use explanation::{
    Contribution, Explanation, ExplanationLimits, FeatureExplanation, FeaturePart, LearnedExplanation,
    StatisticalExplanation, explain,
};
pub use function::{Function, FunctionError};
pub use function_statistics::{
    FunctionStatistics, FunctionStatisticsError, function_statistics, function_statistics_and_progress,
};
pub use kind::Kind;
pub use move_values::{MoveValue, move_values};
pub use novelty::NoveltySince;
pub use one_ply_games::{GameLimits, OnePlyGame, Seat, one_ply_game};
pub use tuning::{TunedFunctions, Tuning, TuningError};
pub use value_cost::StepCost;

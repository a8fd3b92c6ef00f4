//! Evaluation functions: from a state and a role to a value. Knows nothing of search.

mod calibration;
mod construct;
pub mod document;
mod explanation;
mod formula;
mod function;
mod function_statistics;
pub mod fuzzy;
pub mod kinds;
pub mod kuhlmann;
mod moves;
pub mod statistical;

pub use calibration::{Calibration, CalibrationError};
pub use construct::{BuildContext, Functions, Parameters, functions, functions_of};
pub use document::{Document, DocumentError, GameIdentity};
pub use explanation::{
    Contribution, Detail, Explanation, FeatureExplanation, Part, StatisticalExplanation, explain,
};
pub use function::{Function, FunctionError, Kind};
pub use function_statistics::{
    FunctionStatistics, FunctionStatisticsError, function_statistics, function_statistics_and_progress,
};
pub use moves::{MoveValue, move_values};

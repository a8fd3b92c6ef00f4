//! Evaluation functions: from a state and a role to a value. Knows nothing of search.

mod calibration;
mod construct;
pub mod document;
mod explanation;
mod formula;
mod function;
pub mod fuzzy;
pub mod kinds;
pub mod kuhlmann;
mod moves;
mod quality;
pub mod statistical;

pub use calibration::{Calibration, CalibrationError};
pub use construct::{Functions, Material, Parameters, functions, functions_of};
pub use document::{Document, DocumentError, GameIdentity};
pub use explanation::{
    Contribution, Detail, Explanation, FeatureExplanation, Part, StatisticalExplanation, explain,
};
pub use function::{Function, FunctionError, Kind};
pub use moves::{MoveValue, move_values};
pub use quality::{Quality, QualityError, qualities, qualities_and_progress};

//! Results made readable: JSON, CSV and tables. Knows nothing of how a result was computed.

pub mod analysis;
pub mod bench;
pub mod board;
pub mod diagnostics;
pub mod evaluated;
pub mod evaluation_files;
pub mod evaluation_speed;
pub mod evaluations;
pub mod explained;
pub mod features;
pub mod files;
pub mod grounding;
pub mod json;
pub mod judge;
pub mod layout;
pub mod measures;
pub mod play;
pub mod replay;
pub mod rows;
pub mod simulation;
pub mod solution;
pub mod study;
pub mod summary;
pub mod table;
pub mod tree;

//! Statistics that every room may use: numbers in, numbers out, nothing of games.

pub mod correction;
pub mod correlation;
pub mod interval;
pub mod moments;
pub mod quantile;
pub mod ratings;
pub mod regression;
pub mod sprt;
pub mod stratified;

pub use interval::{Estimate, Mean, Share};
pub use ratings::{PairResult, Rating};
pub use sprt::{Sequential, Sprt, SprtVerdict};

/// Confidence of all intervals.
pub const CONFIDENCE: f64 = 0.95;

/// Level of significance of all tests: what is missing of [`CONFIDENCE`], to the last digit of the decimal.
pub const SIGNIFICANCE: f64 = 0.05;

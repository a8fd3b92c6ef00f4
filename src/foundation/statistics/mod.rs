//! Statistics for all rooms. This module does not depend on games.

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

/// The confidence level of all intervals.
pub const CONFIDENCE: f64 = 0.95;

/// The significance level of all tests: 1 - [`CONFIDENCE`], as the exact decimal.
pub const SIGNIFICANCE: f64 = 0.05;

//! Statistics that every room may use: numbers in, numbers out, nothing of games.

pub mod quantile;

/// Confidence of all intervals.
pub const CONFIDENCE: f64 = 0.95;

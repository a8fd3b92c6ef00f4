//! Limits of a demonstration.

/// Limit of stored joint moves.
pub(super) const STEPS: usize = 400;

/// The share of a run's seconds for the demonstration, with the least and the greatest number of seconds.
pub(super) const PART: f64 = 0.1;
pub(super) const LEAST: f64 = 0.1;
pub(super) const MOST: f64 = 2.0;

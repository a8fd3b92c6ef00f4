//! The limits of judging.

use crate::machine::Machine;
use crate::simulate::StepLimit;

use super::exact::ExactLimits;

/// The limits of judging a game's functions. All are counted, except the interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JudgeLimits {
    /// States, each from another random playout.
    pub states: u64,
    /// Random playouts from each.
    pub playouts: u64,
    /// Guided playouts from each.
    pub guided: u64,
    /// Playouts of each function against random play.
    pub play: u64,
    /// Functions of each kind and role that are followed in play, by correlation with random outcomes; 0 for all.
    pub best: usize,
    /// Joint moves after which a playout is truncated; none for [`StepLimit::of`] the game.
    pub max_steps: Option<u32>,
    /// Seed of all draws.
    pub seed: u64,
    /// Threads; 0 for the number of processors.
    pub threads: usize,
    /// Limits of the search for exact values, for each role.
    pub exact: ExactLimits,
    /// Limit of the work (see [`Cursor::work`](crate::machine::Cursor::work)) of a function's guided playouts, and the
    /// same limit for those against random play.
    pub work: u64,
}

impl Default for JudgeLimits {
    fn default() -> Self {
        JudgeLimits {
            states: 200,
            playouts: 200,
            guided: 2,
            play: 200,
            best: 0,
            max_steps: None,
            seed: 1,
            threads: 0,
            exact: ExactLimits::default(),
            work: 1_000_000_000,
        }
    }
}

impl JudgeLimits {
    /// Joint moves after which a playout is truncated.
    pub(super) fn max_steps(&self, machine: &dyn Machine) -> u32 {
        StepLimit::of(machine, self.max_steps).steps
    }
}

/// Scales work to the time of the machine: joining tuples takes longer than evaluating gates.
pub(super) fn affordable(machine: &dyn Machine, work: u64) -> u64 {
    if machine.network().is_some() { work } else { work / 10 }
}

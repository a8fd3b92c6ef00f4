//! The states on which functions are judged: one of each random playout, so that they are independent.

use crate::machine::{Machine, State};
use crate::simulate::{Budget, Choices, Context, End, Observer, Position, SimulateError, observe};

/// The number of phases of a playout, which have equal lengths.
pub const PHASES: usize = 3;

/// The names of the phases.
pub const PHASE_NAMES: [&str; PHASES] = ["early", "middle", "late"];

/// Changes the seed for the choice of states, so that it does not depend on the moves.
const STREAM: u64 = 0x6a75_6467;

/// A state of a random playout that is not terminal.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledState {
    /// The state.
    pub state: State,
    /// The phase of its playout, from 0.
    pub phase: usize,
    /// Joint moves from it to the last state of the playout.
    pub left: u32,
}

/// Plays at random and takes one state of each playout; each of its non-terminal states has the same probability. Also
/// returns the mean work of a playout.
///
/// # Errors
/// Nothing could be played.
pub fn sample(
    machine: &dyn Machine,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<(Vec<SampledState>, u64), SimulateError> {
    let make = || SampleObserver { seed: budget.seed ^ STREAM, playout: Vec::new(), samples: Vec::new() };
    let (statistics, watch) = observe(machine, budget, context, make)?;
    Ok((watch.samples, statistics.work / statistics.playouts.max(1)))
}

/// Stores the states of the current playout, and takes one of them when it ends.
struct SampleObserver {
    seed: u64,
    /// The non-terminal states of the current playout.
    playout: Vec<State>,
    samples: Vec<SampledState>,
}

impl Observer for SampleObserver {
    fn position(&mut self, position: &Position<'_>) {
        if position.step == 0 {
            self.playout.clear();
        }
        if !position.terminal {
            self.playout.push(position.state.clone());
        }
    }

    fn ended(&mut self, last: &Position<'_>, end: End) {
        if matches!(end, End::Stopped | End::Failed) || self.playout.is_empty() {
            return;
        }
        let index = Choices::new(self.seed, last.playout).below(self.playout.len());
        let phase = index * PHASES / self.playout.len();
        let left = last.step.saturating_sub(index as u32);
        self.samples.push(SampledState { state: self.playout.swap_remove(index), phase, left });
    }

    fn merge(&mut self, later: Self) {
        self.samples.extend(later.samples);
    }
}

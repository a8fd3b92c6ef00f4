//! The states on which functions are judged: one of each random playout, so that they are independent.

use crate::machine::{Machine, State};
use crate::simulate::{Budget, Choices, Context, End, Observer, Position, SimulateError, observe};

/// Phases of a playout, of equal length.
pub const PHASES: usize = 3;

/// The names of the phases.
pub const PHASE_NAMES: [&str; PHASES] = ["early", "middle", "late"];

/// A separate stream of random numbers for the choice of states.
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
    let make = || Watch { seed: budget.seed ^ STREAM, playout: Vec::new(), taken: Vec::new() };
    let (statistics, watch) = observe(machine, budget, context, make)?;
    Ok((watch.taken, statistics.work / statistics.playouts.max(1)))
}

struct Watch {
    seed: u64,
    /// The non-terminal states of the current playout.
    playout: Vec<State>,
    taken: Vec<SampledState>,
}

impl Observer for Watch {
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
        let at = Choices::new(self.seed, last.playout).below(self.playout.len());
        let phase = at * PHASES / self.playout.len();
        let left = last.step.saturating_sub(at as u32);
        self.taken.push(SampledState { state: self.playout.swap_remove(at), phase, left });
    }

    fn merge(&mut self, later: Self) {
        self.taken.extend(later.taken);
    }
}

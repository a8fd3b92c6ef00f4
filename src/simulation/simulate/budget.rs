//! The budget of a run, its interrupt, and the reason for its end.
//!
//! [`StepLimit`] is the number of joint moves after which a playout is cut off. It is the user's number, else the length of
//! the longest possible playout if the rules bound it, else 1,000.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

use super::lane_block::LaneBlock;
use crate::machine::{Machine, MachineError};

/// The limits of a run. It ends at the first limit that it reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// Number of playouts.
    pub playouts: u64,
    /// Joint moves after which a playout is cut off.
    pub max_steps: u32,
    /// Where `max_steps` comes from.
    pub max_steps_because: StepLimitReason,
    /// Seed of all random choices.
    pub seed: u64,
    /// Number of the first playout. Playout `n` does not depend on other playouts.
    pub first: u64,
    /// Number of threads; 0 for one per processor.
    pub threads: usize,
    /// Seconds after which the run ends, even within a playout. With this limit the results depend on the clock.
    pub seconds: Option<f64>,
    /// Work (see [`Cursor::work`](crate::machine::Cursor::work)) after which the run ends. The results depend only on this
    /// number. The run exceeds it by at most the work of the current playouts.
    pub work: Option<u64>,
}

impl Default for Budget {
    /// 1,000 playouts of at most 1,000 joint moves, seed 1, all threads.
    fn default() -> Self {
        let StepLimit { steps: max_steps, because: max_steps_because } = StepLimit::DEFAULT;
        Budget {
            playouts: 1000,
            max_steps,
            max_steps_because,
            seed: 1,
            first: 0,
            threads: 0,
            seconds: None,
            work: None,
        }
    }
}

impl Budget {
    /// The time at which a run that begins now must end; none without a limit, or if the limit exceeds the range of
    /// [`Instant`].
    pub(super) fn deadline(&self) -> Option<Instant> {
        let seconds = Duration::try_from_secs_f64(self.seconds?.max(0.0)).ok()?;
        Instant::now().checked_add(seconds)
    }
}

/// Where the step limit comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepLimitReason {
    /// The default of 1,000 joint moves.
    #[default]
    Default,
    /// The user gave the number.
    Named,
    /// The rules count the steps and every playout has ended by then, so no playout is cut off.
    LongestPlay,
}

/// The number of joint moves after which a playout is cut off, and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepLimit {
    /// The joint moves.
    pub steps: u32,
    /// Where the number comes from.
    pub because: StepLimitReason,
}

impl StepLimit {
    /// The default: 1,000 joint moves.
    pub const DEFAULT: StepLimit = StepLimit { steps: 1000, because: StepLimitReason::Default };

    /// The user's number, else the longest possible playout if the machine knows it, else the default.
    pub fn of(machine: &dyn Machine, requested: Option<u32>) -> StepLimit {
        let requested = requested.map(|steps| StepLimit { steps, because: StepLimitReason::Named });
        let longest = || machine.longest_play().filter(|&steps| steps > 0);
        let known = || longest().map(|steps| StepLimit { steps, because: StepLimitReason::LongestPlay });
        requested.or_else(known).unwrap_or(StepLimit::DEFAULT)
    }
}

/// The progress of a run, reported after every round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Playouts played.
    pub playouts: u64,
    /// States visited.
    pub states: u64,
    /// Work done.
    pub work: u64,
}

/// How the caller of a run interrupts it and observes its progress.
#[derive(Clone, Copy, Default)]
pub struct Context<'a> {
    /// Once it is true, no playout makes another step, and the run ends.
    pub interrupt: Option<&'a Arc<AtomicBool>>,
    /// Called after every round, on the thread that started the run.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// All playouts were played.
    Playouts,
    /// The work limit was reached.
    Work,
    /// The time limit was reached.
    Seconds,
    /// The caller interrupted the run.
    Interrupted,
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// The rules name no role.
    #[error("the game has no roles: add a `role` fact")]
    NoRoles,
    /// A role has no legal move in the initial state.
    #[error(
        "role {role} has no legal move in the initial state, which is not terminal: check its `legal` rules"
    )]
    NoInitialMove {
        /// The role, as lower-case KIF.
        role: String,
    },
    /// The initial state can't be evaluated.
    #[error("the initial state can't be evaluated: {0}")]
    Machine(#[from] MachineError),
    /// The game has no lane program, because it does not run on a network.
    #[error("the game does not run on a network, so it has no lanes: play the playouts one by one")]
    NoLanes,
    /// The block does not contain the playout.
    #[error("block {}+{} has no playout {playout}", block.first, block.playouts)]
    NotInBlock {
        /// The playout.
        playout: u64,
        /// The block.
        block: LaneBlock,
    },
    /// The threads could not be started.
    #[error("can't start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

//! How much is played, who may interrupt it, and why it ended.
//!
//! [`StepLimit`] decides after how many joint moves a playout is truncated: the number that the user gave, else
//! the longest play that the rules allow, else 1,000.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

use super::lane_block::LaneBlock;
use crate::machine::{Machine, MachineError};

/// How much is played. The run ends when the first of its limits is reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// Number of playouts.
    pub playouts: u64,
    /// Joint moves after which a playout is truncated.
    pub max_steps: u32,
    /// Why after so many.
    pub max_steps_because: StepLimitReason,
    /// Seed of all random choices.
    pub seed: u64,
    /// Number of the first playout. Playout `n` is the same whatever the others are.
    pub first: u64,
    /// Threads to play on; 0 for as many as the computer runs at once.
    pub threads: usize,
    /// Seconds after which the run is stopped, playouts under way included. Then results depend on the clock.
    pub seconds: Option<f64>,
    /// Work (see [`Cursor::work`](crate::machine::Cursor::work)) after which the run is stopped. Results depend
    /// on this number alone; it is overrun by at most the work of the playouts under way.
    pub work: Option<u64>,
}

impl Default for Budget {
    /// A thousand playouts of at most a thousand steps, seed 1, on all threads.
    fn default() -> Self {
        let StepLimit { steps: max_steps, because: max_steps_because } = StepLimit::USUAL;
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
    /// When the seconds are over, for a run that begins now. None where they are not limited, or reach further
    /// than the clock.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let seconds = Duration::try_from_secs_f64(self.seconds?.max(0.0)).ok()?;
        Instant::now().checked_add(seconds)
    }
}

/// Why a playout is truncated after so many joint moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepLimitReason {
    /// Nothing better is known.
    #[default]
    Default,
    /// The user said so.
    Named,
    /// The rules count the steps, and every play has ended by then: no playout is truncated.
    LongestPlay,
}

/// Joint moves after which a playout is truncated, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepLimit {
    /// The joint moves.
    pub steps: u32,
    /// Why so many.
    pub because: StepLimitReason,
}

impl StepLimit {
    /// What it is where nothing is said or known.
    pub const USUAL: StepLimit = StepLimit { steps: 1000, because: StepLimitReason::Default };

    /// As many as the user named; else as many as the longest play has, where the machine knows it.
    pub fn of(machine: &dyn Machine, named: Option<u32>) -> StepLimit {
        let named = named.map(|steps| StepLimit { steps, because: StepLimitReason::Named });
        let longest = || machine.longest_play().filter(|&steps| steps > 0);
        let known = || longest().map(|steps| StepLimit { steps, because: StepLimitReason::LongestPlay });
        named.or_else(known).unwrap_or(StepLimit::USUAL)
    }
}

/// How far a run is, told between rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Playouts played.
    pub playouts: u64,
    /// States visited.
    pub states: u64,
    /// Work done.
    pub work: u64,
}

/// The caller's side of a run: a way to interrupt it and to hear how far it is.
#[derive(Clone, Copy, Default)]
pub struct Context<'a> {
    /// Once true, the run stops at the next step of every playout.
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
    /// The work was done.
    Work,
    /// The seconds were over.
    Seconds,
    /// The caller asked for it.
    Interrupted,
}

/// Why a run could not start.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// The rules name no role.
    #[error("the game has no role")]
    NoRoles,
    /// Nothing can be played.
    #[error("role {role} has no legal move in the initial state, which is not terminal")]
    NoInitialMove {
        /// The role, as lower-case KIF.
        role: String,
    },
    /// The initial state can't be evaluated.
    #[error("the initial state can't be evaluated: {0}")]
    Machine(#[from] MachineError),
    /// A playout in lanes was asked for of a game that has none.
    #[error("the game does not run on a network, so it has no playouts in lanes")]
    NoLanes,
    /// A block of lanes has no such playout.
    #[error("playout {playout} is not one of the {} from {} on", block.playouts, block.first)]
    NotInBlock {
        /// The playout.
        playout: u64,
        /// The block.
        block: LaneBlock,
    },
    /// The threads could not be started.
    #[error("the threads could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

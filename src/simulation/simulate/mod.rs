//! Playouts with uniformly random joint moves: statistics, samples, labels, and traces that can be replayed.
//!
//! Playouts are played one by one ([`observe`]) or 512 at a time in lanes ([`observe_lanes`]). Results depend only on the
//! rules, the budget and the seed. Both give the same [`Statistics`] (except `timing`) and the same observer on any number
//! of threads. A playout can be played again from its number, in lanes together with its block ([`observe_lane_playout`]).

mod atom_list;
mod batches;
mod budget;
mod choice;
mod comparison;
mod cross_check;
mod fault;
mod host_record;
mod json_values;
mod labels;
mod lane_block;
mod lane_counter;
mod lane_observer;
mod lane_playout;
mod lane_runner;
mod lane_sequences;
#[cfg(test)]
mod lane_unpack;
mod lanes;
mod move_text;
mod observer;
mod playout;
mod playout_counts;
mod playout_moves;
mod recorder;
mod recording;
mod recording_reader;
mod replay;
mod runner;
mod sequence_shape;
mod sequences;
mod sequences_along;
pub mod sliced;
mod state_text;
mod statistics;
#[cfg(test)]
mod tests;
mod text;
mod timed_interrupt;
#[cfg(test)]
mod toy;
mod trace;
mod trial;
mod work_limit;

pub use atom_list::AtomError;
pub use budget::{Budget, Context, Progress, SimulateError, StepLimit, StepLimitReason, StopReason};
pub use choice::Choices;
pub use comparison::{Aspect, Comparison, Difference};
pub use cross_check::cross_check;
pub use fault::{Fault, FaultKind};
pub use json_values::JsonValues;
pub use labels::{Label, RoleLabel, labels, labels_sequential};
pub use lane_block::LaneBlock;
pub use lane_observer::{LaneObserver, LaneStep};
pub use lane_playout::observe_lane_playout;
pub use lane_runner::observe_lanes;
pub use lane_sequences::sequences_in_lanes;
pub use lanes::{LANE_BLOCK, LaneCounts, simulate_lanes};
pub use move_text::{MoveError, MoveReader};
pub use observer::{End, Observer, Position};
pub use playout_moves::moves_of_playout;
pub use recorder::{Recorder, TraceFile};
pub use recording::{RecordedPosition, Recording};
pub use recording_reader::{RecordingError, Recordings};
pub use replay::Replay;
pub use runner::{observe, simulate};
pub use sequence_shape::{Sequence, SequenceShape};
pub use sequences::{sequences, sequences_sequential};
pub use sequences_along::{sequences_along, states_along};
pub use state_text::{StateError, StateReader};
pub use statistics::{
    Branching, GoalCount, LengthBin, Lengths, OutcomeCount, RoleStatistics, Statistics, Timing, Warning,
};
pub use text::canonical;
pub use timed_interrupt::TimedInterrupt;
pub use trace::{TraceEnd, TraceGame, TraceGoal, TraceLine, TraceReason, TraceStep, TraceValue};
pub use trial::{TrialBudget, TrialResult, run_trial};
pub use work_limit::{EarlyEnd, Steps, WorkLimit};

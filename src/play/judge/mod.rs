//! The quality of evaluation functions: compared with exact values, with outcomes of random play and of play that follows
//! the function, and with the function's own predictions. `docs/judge.md` explains each number.

mod candidate;
mod error;
mod exact;
mod exact_values;
mod guided;
mod limits;
mod rank;
mod reliability;
mod role;
mod run;
mod sample;
mod sides;
mod trial;
mod verdict;

pub use candidate::{Bound, Candidate, ENDS, StateCursor};
pub use error::JudgeError;
pub use exact::{ExactLimits, Solver, Unsolved};
pub use exact_values::exact_values;
pub use guided::{ANSWERS, EPSILON, Following, Guidance, GuidedError, GuidedResult, OnePlyResult, outcomes};
pub use limits::JudgeLimits;
pub use rank::{Ranking, SolvedStates, chance, rank, solve};
pub use reliability::{Bin, Reliability};
pub use run::{Follower, JudgeContext, judge};
pub use sample::{PHASE_NAMES, PHASES, SampledState, sample};
pub use sides::{ChildGroups, Sides};
pub use trial::{Trial, guided_states, one_ply};
pub use verdict::{Association, Judgement, Play, RoleVerdict, Verdict};

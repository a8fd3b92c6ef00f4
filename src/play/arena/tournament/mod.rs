//! Tournaments: schedule, results and ratings.
//!
//! The schedule depends only on the plan, and each match has its own seed. The results are therefore the same on any
//! number of threads and after any interruption, if the players are deterministic.

mod cell;
mod distributed;
mod entrants;
mod error;
mod match_environment;
mod plan;
mod played;
mod run;
mod schedule;
mod summary;

pub use distributed::DistributedTournament;
pub use entrants::Entrants;
pub use error::TournamentError;
pub use match_environment::{MatchEnvironment, MatchOutcome, ready_for, try_players};
pub use plan::{Plan, PlanError, PlanGame, PlanPlayer, Thinking};
pub use played::{LogLine, Outcome, PlayedMatch};
pub use run::{Ending, MergeResult, RunConditions, Tournament, Watcher};
pub use schedule::{Fixture, Place, Schedule};
pub use summary::{
    Course, EloDifference, Pairing, RoleResult, Score, Side, SoloResult, SprtResult, Standing, Summary,
    Unfinished,
};

//! Tournaments: schedule, results and ratings.
//!
//! The schedule depends only on the plan, and each match has its own seed. The results are therefore the same on any
//! number of threads and after any interruption, if the players are deterministic.

mod cell;
mod dealt;
mod entrants;
mod error;
mod plan;
mod played;
mod run;
mod schedule;
mod summary;
mod table;

pub use dealt::Dealt;
pub use entrants::Entrants;
pub use error::TournamentError;
pub use plan::{Plan, PlanError, PlanGame, PlanPlayer, Thinking};
pub use played::{LogLine, Outcome, Played};
pub use run::{Ending, Hall, Merged, Tournament, Watcher};
pub use schedule::{Fixture, Place, Schedule};
pub use summary::{
    Course, EloDifference, Pairing, Score, Side, SoloResult, Standing, Summary, Tested, Unfinished,
};
pub use table::{AtTable, Table, ready_for, try_players};

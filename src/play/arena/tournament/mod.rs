//! Tournaments: who plays whom, what was played, and who is stronger.
//!
//! Which matches there are is a function of the plan alone, each with a seed of its own, so that a tournament comes to
//! the same results on any number of threads and after any interruption, as far as its players do.

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

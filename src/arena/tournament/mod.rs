//! Tournaments: who plays whom, what was played, and who is stronger.
//!
//! Which matches there are is a function of the plan alone, each with a seed of its own, so that a tournament comes to
//! the same results on any number of threads and after any interruption, as far as its players do.

mod cell;
mod entrants;
mod plan;
mod played;
mod ratings;
mod run;
mod schedule;
mod sprt;
mod summary;

pub use entrants::Entrants;
pub use plan::{Plan, PlanError, PlanGame, PlanPlayer, Thinking};
pub use played::{LogLine, Outcome, Played};
pub use ratings::{PairResult, Rating, ratings};
pub use run::{Ending, Hall, Tournament, TournamentError, Watcher};
pub use schedule::{Fixture, Place, Schedule};
pub use sprt::{Sequential, Sprt, SprtVerdict, log_likelihood_ratio};
pub use summary::{EloDifference, Pairing, Score, Side, SoloResult, Standing, Summary, Tested, Unfinished};

//! The analysis of a game: from a loaded game to its evaluation functions.
//!
//! [`analyze`] takes a [`Game`] and a [`Plan`] and returns a [`GameAnalysis`]. It runs named stages, each of which uses
//! the results of those before it:
//!
//! 1. *detect*: random play, and what the game is made of ([`structure`](crate::structure)),
//!    and *rules*: which of the rules play uses;
//! 2. *sample*: short sequences of states from random play ([`feature::sample`](fn@crate::feature::sample));
//! 3. *features*: named numbers of a state, and what the sequences say of them ([`feature`](crate::feature));
//! 4. *functions*: evaluation functions ([`evaluation`](crate::evaluation));
//! 5. *function-statistics*: what the sequences say of these;
//! 6. *one-ply*: what the best of them bring in play one move ahead;
//! 7. *guided-states*: correlations once more, on states from games of the best of these.
//!
//! Stages that the plan doesn't need are skipped. Every stage has a limit, which counts work unless the plan has a clock,
//! and checks the caller's interrupt. A stage that stops early returns its results so far, and its [`StageReport`] says
//! so. `stage.rs` lists all stages, including proofs, exact values of small games, and the search for goal values that
//! random play did not reach.
//!
//! ```
//! # mod ggp { pub use ggp_play::*; pub use ggp_rules::*; pub use ggp_simulation::*; }
//! # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
//! use ggp::analysis::{AnalysisContext, LoadedGame, Plan, analyze};
//! use ggp::gdl::{Source, read};
//! use ggp::ground::Limits;
//! use ggp::machine::{Backend, load};
//!
//! let source = Source::load("games/tic_tac_toe.kif")?;
//! let description = read(&source).description.ok_or("the rules have errors")?;
//! let loaded = load(description, Backend::Auto, &Limits::default())?;
//! let game = LoadedGame::new("games/tic_tac_toe.kif".to_owned(), &source, loaded);
//!
//! let plan = Plan { playouts: Some(500), ..Plan::default() };
//! let analysis = analyze(&game.game(), &plan, &AnalysisContext::default())?;
//! assert!(analysis.stages.iter().all(|stage| stage.complete));
//! assert!(analysis.functions.list.iter().any(|function| function.id() == "fuzzy.crosses"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod analyze;
mod demonstration;
mod error;
mod exact;
mod game;
mod game_analysis;
mod guided;
mod left_out;
mod make_functions;
mod memory;
mod one_ply;
mod parts;
mod plan;
mod plan_search;
mod proofs;
mod rules;
mod run;
mod select;
mod stage;
mod symmetry;

pub use analyze::analyze;
pub use demonstration::{
    CalibratedFunction, CalibrationBin, Course, Demonstration, DemonstrationError, ExplainedState, Play,
    PlayedBy, StepCount, demonstrate,
};
pub use error::AnalysisError;
pub use game::{Game, LoadedGame, OpenError};
pub use game_analysis::{GameAnalysis, Guided, OnePly};
pub use memory::Memory;
pub use parts::{PartSummary, PartsSummary, nim_sum_sentence};
pub use plan::{Clock, Kinds, Plan};
pub(crate) use plan_search::affordable_nodes;
pub use run::{AnalysisContext, StageObserver};
pub use select::{FunctionSelector, SelectError};
pub use stage::{Stage, StageProgress, StageReport};
pub use symmetry::SymmetrySummary;

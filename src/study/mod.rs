//! Studies: a TOML file lists games, the measurement, its limits and its seed. The result of each game is logged at once,
//! so that a study can be interrupted and resumed.
//!
//! `ggp study` is `cli/study/`; its page is `report/study.rs`, with tables from `report/study_tables.rs`.

mod file;
mod file_error;
mod game;
mod grid;
mod log;
mod matches;

pub use file::{JudgeStudy, Measurement, SpeedStudy, StructureStudy, Study};
pub use file_error::{FileError, Place};
pub use game::{JudgedGame, StudyGame, judge_game};
pub use grid::Grid;
pub use log::{Entry, GameEntry, GameResult, Outcome, open_log};
pub use matches::{MatchResults, MatchStudy, folder};

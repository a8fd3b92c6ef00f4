//! Players and their matches. Knows searches and functions, but not how players elsewhere are reached.

mod algorithm;
mod auto;
mod contest;
mod log;
mod opening;
mod player;
mod prepared;
mod record;
mod search_player;
mod source;
mod spec;
pub mod tournament;
mod trial;
mod unprepared;

pub use algorithm::{ALGORITHMS, Algorithm, AlgorithmEntry, OptionEntry};
pub use auto::{SUITABLE, Suited};
pub use contest::{Clock, Conditions, Contest, ContestError, Fault, Move, Moved};
pub use log::{Log, LogError, LogHeader};
pub use opening::opening;
pub use player::{Player, Turn, TurnError};
pub use prepared::{PrepareError, Prepared};
pub use record::MatchRecord;
pub use search_player::SearchPlayer;
pub use source::{Entrant, OwnPlayers, PlayerError, PlayerSource};
pub use spec::{PlayerSpec, SpecError};
pub use unprepared::unprepared;

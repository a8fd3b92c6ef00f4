//! Players and their matches. Uses searches and functions, but does not depend on how remote players are reached.

mod algorithm;
mod fallback_player;
mod learning;
mod log;
mod making;
mod match_play;
mod opening;
mod overrun;
mod part;
mod player;
mod player_factory;
mod prepared_game;
mod ready;
mod record;
#[cfg(feature = "cluster")]
mod remote;
mod search_player;
mod spec;
mod spec_error;
pub mod tournament;
mod trial;

/// The error of a program without the feature `cluster`.
pub const WITHOUT_CLUSTER: &str = "this program was built without clusters; `cargo install --path . --features cluster` makes one that can ask them";

pub use algorithm::{
    ALGORITHMS, About, Algorithm, AlgorithmEntry, Candidate, FunctionUse, GameClass, Games, PlayerContext,
    PlayerMaker,
};
pub use fallback_player::fallback_player;
pub use learning::{LEARNING, LEAST, can_learn};
pub use log::{Log, LogError, LogHeader};
pub use making::{make_player, successor};
pub use match_play::{Clock, Conditions, Fault, Match, MatchError, Move, PlayedStep};
pub use opening::opening;
pub use part::{Part, PartError};
pub use player::{Player, Turn, TurnError};
pub use player_factory::{Entrant, OwnPlayers, PlayerError, PlayerFactory, PlayerResult};
pub use prepared_game::{PrepareError, PreparedGame, SUITABLE};
pub use ready::ready;
pub use record::{MatchRecord, ThoughtRecord};
#[cfg(feature = "cluster")]
pub use remote::RemoteSearches;
pub use search_player::SearchPlayer;
pub use spec::{PlayerSpec, canonical_line, plan_for};
pub use spec_error::SpecError;

//! The verdict on a game: what a newcomer asks first, in few sentences. How does one win, what is a move, who wins, how
//! long does it last, does skill count, how do games end?

mod best_play;
mod board_facts;
mod contest;
mod endings;
mod first_moves;
mod give;
mod helps;
mod match_budget;
mod move_kinds;
mod played_game;
mod quality;
mod random_games;
mod self_play;
mod strength;
mod winning;

pub use best_play::BestPlay;
pub use endings::{
    EndingCause, EndingKind, EndingOutcome, EndingRule, Endings, GameEndings, UnfiredRule, UnfiredRules,
    endings,
};
pub use first_moves::{FirstMove, FirstMoves};
pub use give::{Verdict, VerdictGames, begin_verdict, give_verdict};
pub use helps::Help;
pub use move_kinds::{
    CaptureCount, ChangeCount, ChangeKind, Destination, MoveKind, MoveKinds, Permanence, TurnCount,
    move_kinds,
};
pub use played_game::PlayedGame;
pub use quality::{MEASURES, MeasureEntry, QualityMeasure};
pub use random_games::RandomGames;
pub use self_play::{Duel, RoleResult, SelfPlay};
pub use strength::Strength;
pub use winning::{
    ConditionCheck, ConnectedEdges, WinningCondition, WinningForm, WinningSentence, WinningTime,
    winning_conditions, winning_conditions_from,
};

//! # What it does
//! Plays each legal move with the same probability.
//!
//! # How
//! The move is drawn from the role's list of legal moves, with a generator seeded by the seed and the role.
//!
//! # Guarantee
//! The same seed gives the same moves.
//!
//! # Cost
//! One list of legal moves.
//!
//! # Example
//! `random`, the simplest opponent; `random,seed=2` plays other moves.
//!
//! # Source
//! None.

use crate::search::RandomMoves;

use super::super::prepared_game::PrepareError;
use super::super::search_player::SearchPlayer;
use super::context::PlayerContext;
use super::entry::{About, Algorithm, FunctionUse, Games};
use super::options::SEED;

pub(super) struct Random;

crate::options! {
    pub(super) struct RandomOptions {
        seed: u64 = SEED,
    }
}

impl Algorithm for Random {
    type Options = RandomOptions;

    const ABOUT: About = About {
        name: "random",
        title: "each legal move with the same probability",
        games: Games::All,
        chance: true,
        handles: "all games",
        source: "",
        functions: FunctionUse::None,
        text: include_str!("random.rs"),
    };

    fn player<'m>(
        context: &PlayerContext<'_, 'm>,
        options: &RandomOptions,
    ) -> Result<SearchPlayer<'m>, PrepareError> {
        let search = RandomMoves::new(context.machine(), context.role, context.seed(options.seed));
        Ok(context.player(search).instant())
    }
}

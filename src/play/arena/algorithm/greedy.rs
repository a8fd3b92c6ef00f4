//! Looking one ply ahead as a player.

use crate::search::Greedy as Search;

use super::super::prepared_game::PrepareError;
use super::super::search_player::SearchPlayer;
use super::context::PlayerContext;
use super::entry::{About, Algorithm, FunctionUse, Games};
use super::options::SEED;

pub(super) struct Greedy;

crate::options! {
    pub(super) struct GreedyOptions {
        seed: u64 = SEED,
    }
}

impl Algorithm for Greedy {
    type Options = GreedyOptions;

    const ABOUT: About = About {
        name: "greedy",
        title: "one ply of lookahead: the move to the state with the greatest value",
        games: Games::All,
        chance: true,
        handles: "all games; it assumes that others move at random at the same time, and ignores their answers",
        source: "Russell and Norvig, Artificial Intelligence",
        functions: FunctionUse::Named,
        text: include_str!("../../search/greedy.rs"),
    };

    fn player<'m>(
        context: &PlayerContext<'_, 'm>,
        options: &GreedyOptions,
    ) -> Result<SearchPlayer<'m>, PrepareError> {
        let function = context.function_since_root(context.role)?;
        let search = Search::new(context.setting(), &function, context.seed(options.seed))?;
        Ok(context.player(search).instant())
    }
}

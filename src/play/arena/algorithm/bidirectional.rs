//! Search from both ends as a player.

use crate::search::SingleAgentSearch;

use super::super::prepared_game::PrepareError;
use super::super::search_player::SearchPlayer;
use super::context::PlayerContext;
use super::entry::{About, Algorithm, FunctionUse, Games};
use super::options::{DEPTH, MEMORY, NODES, bytes};

pub(super) struct Bidirectional;

crate::options! {
    pub(super) struct BidirectionalOptions {
        depth: u64 = DEPTH,
        nodes: u64 = NODES,
        memory: f64 = MEMORY,
    }
}

impl Algorithm for Bidirectional {
    type Options = BidirectionalOptions;

    const ABOUT: About = About {
        name: "bidirectional",
        title: "search from the initial state and from the goal at once; follows the path that it found",
        games: Games::OneRole,
        chance: false,
        handles: "games of one role whose goal determines the whole state, and whose moves can be undone",
        source: "Pohl 1971",
        functions: FunctionUse::None,
        text: include_str!("../../search/single_agent/bidirectional.rs"),
    };

    fn player<'m>(
        context: &PlayerContext<'_, 'm>,
        options: &BidirectionalOptions,
    ) -> Result<SearchPlayer<'m>, PrepareError> {
        let search = SingleAgentSearch::bidirectional(context.setting(), bytes(options.memory))?;
        Ok(context.player(search).depth(options.depth).nodes(options.nodes))
    }
}
